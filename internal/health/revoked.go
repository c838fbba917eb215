package health

import (
	"fmt"
	"strings"

	"github.com/familiarhq/familiar/internal/memory"
)

// revoked says which lessons a denial keeps from being read, a finding for
// each denial: one word may have turned off a whole memory.
func revoked(versions []memory.Version) []Finding {
	var out []Finding
	at := map[string]int{}
	for _, v := range versions {
		if v.State != memory.Active || v.Denied == "" {
			continue
		}
		i, known := at[v.Denied]
		if !known {
			i = len(out)
			at[v.Denied] = i
			out = append(out, Finding{Check: CheckRevoked, Severity: Note, Field: v.Denied})
		}
		out[i].Lessons = append(out[i].Lessons, v.DocumentID)
	}
	for i, f := range out {
		key := f.Field
		if parts := strings.SplitN(key, "/", 4); len(parts) == 4 && parts[0] == "repo" {
			key = parts[3]
		}
		out[i].Message = fmt.Sprintf("The denial of %s keeps %s from being read.", key, many(len(f.Lessons), "lesson"))
		out[i].Reason = "A denial holds for the key and all below it, until an admin lifts it."
		out[i].Fix = fmt.Sprintf("If it is not meant: unrevoke %s.", key)
	}
	return out
}
