package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// code is what a part was measured with.
type code struct {
	Commit  string `json:"commit"`            // abbreviated; "": git does not know
	Changes bool   `json:"changes,omitempty"` // what is not in docs differed from the commit
	Day     string `json:"day"`
}

// codeHere is the code of the folder that bench runs in, now.
func codeHere(ctx context.Context) code {
	c := code{Day: time.Now().UTC().Format(time.DateOnly)}
	if out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short=10", "HEAD").Output(); err == nil {
		c.Commit = strings.TrimSpace(string(out))
	}
	// A part that was measured before left the page changed, which no part measures.
	out, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--", ".", ":!docs").Output()
	c.Changes = err != nil || len(out) > 0
	return c
}

func (c code) String() string {
	switch {
	case c.Commit == "":
		return "code that was not noted"
	case c.Changes:
		return fmt.Sprintf("`%s` with changes, on %s", c.Commit, c.Day)
	}
	return fmt.Sprintf("`%s`, on %s", c.Commit, c.Day)
}

// of says what code the figures are of: once, where all parts were measured
// with the same, else part by part.
func (r *report) of() string {
	var found []code
	parts := map[code][]string{}
	for _, p := range (&work{}).parts() {
		c := r.Parts[p.name]
		if len(parts[c]) == 0 {
			found = append(found, c)
		}
		parts[c] = append(parts[c], p.name)
	}
	if len(found) == 1 {
		return "They are of " + found[0].String() + "."
	}
	var groups []string
	for _, c := range found {
		groups = append(groups, fmt.Sprintf("of %s: %s", c, strings.Join(parts[c], ", ")))
	}
	return "They are, by the parts that `bench -only` takes,\n" + strings.Join(groups, ";\n") + "."
}
