package memory

// Denial is a revoked key or prefix, and what it keeps from being read.
type Denial struct {
	Prefix  string   // whole, without a slash at its end
	Lessons []string // ids of the documents below it that are in use or wait
}

// Denials returns, for each of the revoked keys and prefixes, which lessons
// it reaches (page 4.2). A lesson may stand under several.
func Denials(denied []string, versions []Version) []Denial {
	out := make([]Denial, len(denied))
	for i, prefix := range denied {
		out[i] = Denial{prefix, Below(prefix, versions)}
	}
	return out
}

// Below returns the ids of the documents that are in use or wait and whose
// key is prefix or lies below it, each once, in the order of the versions.
func Below(prefix string, versions []Version) []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range versions {
		if (v.State == Active || v.State.Pending()) && !seen[v.DocumentID] && Covers(prefix, string(v.Key)) {
			seen[v.DocumentID] = true
			out = append(out, v.DocumentID)
		}
	}
	return out
}
