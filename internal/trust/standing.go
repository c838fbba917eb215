package trust

import (
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/contract"
)

// Standing is what a live permission look-up gives one account: maintainer,
// collaborator or external (page 3.1, rule 4). Visibility is the repository's;
// anything but "private" counts as one where everybody may read. The reason's
// text says what GitHub answered and is to follow a login. Spelling is exact
// throughout.
//
// A custom role's name grants nothing: GitHub reports the base permission it
// was built on, and only that is read. Commands ask here too, for their own
// author; a bot must be refused before.
func Standing(l Lookup, visibility string) (contract.TrustScope, Reason) {
	switch {
	case l.Failure != "":
		return contract.TrustExternal, Reason{CodeLookupFailed, "could not be looked up: " + l.Failure}
	case !l.Done:
		return contract.TrustExternal, Reason{CodeLookupMissing, "was not looked up"}
	}
	switch l.Permission {
	case "admin":
		return contract.TrustMaintainer, Reason{CodePermissionAdmin, "has admin permission"}
	case "write":
		return contract.TrustMaintainer, Reason{CodePermissionWrite, "has write permission"}
	case "read":
		return readStanding(l, visibility)
	case "none":
		return contract.TrustExternal, Reason{CodePermissionNone, "has no permission on this repository"}
	}
	return contract.TrustExternal, Reason{CodePermissionOdd, "has a permission that is none of admin, write, read and none"}
}

func readStanding(l Lookup, visibility string) (contract.TrustScope, Reason) {
	switch {
	case l.RoleName == "triage":
		return contract.TrustCollaborator, Reason{CodeRoleTriage, "has the triage role"}
	case visibility == "private":
		return contract.TrustCollaborator, Reason{CodeReadPrivate, "has read permission on a private repository"}
	case l.Collaborator:
		return contract.TrustCollaborator, Reason{CodeCollaborator, "has read permission and is a confirmed collaborator"}
	case visibility == "internal":
		return contract.TrustExternal, Reason{CodeReadAlone, "has read permission only, which on an internal repository the whole enterprise has"}
	}
	return contract.TrustExternal, Reason{CodeReadAlone, "has read permission only, which on a public repository everybody has"}
}

// shaperStanding is one shaper's standing under rules 3 to 5. A bot or an app
// that trust.bots does not name has none, whatever a look-up says: a name on
// that list must never be what lowers it.
func shaperStanding(s Shaper, f Facts) (contract.TrustScope, Reason) {
	listed := slices.Contains(f.Bots, s.Login)
	switch {
	case s.Ghost || s.Login == "":
		return contract.TrustExternal, Reason{CodeGhost, "cannot be looked up"}
	case s.Bot && listed:
		return contract.TrustCollaborator, Reason{CodeBotListed, "is a bot that trust.bots names, and counts as a collaborator"}
	case s.Bot:
		return contract.TrustExternal, Reason{CodeBotNotListed, "is a bot that trust.bots does not name"}
	}
	scope, reason := Standing(s.Lookup, f.Visibility)
	if listed && Less(contract.TrustCollaborator, scope) {
		return contract.TrustCollaborator, Reason{CodeListedUser, reason.Text + ", but trust.bots names this login, so it counts as a collaborator at most"}
	}
	return scope, reason
}

// person is one account with all the roles it had in the work.
type person struct {
	Shaper
	roles  []Role
	scope  contract.TrustScope
	reason Reason
}

// lacks tells whether this is a bot or an app without standing.
func (p person) lacks() bool { return p.reason.Code == CodeBotNotListed }

func (p person) order() int {
	n := 2 * slices.Index(byGrants, p.scope)
	if p.lacks() {
		n++
	}
	return n
}

// people merges equal shapers and sorts them by standing, the lowest first and
// among those bots last, so that the first one is who decides.
func people(f Facts) []person {
	var out []person
	for _, s := range f.Shapers {
		same := s
		same.Role = ""
		i := slices.IndexFunc(out, func(p person) bool { return p.Shaper == same })
		if i < 0 {
			scope, reason := shaperStanding(s, f)
			out = append(out, person{Shaper: same, scope: scope, reason: reason})
			i = len(out) - 1
		}
		if !slices.Contains(out[i].roles, s.Role) {
			out[i].roles = append(out[i].roles, s.Role)
		}
	}
	slices.SortStableFunc(out, func(a, b person) int {
		return a.order() - b.order()
	})
	return out
}

// said is the person's reason as a sentence of its own.
func (p person) said() Reason {
	words := make([]string, len(p.roles))
	for i, r := range p.roles {
		words[i] = r.words()
	}
	who := p.Login
	if p.Ghost || who == "" {
		who = "a deleted or unnamed account"
	}
	return Reason{p.reason.Code, who + " (" + strings.Join(words, ", ") + ") " + p.reason.Text}
}

func (r Role) words() string {
	switch r {
	case RoleSender:
		return "sender"
	case RoleActor:
		return "actor"
	case RoleTriggeringActor:
		return "triggering actor"
	case RoleAuthor:
		return "author"
	case RoleCommenter:
		return "commenter"
	}
	return "unknown role"
}

// acts tells the roles of those who set a run going. Without one of them
// nobody stands behind the work.
func (r Role) acts() bool {
	return r == RoleSender || r == RoleActor || r == RoleTriggeringActor
}
