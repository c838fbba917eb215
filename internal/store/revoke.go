package store

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/memory"
)

// revoke denies a key, or every key below a prefix, from now on: for reading
// and for writing, in this store and in every one that it is merged into. A
// denial never expires.
//
// A denial is kept for good, so a key that somebody typed is admitted as a
// lesson's is: it holds no secret and no personal data (page 3.5).
func (a *applying) revoke() (outcome, error) {
	if r := memory.UncleanTexts(a.finder(), a.t.Prefix); r != nil {
		what := "what looks like a credential"
		if r.Reason == memory.ReasonPII {
			what = "personal data"
		}
		r.Detail = "The key holds " + what + ", and a denial is kept for good, so nothing was stored; revoke a shorter prefix of it, or the lesson by its id."
		return a.refused(r, ""), nil
	}
	scope, prefix, refused, err := a.denial()
	if refused != nil || err != nil {
		return a.refused(refused, ""), err
	}
	standing, err := a.standingDenials(scope, prefix)
	if err != nil {
		return outcome{}, err
	}
	if len(standing) > 0 {
		return a.refuse(memory.ReasonDuplicate, "", "It is revoked already. Nothing was changed."), nil
	}
	// The prefix is part of the id: two runs that deal with one `revoke m-ID` may
	// know the lesson under two keys, and then both are denied.
	id := memory.NewCause("revocation", a.t.Cause, string(scope), prefix)
	err = a.exec("INSERT INTO revocations VALUES (?, ?, ?, ?, ?, ?, ?)", a.id.RepositoryID, digest(id), string(scope), prefix,
		max(a.t.Actor.ID, 0), clip(a.t.Actor.Login, 100), millis(a.t.At))
	return outcome{detail: "denial " + id[:8]}, err
}

// noDenial says that no denial is of exactly that key or prefix, and which
// stand over it or below it.
func (a *applying) noDenial(full string) (string, error) {
	denied, err := a.denied(a.ctx, a.tx)
	if err != nil {
		return "", err
	}
	root := a.keyRoot(contract.ScopeRepo) + "/"
	var over, below []string
	for _, d := range denied {
		named := "`unrevoke " + strings.TrimPrefix(d, root) + "`"
		switch {
		case memory.Covers(d, full):
			over = append(over, named)
		case memory.Covers(full, d) && len(below) < maxDenialsNamed:
			below = append(below, named)
		}
	}
	switch {
	case len(over) > 0:
		return "No denial of exactly this key or prefix stands; what keeps it away is lifted with " + strings.Join(over, " and ") + ". Nothing was changed.", nil
	case len(below) > 0:
		return "No denial of exactly this key or prefix stands; those below it are lifted with " + strings.Join(below, ", ") + ". Nothing was changed.", nil
	}
	return "No denial reaches this key or prefix. Nothing was changed.", nil
}

// maxDenialsNamed bounds how many denials a refusal names.
const maxDenialsNamed = 5

// unrevoke lifts every denial of exactly that key or prefix; one of a longer
// or shorter prefix stands.
func (a *applying) unrevoke() (outcome, error) {
	scope, prefix, refused, err := a.denial()
	if refused != nil || err != nil {
		return a.refused(refused, ""), err
	}
	standing, err := a.standingDenials(scope, prefix)
	if err != nil {
		return outcome{}, err
	}
	if len(standing) == 0 {
		detail, err := a.noDenial(strings.TrimSuffix(a.keyRoot(scope)+"/"+prefix, "/"))
		if err != nil {
			return outcome{}, err
		}
		return a.refuse(memory.ReasonUnknownID, "", "%s", detail), nil
	}
	for _, id := range standing {
		err := a.exec("INSERT INTO lifts VALUES (?, ?, ?, ?, ?, ?)", a.id.RepositoryID, id, digest(a.t.Cause),
			max(a.t.Actor.ID, 0), clip(a.t.Actor.Login, 100), millis(a.t.At))
		if err != nil {
			return outcome{}, err
		}
	}
	return outcome{detail: howMany(len(standing), "denial", "denials") + " lifted"}, nil
}

// denial returns the scope and the stored form of what is to be revoked: the
// prefix that was named, else the key of the lesson that was.
func (a *applying) denial() (contract.MemoryScope, string, *memory.Refusal, error) {
	full := a.t.Prefix
	if full == "" && a.t.Target != "" {
		doc, _, refused, err := a.touched()
		if refused != nil || err != nil {
			return "", "", refused, err
		}
		if !slices.ContainsFunc(doc, func(v row) bool { return !v.State.Erased() }) {
			return "", "", &memory.Refusal{Reason: memory.ReasonNotAddressable,
				Detail: "It was forgotten, and its key with it, so its id names no key any more. Name the key itself, or a prefix of it. Nothing was changed."}, nil
		}
		full = string(doc[0].Key)
	}
	c := a.id.Coordinates()
	prefix, problem := memory.ParsePrefix(full, c)
	if problem != nil {
		return "", "", &memory.Refusal{Reason: memory.ReasonNotAddressable,
			Detail: "This is no key or prefix of " + c.Owner + "/" + c.Name + "; it begins with repo/" + c.Owner + "/" + c.Name + ". Nothing was changed."}, nil
	}
	scope := contract.ScopeRepo
	if strings.HasPrefix(prefix, "tenant/") {
		scope = contract.ScopeTenantShared
	}
	return scope, strings.TrimPrefix(strings.TrimPrefix(prefix, a.keyRoot(scope)), "/"), nil, nil
}

// standingDenials returns the ids of the denials of exactly that prefix that
// were not lifted.
func (a *applying) standingDenials(scope contract.MemoryScope, prefix string) ([]digest, error) {
	rows, err := a.tx.QueryContext(a.ctx, `SELECT id FROM revocations r WHERE repository_id = ? AND scope = ? AND prefix = ?
 AND NOT EXISTS (SELECT 1 FROM lifts l WHERE l.repository_id = r.repository_id AND l.revocation_id = r.id) ORDER BY id`, a.id.RepositoryID, string(scope), prefix)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []digest
	for rows.Next() {
		var id digest
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}
