package cli

import (
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// taught is one lesson as it must be. Its words hold a token that stands
// nowhere else, so that the bytes of a container can be searched for them.
type taught struct {
	id      string   // m-...; "" until it is known
	tokens  []string // of its words, those that hold last
	text    string
	owner   string
	state   memory.State
	edits   int
	thread  int
	cause   string // its id follows from it
	claimed bool   // a deed is under way that changes it
	denied  bool
	// A proposal's: the pull request, and what a label may have made of it.
	pull     int
	possible []memory.State
}

// deed is what somebody does, or what the clock does, and the run that comes
// of it.
type deed struct {
	what    string // for the figures
	event   string
	login   string
	thread  int    // that it is about; 0: none
	body    string // of a comment
	comment int64
	target  string // the lesson's id, as a cause names it
	must    string // "done", "refused", "reply": what must become of it
	lesson  *taught
	effect  func(l *taught)
	payload map[string]any
	inputs  map[string]string
	run     int64
	attempt int
	began   bool
	done    bool // applied, or answered
	refused bool
}

// token is a word that stands nowhere else. The stemmer leaves it alone.
func (s *soak) token() string {
	const first, rest = "bcdfghjkmnpqrtvwxz", "bcdfghjkmnpqrtvwxz0123456789"
	b := []byte{first[s.rng.IntN(len(first))]}
	for range 9 {
		b = append(b, rest[s.rng.IntN(len(rest))])
	}
	return string(b) + "7"
}

// lessonOf words a lesson around a token.
func (s *soak) lessonOf(token string) string {
	forms := []string{"Amounts of %s are in minor units.", "Never wait for %s without a limit.", "Name %s as the ledger does.", "Handlers of %s return early."}
	return fmt.Sprintf(forms[s.rng.IntN(len(forms))], token)
}

// free are the lessons that a deed may change now.
func (s *soak) free(fits func(l *taught) bool) (out []*taught) {
	for _, l := range s.lessons {
		if !l.claimed && l.id != "" && fits(l) {
			out = append(out, l)
		}
	}
	return out
}

// settle applies a deed that was done, or gives it up as refused.
func (s *soak) settle(d *deed, refused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.done {
		return
	}
	d.done, d.refused = true, refused
	if d.lesson == nil {
		return
	}
	d.lesson.claimed = false
	if !refused {
		d.effect(d.lesson)
	}
}

// open are the deeds that nobody has answered yet.
func (s *soak) open() (out []*deed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.deeds {
		if !d.done {
			out = append(out, d)
		}
	}
	return out
}

// erased are the tokens that may stand in no artifact.
func (s *soak) erased() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lessons {
		if l.state == memory.Tombstoned || l.state == memory.Purged {
			out = append(out, l.tokens...)
		}
	}
	return out
}

// wants is a lesson as the model has it, for a comparison.
func (l *taught) wants() string {
	if l.state == memory.Tombstoned {
		return fmt.Sprintf("%s %s", l.id, l.state)
	}
	return fmt.Sprintf("%s@%d %s: %s", l.id, 1+l.edits, l.state, strings.TrimSpace(l.text))
}
