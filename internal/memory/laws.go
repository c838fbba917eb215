package memory

import (
	"fmt"

	"github.com/familiarhq/familiar/internal/text"
)

// Redacted stands in the place of a text that was overwritten (page 4.2).
const Redacted = "[redacted]"

// Breach is a version that could not have come about by the operations of
// page 4.2. It names the version and the law, never a text.
type Breach struct {
	ID     string
	Detail string
}

// Laws holds versions of whole documents against what every operation leaves
// behind. A store that was only ever changed through Apply and merge breaks
// none of them.
func Laws(all []Version, c Coordinates) []Breach {
	var out []Breach
	for _, v := range all {
		if detail := breach(v, c); detail != "" {
			out = append(out, Breach{ID: v.ID(), Detail: detail})
		}
	}
	return out
}

func breach(v Version, c Coordinates) string {
	_, _, idOK := ParseID(v.ID())
	switch {
	case !idOK || v.Number < 1:
		return "its id is none"
	case v.State.Rank() == 0 || v.State == Purged:
		return "it is in no state that a version can be in"
	case v.CreatedAt.IsZero():
		return "nobody knows when it was made"
	case v.State == Tombstoned && v.Text != Redacted:
		return "it was forgotten and still has a text"
	case v.State == Tombstoned:
		return ""
	case !v.Key.Within(c, v.Scope):
		return "its key lies outside " + c.Owner + "/" + c.Name
	case v.Text == Redacted && v.State != Deprecated:
		return "its text was overwritten though it was not forgotten"
	}
	if v.Text == Redacted {
		return ""
	}
	return wording(v)
}

// wording is what holds of a version that has its text.
func wording(v Version) string {
	if normal, problem := text.Normalise(v.Text); problem != text.ProblemNone || normal != v.Text {
		return "its text is not as the write gate leaves one"
	}
	if v.Check != nil {
		if _, problem := CompileCheck(*v.Check); problem != nil {
			return fmt.Sprintf("its check does not work (%s)", problem.Detail)
		}
	}
	if v.State != Active {
		return ""
	}
	switch {
	case !v.Source.Durable():
		return "it is in use though its source may only propose"
	case v.ConfirmedAt.IsZero() || v.Approved == "":
		return "it is in use though nobody confirmed it"
	case v.Approved == ApprovedConfirmed && v.ConfirmedBy.ID <= 0:
		return "it is in use, and who confirmed it is not known"
	}
	return ""
}
