package store

import (
	"cmp"
	"database/sql"
	"math"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// posting is one lesson that has a word, with the part of BM25 that does not
// depend on how many lessons there are.
type posting struct {
	id     int64
	weight float64
}

// asked is one word of the change and how many lessons have it.
type asked struct {
	memory.Term
	lessons int
}

// textHits searches for the rarest words of the change, one at a time: BM25 is
// a sum over words, and each word's own rows tell how many lessons share it.
func (r *recalling) textHits() (map[int64]*hit, error) {
	hits := map[int64]*hit{}
	var total int
	if err := r.tx.QueryRowContext(r.ctx, "SELECT count(*) FROM recall_docsize").Scan(&total); err != nil {
		return nil, r.failed(err)
	}
	if total == 0 || len(r.q.Terms) == 0 {
		return hits, nil
	}
	rarest, err := r.rarest(total)
	if err != nil {
		return nil, err
	}
	var seen [][]posting
	for _, term := range rarest {
		if len(seen) == maxTerms {
			break
		}
		postings, err := r.postings(term, total)
		if err != nil {
			return nil, err
		}
		// Two words with one stem have the same rows; they count once.
		if slices.ContainsFunc(seen, func(p []posting) bool { return slices.Equal(p, postings) && sameStem(rarest, term) }) {
			continue
		}
		seen = append(seen, postings)
		for _, p := range postings {
			h := hits[p.id]
			if h == nil {
				h = &hit{}
				hits[p.id] = h
			}
			h.rare++
			h.score += p.weight * inverse(total, term.lessons) * emphasis(term.Count)
		}
	}
	return hits, nil
}

// sameStem says whether another, earlier word begins like this one.
func sameStem(all []asked, term asked) bool {
	for _, other := range all {
		if other.Word == term.Word {
			return false
		}
		if len(other.Word) >= 3 && len(term.Word) >= 3 && other.Word[:3] == term.Word[:3] && other.lessons == term.lessons {
			return true
		}
	}
	return false
}

// rarest returns the words that few lessons have, rarest first. A word that
// many have tells nothing apart.
func (r *recalling) rarest(total int) ([]asked, error) {
	words, byWord := mostFrequent(r.q.Terms), map[string]memory.Term{}
	var quoted []any
	for _, term := range words {
		if q := quote(term.Word); q != "" {
			quoted, byWord[q] = append(quoted, q), term
		}
	}
	common := commonFrom(total)
	var out []asked
	for chunk := range slices.Chunk(quoted, askedAtOnce) {
		err := r.countLessons(chunk, common, func(word string, lessons int) {
			if lessons > 0 && lessons < common {
				out = append(out, asked{Term: byWord[word], lessons: lessons})
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b asked) int {
		return cmp.Or(cmp.Compare(a.lessons, b.lessons), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
	return out, nil
}

// askedAtOnce is how many words one statement counts the lessons of: half as
// long as a statement for each.
const askedAtOnce = 64

// countLessons counts the lessons that have each of the words, up to a limit.
func (r *recalling) countLessons(words []any, limit int, found func(word string, lessons int)) error {
	stmt, err := r.statement("SELECT t.column1, (SELECT count(*) FROM (SELECT 1 FROM recall WHERE recall MATCH t.column1 LIMIT ?1)) FROM (VALUES " +
		strings.TrimSuffix(strings.Repeat("(?),", len(words)), ",") + ") t")
	if err != nil {
		return err
	}
	return r.eachRow(stmt, append([]any{limit}, words...), func(rows *sql.Rows) error {
		var word string
		var lessons int
		err := rows.Scan(&word, &lessons)
		found(word, lessons)
		return err
	})
}

// commonFrom is the number of lessons from which a word counts as common.
func commonFrom(total int) int { return max(5, min(total/10, 100)) }

// mostFrequent keeps the words that occur most when a change has too many; the
// order in which they came does not matter.
func mostFrequent(terms []memory.Term) []memory.Term {
	sorted := slices.Clone(terms)
	slices.SortFunc(sorted, func(a, b memory.Term) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
	sorted = slices.CompactFunc(sorted, func(a, b memory.Term) bool { return a.Word == b.Word })
	return sorted[:min(len(sorted), maxAskedTerms)]
}

// postings are the lessons that have the word.
func (r *recalling) postings(term asked, total int) ([]posting, error) {
	stmt, err := r.statement("SELECT rowid, bm25(recall) FROM recall WHERE recall MATCH ? ORDER BY rowid LIMIT 1000")
	if err != nil {
		return nil, err
	}
	idf := math.Log((float64(total) - float64(term.lessons) + 0.5) / (float64(term.lessons) + 0.5))
	if idf <= 0 {
		idf = 1e-6 // as FTS5 has it
	}
	var out []posting
	err = r.eachRow(stmt, []any{quote(term.Word)}, func(rows *sql.Rows) error {
		var p posting
		var score sql.NullFloat64
		err := rows.Scan(&p.id, &score)
		p.weight = math.Round(-score.Float64/idf*1e6) / 1e6
		out = append(out, p)
		return err
	})
	return out, err
}

// inverse is how much a word tells; unlike FTS5's own it stays positive over a
// handful of lessons.
func inverse(total, lessons int) float64 {
	return math.Log(1 + (float64(total)-float64(lessons)+0.5)/(float64(lessons)+0.5))
}

// emphasis lets a word that fills the change weigh a little more.
func emphasis(count int) float64 { return 1 + 0.15*min(math.Log(float64(max(count, 1))), 2) }

// quote makes one FTS5 string of a word, so that no word is ever read as
// FTS5's own syntax; "" for what is no word.
func quote(word string) string {
	if word == "" || len(word) > 200 || strings.ContainsRune(word, 0) {
		return ""
	}
	return `"` + strings.ReplaceAll(word, `"`, `""`) + `"`
}

// placeHits adds the lessons whose globs may match one of the changed paths.
func (r *recalling) placeHits(hits map[int64]*hit) error {
	if len(r.q.Paths) == 0 {
		return nil
	}
	for chunk := range slices.Chunk(folders(r.q.Paths), 90) {
		args := make([]any, len(chunk))
		for i, h := range chunk {
			args[i] = h
		}
		if err := r.placeChunk(args, hits); err != nil {
			return err
		}
	}
	return nil
}

func (r *recalling) placeChunk(heads []any, hits map[int64]*hit) error {
	marks := strings.TrimSuffix(strings.Repeat("?,", len(heads)), ",")
	rows, err := r.tx.QueryContext(r.ctx, "SELECT id FROM places WHERE head IN ("+marks+")", heads...)
	if err != nil {
		return r.failed(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return r.failed(err)
		}
		if hits[id] == nil {
			hits[id] = &hit{}
		}
		hits[id].placed = true
	}
	return r.failed(rows.Err())
}
