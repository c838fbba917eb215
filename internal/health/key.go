package health

import "fmt"

// KeyFacts is what is known of the memory key at hand. The key itself comes
// nowhere near this package.
type KeyFacts struct {
	Given      bool
	Problem    string // why it is none; it repeats nothing of it
	Fix        string
	Identities int
	Weak       bool // its bytes repeat themselves: nobody drew it at random
}

// Key returns what is wrong with the memory key.
func Key(f KeyFacts) []Finding {
	var out []Finding
	add := func(s Severity, message, reason, fix string) {
		out = append(out, Finding{Check: CheckKey, Severity: s, Field: DefaultKeySecret, Message: message, Reason: reason, Fix: fix})
	}
	const anew = "Make one with familiar keygen and keep a copy; the old key as a second line opens what it sealed."
	switch {
	case !f.Given:
		return nil
	case f.Problem != "":
		add(Error, "The memory key is no age identity: "+f.Problem+".", "With it memory is off, and the step fails.", f.Fix)
		return out
	case f.Weak:
		add(Error, "The memory key was not drawn at random.", "Whoever guesses it opens the memory and seals one of their own.", anew)
	}
	if f.Identities > 2 {
		add(Note, fmt.Sprintf("The memory key has %d identities.", f.Identities), "Each old one opens what was sealed before its rotation; once that has expired it does nothing but leak.",
			"Remove those whose containers have expired (after 90 days).")
	}
	return out
}
