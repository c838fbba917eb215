package store

import (
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
)

// maxCandidates bounds the list that an ambiguous or unknown id gets.
const maxCandidates = 5

// resolve finds the document that a person named: by its id, with or without
// a version, or by a beginning of the id that only one document has (page
// 4.1). number is 0 if none was named.
func (s *Store) resolve(q queryFunc, id string) (document string, number int, refused *memory.Refusal, err error) {
	id = strings.TrimSpace(id)
	prefix, number, whole := memory.ParseID(id)
	if !whole {
		prefix = strings.ToLower(id)
		number = 0
	}
	if !strings.HasPrefix(prefix, "m-") || len(prefix) < 4 || len(prefix) > 10 {
		refused, err = s.unknown(q, id)
		return "", 0, refused, err
	}
	found, err := s.documentIDs(q, "document_id >= ? AND document_id < ? ORDER BY document_id", prefix, prefix+"~")
	if err != nil {
		return "", 0, nil, err
	}
	switch len(found) {
	case 0:
		refused, err = s.unknown(q, id)
		return "", 0, refused, err
	case 1:
		return found[0], number, nil, nil
	}
	return "", 0, &memory.Refusal{Target: shownID(id), Reason: memory.ReasonAmbiguousID,
		Detail: fmt.Sprintf("More than one lesson has an id that begins with %q: %s. Nothing was changed.", shownID(id), candidates(found))}, nil
}

func (s *Store) documentIDs(q queryFunc, where string, args ...any) ([]string, error) {
	query := "SELECT document_id FROM documents WHERE repository_id = ? AND " + where + fmt.Sprintf(" LIMIT %d", maxCandidates+1)
	rows, err := q(query, append([]any{s.id.RepositoryID}, args...)...)
	if err != nil {
		return nil, s.failed(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, s.failed(err)
		}
		out = append(out, id)
	}
	return out, s.failed(rows.Err())
}

// unknown is the refusal of an id that nothing has, with ids that look like
// it, else the latest ones.
func (s *Store) unknown(q queryFunc, id string) (*memory.Refusal, error) {
	shown := shownID(id)
	if strings.TrimSpace(id) == "" {
		return &memory.Refusal{Target: shown, Reason: memory.ReasonUnknownID,
			Detail: "No id was given; list shows those there are. Nothing was changed."}, nil
	}
	var near []string
	var err error
	if lower := strings.ToLower(id); strings.HasPrefix(lower, "m-") && len(lower) >= 4 {
		if near, err = s.documentIDs(q, "document_id >= ? AND document_id < ? ORDER BY document_id", lower[:4], lower[:4]+"~"); err != nil {
			return nil, err
		}
	}
	if len(near) == 0 {
		if near, err = s.documentIDs(q, "forgotten = 0 ORDER BY class_at DESC, document_id"); err != nil {
			return nil, err
		}
	}
	detail := fmt.Sprintf("No lesson of this repository has the id %q", shown)
	if len(near) > 0 {
		detail += "; there are " + candidates(near)
	}
	return &memory.Refusal{Target: shown, Reason: memory.ReasonUnknownID, Detail: detail + ". list shows all. Nothing was changed."}, nil
}

// shownID is what a person wrote in the place of an id, as it is repeated.
func shownID(id string) string { return clip(redact.Cut(id, 40), 60) }

func candidates(ids []string) string {
	if len(ids) > maxCandidates {
		return strings.Join(ids[:maxCandidates], ", ") + " and more"
	}
	return strings.Join(ids, ", ")
}
