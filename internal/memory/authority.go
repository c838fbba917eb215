package memory

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/text"
)

// Standing is what a live permission look-up makes of a person (pages 3.1,
// 4.3). It orders: none < collaborator < maintainer < admin. The zero value
// may do nothing.
type Standing string

// The closed set of standings.
const (
	StandingNone         Standing = "none"
	StandingCollaborator Standing = "collaborator"
	StandingMaintainer   Standing = "maintainer"
	StandingAdmin        Standing = "admin"
)

// Standings returns the closed set, weakest first.
func Standings() []Standing {
	return []Standing{StandingNone, StandingCollaborator, StandingMaintainer, StandingAdmin}
}

// ParseStanding returns the standing that s names exactly.
func ParseStanding(s string) (Standing, error) {
	return parseMember("standing", s, ReasonNotAllowed, Standings())
}

// Rank returns the place in the order, from 1; 0 for what is no standing.
func (s Standing) Rank() int {
	for i, member := range Standings() {
		if member == s {
			return i + 1
		}
	}
	return 0
}

// Operations beyond those on one lesson that need a capability (page 4.3).
const (
	OpRead      Op = "read" // list, show, why
	OpFeedback  Op = "feedback"
	OpExport    Op = "export"
	OpSnapshot  Op = "snapshot"
	OpRestore   Op = "restore"
	OpRecover   Op = "recover"
	OpUninstall Op = "uninstall"
)

// Capability returns the least standing that may do op, and whether op is one
// that a person may do at all. A runtime's propose is none: it is granted to
// the runtime by the policy and to nobody by standing.
func Capability(op Op) (least Standing, ok bool) {
	switch op {
	case OpRead:
		return StandingCollaborator, true
	case OpRemember, OpEdit, OpApprove, OpReject, OpFeedback, OpForget, OpRetire, OpKeep, OpImport, OpAccept, OpDismiss, OpCorrect:
		return StandingMaintainer, true
	case OpPurge, OpRevoke, OpUnrevoke, OpRedact, OpExport, OpSnapshot, OpRestore, OpRecover, OpUninstall:
		return StandingAdmin, true
	}
	return "", false
}

// NeedsOwner says whether op asks for the owner of the lesson besides the
// capability. No standing replaces ownership (page 4.3).
func NeedsOwner(op Op) bool {
	return op == OpForget || op == OpPurge || op == OpEdit
}

// May says whether somebody of that standing may do op at all.
func May(standing Standing, op Op) *Refusal {
	least, ok := Capability(op)
	if !ok {
		return &Refusal{Op: string(op), Reason: ReasonUnknownOp, Detail: "No person may do this."}
	}
	if standing.Rank() < least.Rank() || standing.Rank() == 0 {
		return &Refusal{Op: string(op), Reason: ReasonNotAllowed,
			Detail: "To " + string(op) + " takes the standing of " + article(least) + ", by a live look-up of the permission. Nothing was changed."}
	}
	return nil
}

// Owner returns who owns a document: the creator of its first version; of a
// lesson extracted from a review, the person who approved it, be it in other
// words, which are then its second version. An automatic approval is no
// person's, and a document whose first version is missing or ambiguous belongs
// to nobody, the zero Principal.
func Owner(doc []Version) Principal {
	owner := ownerByVersion(doc, 1)
	if owner.ID <= 0 && reworded(doc) {
		owner = ownerByVersion(doc, 2)
	}
	return owner
}

// reworded says whether the first version is a proposal that nobody confirmed
// as it was: only an approval in other words follows such a one.
func reworded(doc []Version) bool {
	found := false
	for _, v := range doc {
		if v.Number == 1 {
			if v.Source != ChatExtracted || v.Approved != "" {
				return false
			}
			found = true
		}
	}
	return found
}

func ownerByVersion(doc []Version, number int) Principal {
	var owner Principal
	seen := false
	for _, v := range doc {
		if v.Number != number {
			continue
		}
		of := versionOwner(v)
		if seen && of.ID != owner.ID {
			return Principal{}
		}
		owner, seen = of, true
	}
	if owner.ID <= 0 {
		return Principal{}
	}
	return owner
}

func versionOwner(v Version) Principal {
	switch {
	case v.Source != ChatExtracted:
		return v.Creator
	case v.Approved == ApprovedConfirmed:
		return v.ConfirmedBy
	}
	return Principal{}
}

// Owns says whether p owns the document. An id of 0 owns nothing, and logins
// are not compared.
func Owns(p Principal, doc []Version) bool {
	return p.ID > 0 && Owner(doc).ID == p.ID
}

// MayTouch is the one answer on who may do op to a document that exists:
// capability first, then whether there is such a document, then whose it is.
func MayTouch(op Op, p Principal, standing Standing, doc []Version) *Refusal {
	if refusal := May(standing, op); refusal != nil {
		return refusal.For(string(op), documentOf(doc))
	}
	if len(doc) == 0 {
		return unknownID().For(string(op), "")
	}
	if NeedsOwner(op) && !Owns(p, doc) {
		return notYours(op, p, doc)
	}
	return nil
}

// MayForget says whether p may forget the document (attack A102).
func MayForget(p Principal, standing Standing, doc []Version) *Refusal {
	return MayTouch(OpForget, p, standing, doc)
}

// maxReached bounds how many versions a refusal of MayReach names.
const maxReached = 5

