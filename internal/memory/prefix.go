package memory

import (
	"strings"
)

// Covers says whether a revocation or another operation on prefix reaches
// key. Whole parts are compared: ".../x" covers ".../x" and ".../x/y", never
// ".../xylem"; one slash at the end of prefix changes nothing. Case is not
// regarded, since owner and name have none and the other parts allow only
// small letters. Both may be malformed: a denial that exists holds for
// whatever it spells, and an empty one covers nothing.
func Covers(prefix, key string) bool {
	prefix = strings.ToLower(strings.TrimSuffix(prefix, "/"))
	key = strings.ToLower(key)
	if prefix == "" || !strings.HasPrefix(key, prefix) {
		return false
	}
	return len(key) == len(prefix) || key[len(prefix)] == '/'
}

// CoveredBy returns the first of the denials that covers key.
func CoveredBy(denied []string, key string) (string, bool) {
	for _, prefix := range denied {
		if Covers(prefix, key) {
			return prefix, true
		}
	}
	return "", false
}

// ParsePrefix returns the canonical form, without a slash at its end, of a
// prefix that lies at c: at least the whole owning coordinates, at most a
// whole key (page 3.4).
func ParsePrefix(s string, c Coordinates) (string, *KeyProblem) {
	parts, problem := splitKey(strings.TrimSuffix(s, "/"))
	if problem != nil {
		return "", problem
	}
	rest, detail := checkCoordinates(parts)
	if detail == "" {
		detail = checkParts(rest)
	}
	if detail != "" {
		return "", keyProblem(s, detail)
	}
	if parts[0] == tenantRoot {
		if c.InstallationID <= 0 || installationID(parts[1]) != c.InstallationID {
			return "", keyProblem(s, "it belongs to another installation")
		}
		return strings.Join(parts, "/"), nil
	}
	if !strings.EqualFold(parts[1], c.Owner) || !strings.EqualFold(parts[2], c.Name) {
		return "", keyProblem(s, "it belongs to another repository than "+c.Owner+"/"+c.Name)
	}
	return strings.Join(append([]string{repoRoot, c.Owner, c.Name}, rest...), "/"), nil
}
