package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/familiarhq/familiar/internal/memory"
)

// Display is one showing of proposals in the status comment of a pull request
// or issue (page 6.2): what a label after it approves.
type Display struct {
	Number    int // of the pull request or issue
	CommentID int64
	SetDigest string // hex SHA-256 of the set, as the comment's marker binds it
	At        time.Time
	Cut       bool // not all of the set was shown whole
	Items     []DisplayItem
}

// DisplayItem is one proposal that was shown. A row names the version by its
// uid and holds no digest of the text, from which a forgotten text could be
// guessed; Digest is made from the text as it is stored.
type DisplayItem struct {
	ID     string // "m-7f3k2q8a@1"
	Digest string // memory.TextDigest of the text that was shown; "" once it is gone
}

// maxDisplayed bounds the items of one display.
const maxDisplayed = 500

type storedItem struct {
	ID  string `json:"id"`
	UID string `json:"uid"`
}

// RecordDisplay notes what a status comment shows. The same display, noted
// twice, is one row. An item whose text is not stored as its digest says was
// not shown by us, and is an error.
func (s *Store) RecordDisplay(ctx context.Context, d Display) error {
	if err := checkDigest("a display", d.SetDigest); err != nil {
		return err
	}
	if d.Number <= 0 || d.CommentID <= 0 || !datable(d.At) || len(d.Items) > maxDisplayed {
		return fmt.Errorf("a display needs a thread, a comment, a time and at most %d items", maxDisplayed)
	}
	return s.record(ctx, func(r *recording) error {
		items := make([]storedItem, len(d.Items))
		for i, item := range d.Items {
			uid, err := r.uidOf(item)
			if err != nil {
				return err
			}
			items[i] = storedItem{ID: item.ID, UID: uid}
		}
		encoded, err := encode(items)
		if err != nil {
			return err
		}
		id := memory.NewCause("display", fmt.Sprint(s.id.RepositoryID), fmt.Sprint(d.Number), fmt.Sprint(d.CommentID), d.SetDigest, fmt.Sprint(millis(d.At)))
		return r.exec("INSERT OR IGNORE INTO displays VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			s.id.RepositoryID, digest(id), d.Number, d.CommentID, digest(d.SetDigest), millis(d.At), d.Cut, encoded)
	})
}

// uidOf finds the version that an item shows, by its id and text.
func (r *recording) uidOf(item DisplayItem) (string, error) {
	document, number, ok := memory.ParseID(item.ID)
	if !ok || number == 0 {
		return "", misuse(fmt.Sprintf("%q names no version", clip(item.ID, 40)))
	}
	rows, err := r.tx.QueryContext(r.ctx, "SELECT uid, text FROM versions WHERE repository_id = ? AND document_id = ? AND number = ?", r.id.RepositoryID, document, number)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	found := ""
	for rows.Next() {
		var uid digest
		var text string
		if err := rows.Scan(&uid, &text); err != nil {
			return "", err
		}
		if memory.TextDigest(text) == item.Digest {
			found = string(uid)
		}
	}
	if found == "" && rows.Err() == nil {
		return "", misuse(item.ID + " has no text of the digest that was shown")
	}
	return found, rows.Err()
}

// Displays returns what the status comments of a thread showed, the latest
// first.
func (s *Store) Displays(ctx context.Context, number int) ([]Display, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Display
	var items []string
	err := s.each(ctx, func(rows *sql.Rows) error {
		d := Display{Number: number}
		var at int64
		var encoded string
		if err := rows.Scan(&d.CommentID, (*digest)(&d.SetDigest), &at, &d.Cut, &encoded); err != nil {
			return err
		}
		d.At = fromMillis(at)
		out, items = append(out, d), append(items, encoded)
		return nil
	}, "SELECT comment_id, set_digest, at, cut, items FROM displays WHERE repository_id = ? AND number = ? ORDER BY at DESC, id", number)
	if err != nil {
		return nil, err
	}
	for i := range out {
		if out[i].Items, err = s.displayed(ctx, items[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Store) displayed(ctx context.Context, encoded string) ([]DisplayItem, error) {
	var stored []storedItem
	if err := decode(encoded, &stored); err != nil {
		return nil, fail(Corrupted, s.path, err, "the items of a display cannot be read (%v)", err)
	}
	out := make([]DisplayItem, len(stored))
	for i, item := range stored {
		out[i].ID = item.ID
		var text string
		err := s.c.conn.QueryRowContext(ctx, "SELECT text FROM versions WHERE repository_id = ? AND uid = ? AND redacted = 0", s.id.RepositoryID, digest(item.UID)).Scan(&text)
		switch {
		case err == nil:
			out[i].Digest = memory.TextDigest(text)
		case !errors.Is(err, sql.ErrNoRows):
			return nil, s.failed(err)
		}
	}
	return out, nil
}