// MayReach says whether an erasure by p may take copies: versions of other
// documents, given in docs, that say the same (page 4.3, decision 0016). p's
// own go, and so does what a runtime said and nobody ever made a lesson; an
// admin's redact takes all. Otherwise the whole erasure is refused.
func MayReach(op Op, p Principal, copies []Version, docs [][]Version) *Refusal {
	if op == OpRedact {
		return nil
	}
	var others []string
	for _, v := range copies {
		i := slices.IndexFunc(docs, func(doc []Version) bool { return documentOf(doc) == v.DocumentID })
		if i >= 0 && (Owns(p, docs[i]) || unheard(v) && Owner(docs[i]).ID <= 0) {
			continue
		}
		whose := "nobody"
		if i >= 0 {
			whose = whoOwns(docs[i])
		}
		others = append(others, v.ID()+" ("+whose+")")
	}
	if len(others) == 0 {
		return nil
	}
	named := strings.Join(others[:min(len(others), maxReached)], ", ")
	if more := len(others) - maxReached; more > 0 {
		named += " and " + strconv.Itoa(more) + " more"
	}
	return &Refusal{Op: string(op), Reason: ReasonNotYours,
		Detail: "The same words stand in " + named + ", and nobody's words go with somebody else's. Agree with whoever said them, then an admin may redact them; or retire this lesson, which keeps the text. Nothing was changed."}
}

// unheard says whether a version is a runtime's proposal that was never in use.
func unheard(v Version) bool {
	return v.Source == ChatExtracted && v.Approved == "" && v.ConfirmedAt.IsZero()
}

// MayPurge says whether p may purge the document, and whether its versions
// allow it (attack A103).
func MayPurge(p Principal, standing Standing, doc []Version) *Refusal {
	if refusal := MayTouch(OpPurge, p, standing, doc); refusal != nil {
		return refusal
	}
	return Purge(doc)
}

// MayReclass says whether p may give the document another retention class.
// It takes its owner, so that the author of a later version cannot pin it;
// and to lower a durable one takes what purge takes (page 4.2).
func MayReclass(p Principal, standing Standing, doc []Version, to Class) *Refusal {
	if refusal := MayKeep(p, standing, doc); refusal != nil {
		return refusal
	}
	if _, err := ParseClass(string(to)); err != nil {
		return &Refusal{Op: string(OpKeep), Target: documentOf(doc), Reason: ReasonClassInvalid,
			Detail: "A class is durable, standard, ephemeral or source_only."}
	}
	if !Owns(p, doc) {
		return notYours(OpKeep, p, doc)
	}
	for _, v := range doc {
		if v.State.Erased() {
			continue
		}
		if v.Class == Durable && to != Durable {
			return May(standing, OpPurge).For(string(OpKeep), documentOf(doc))
		}
	}
	return nil
}

// MayKeep says whether p may renew the document: any maintainer may, as long
// as a version of it is in use.
func MayKeep(p Principal, standing Standing, doc []Version) *Refusal {
	if refusal := MayTouch(OpKeep, p, standing, doc); refusal != nil {
		return refusal
	}
	refusal := wrongState(doc[len(doc)-1].State, "cannot be kept; only what is in use can")
	for _, v := range doc {
		if v.State == Active {
			return nil
		}
	}
	return refusal.For(string(OpKeep), documentOf(doc))
}

// MayEnd says whether p may give the document another end, now being the
// time: its owner may, and no end lies in the past.
func MayEnd(p Principal, standing Standing, doc []Version, until, now time.Time) *Refusal {
	if refusal := MayKeep(p, standing, doc); refusal != nil {
		return refusal
	}
	if !Owns(p, doc) {
		return notYours(OpKeep, p, doc)
	}
	if !until.IsZero() && !until.After(now) {
		return &Refusal{Op: string(OpKeep), Target: documentOf(doc), Reason: ReasonContentInvalid,
			Detail: "That end has passed; name a later day, or retire the lesson. Nothing was changed."}
	}
	if until.UnixMilli() > LastTime {
		return &Refusal{Op: string(OpKeep), Target: documentOf(doc), Reason: ReasonContentInvalid,
			Detail: "That end is too far off: the last day that can be named is " + LastDay + ". Name an earlier one, or none. Nothing was changed."}
	}
	return nil
}

// notYours says whose a document is. A name that only looks like the owner's is
// pointed out: a reader takes one for the other (issue 6).
func notYours(op Op, p Principal, doc []Version) *Refusal {
	whose := whoOwns(doc)
	if Owner(doc).ID <= 0 {
		whose += ", since who taught it is not known"
	}
	if looksLike(p, Owner(doc)) {
		whose += ", whose name " + p.Login + " only looks like"
	}
	return &Refusal{Op: string(op), Target: documentOf(doc), Reason: ReasonNotYours,
		Detail: "This lesson belongs to " + whose + ". Any maintainer may retire it; an admin may revoke or redact it. Nothing was changed."}
}

// looksLike says whether two accounts have names that a reader takes for one.
func looksLike(a, b Principal) bool {
	return a.ID != b.ID && a.Login != "" && b.Login != "" && text.LooksLike(a.Login, b.Login)
}

// whoOwns names the owner of a document.
func whoOwns(doc []Version) string {
	switch owner := Owner(doc); {
	case owner.ID <= 0:
		return "nobody"
	case owner.Login == "":
		return "the account with the id " + strconv.FormatInt(owner.ID, 10)
	default:
		return owner.Login
	}
}

func documentOf(doc []Version) string {
	if len(doc) == 0 {
		return ""
	}
	return doc[0].DocumentID
}

func article(s Standing) string {
	if s == StandingAdmin {
		return "an admin"
	}
	return "a " + string(s)
}
