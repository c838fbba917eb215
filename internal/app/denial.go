package app

import (
	"context"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// What a denial reaches (page 4.2): whoever revokes a key is told which
// lessons go with it, since one word may turn off a whole memory.

// denialOf is what a revoke or unrevoke meets, or why it is not done. A key
// may be revoked ahead, and then what comes under it is refused; a word that
// reaches nothing and is one slip from a key that is there is asked about.
// With its coordinates in front it is meant.
func denialOf(ctx context.Context, m Memory, in intent.Intent) (render.Denial, *memory.Refusal, error) {
	out := render.Denial{Op: operations[in.Verb], Named: or(in.Target, strings.Join(in.IDs, ", "))}
	var refusal *memory.Refusal
	err := m.View(ctx, func(ctx context.Context, st *store.Store) error {
		if st == nil {
			return nil
		}
		all, err := deniable(ctx, st)
		if err != nil {
			return err
		}
		prefix := fullPrefix(in.Target, m.Coordinates())
		if in.Target == "" {
			versions, _, err := st.Get(ctx, in.IDs[0])
			if err != nil || len(versions) == 0 {
				return err // the store says what is wrong with the id
			}
			prefix = string(versions[0].Key)
		}
		out.Known, out.Prefix, out.Lessons = true, prefix, memory.Below(prefix, all)
		denied, err := st.Denied(ctx)
		if err != nil {
			return err
		}
		rest := slices.DeleteFunc(slices.Clone(denied), func(d string) bool { return memory.Covers(d, prefix) && memory.Covers(prefix, d) })
		out.Still, _ = memory.CoveredBy(rest, prefix)
		if near := nearKey(in.Target, all); out.Op == memory.OpRevoke && len(out.Lessons) == 0 && near != "" {
			refusal = &memory.Refusal{Op: string(out.Op), Target: in.Target, Reason: memory.ReasonUnknownID,
				Detail: "No lesson is at this key or below it. Is `revoke " + near + "` meant? To deny ahead what may come, name it whole: `revoke " + prefix + "`. Nothing was changed."}
		}
		return nil
	})
	return out, refusal, err
}

// deniable are the versions that a denial keeps from being read, now or once
// they are approved.
func deniable(ctx context.Context, st *store.Store) ([]memory.Version, error) {
	return st.List(ctx, store.Filter{States: []memory.State{memory.Active, memory.ReviewRequired, memory.Draft}, Limit: everything})
}

// nearKey is the key, or beginning of keys, of a lesson that a word is one
// slip away from; "" for none.
func nearKey(word string, all []memory.Version) string {
	if word == "" || strings.HasPrefix(word, "repo/") || strings.HasPrefix(word, "tenant/") {
		return ""
	}
	var known []string
	for _, v := range all {
		key := render.KeyWords(v)
		for i := range len(key) + 1 {
			if i == len(key) || key[i] == '/' {
				known = append(known, key[:i])
			}
		}
	}
	if slices.Contains(known, strings.TrimSuffix(word, "/")) {
		return ""
	}
	return config.Nearest(strings.TrimSuffix(word, "/"), known)
}

// deniedNow notes which denials stand and what they keep from being read.
func deniedNow(ctx context.Context, st *store.Store, out *render.StandingFacts) error {
	denied, err := st.Denied(ctx)
	if err != nil || len(denied) == 0 {
		return err
	}
	all, err := deniable(ctx, st)
	if err != nil {
		return err
	}
	out.Denials = memory.Denials(denied, all)
	for _, v := range all {
		if v.State == memory.Active && v.Denied != "" {
			out.Revoked++
		}
	}
	return nil
}
