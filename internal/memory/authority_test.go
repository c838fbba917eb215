package memory

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var (
	ada   = Principal{ID: 1, Login: "ada"}
	hubot = Principal{ID: 2, Login: "hubot"}
)

// document is a lesson of ada's with a later version by hubot.
func document() []Version {
	return []Version{
		{DocumentID: "m-7f3k2q8a", Number: 1, Text: "use UTC", Source: UserAuthored, State: Superseded, Class: Standard, Creator: ada},
		{DocumentID: "m-7f3k2q8a", Number: 2, Text: "use UTC in logs", Source: UserAuthored, State: Active, Class: Standard, Creator: hubot},
	}
}

func TestCapabilitiesAreThoseOfPage43(t *testing.T) {
	table := map[Standing][]Op{
		StandingCollaborator: {OpRead},
		StandingMaintainer:   {OpRemember, OpEdit, OpApprove, OpReject, OpFeedback, OpForget, OpRetire, OpKeep, OpImport, OpAccept, OpDismiss, OpCorrect},
		StandingAdmin:        {OpPurge, OpRevoke, OpUnrevoke, OpRedact, OpExport, OpSnapshot, OpRestore, OpRecover, OpUninstall},
	}
	for least, ops := range table {
		for _, op := range ops {
			for _, standing := range append(Standings(), "", "owner") {
				refusal := May(standing, op)
				if want := standing.Rank() >= least.Rank(); (refusal == nil) != want {
					t.Errorf("%q doing %s: %+v", standing, op, refusal)
				}
				if refusal != nil && (refusal.Reason != ReasonNotAllowed || !strings.Contains(refusal.Detail, string(least))) {
					t.Errorf("%q doing %s: %+v does not name %s", standing, op, refusal, least)
				}
			}
		}
	}
}

func TestNoStandingMayProposeOrDoWhatIsUnknown(t *testing.T) {
	for _, op := range []Op{OpPropose, "", "drop"} {
		if refusal := May(StandingAdmin, op); refusal == nil || refusal.Reason != ReasonUnknownOp {
			t.Errorf("%q: %+v", op, refusal)
		}
	}
}

func TestADocumentBelongsToTheCreatorOfItsFirstVersion(t *testing.T) {
	extracted := Version{Number: 1, Source: ChatExtracted, Creator: hubot, ConfirmedBy: ada, Approved: ApprovedConfirmed}
	automatic := extracted
	automatic.Approved = ApprovedAuto
	pending := extracted
	pending.Approved, pending.ConfirmedBy = "", Principal{}
	inOtherWords := Version{Number: 2, Source: UserAuthored, Creator: ada}
	twice := inOtherWords
	twice.Creator = hubot
	shuffled := document()
	shuffled[0], shuffled[1] = shuffled[1], shuffled[0]
	conflicting := append(document(), Version{Number: 1, Source: UserAuthored, Creator: hubot})
	nameless := document()
	nameless[0].Creator = Principal{Login: "ada"}
	for _, tc := range []struct {
		about string
		doc   []Version
		want  int64
	}{
		{"the first version's creator", document(), 1},
		{"in whatever order the versions come", shuffled, 1},
		{"an extracted lesson is its approver's", []Version{extracted}, 1},
		{"an automatic approval is nobody's", []Version{automatic}, 0},
		{"a pending proposal is nobody's", []Version{pending}, 0},
		{"a proposal approved in other words is its approver's", []Version{pending, inOtherWords}, 1},
		{"approved in other words by two people at once, nobody's", []Version{pending, inOtherWords, twice}, 0},
		{"an automatic approval is nobody's, whoever wrote after it", []Version{automatic, inOtherWords}, 0},
		{"a first version by nobody is nobody's, whoever wrote after it", []Version{{Number: 1, Source: UserAuthored}, inOtherWords}, 0},
		{"two first versions of two people are nobody's", conflicting, 0},
		{"without its first version it is nobody's", document()[1:], 0},
		{"an id of 0 is nobody", nameless, 0},
		{"no document", nil, 0},
	} {
		if got := Owner(tc.doc); got.ID != tc.want {
			t.Errorf("%s: %+v", tc.about, got)
		}
		if Owns(Principal{}, tc.doc) || Owns(Principal{Login: "ada"}, tc.doc) {
			t.Errorf("%s: an id of 0 owns it", tc.about)
		}
	}
}

func TestALoginTakenOverByAnotherAccountOwnsNothing(t *testing.T) {
	if Owns(Principal{ID: 99, Login: "ada"}, document()) {
		t.Error("ownership went by the login")
	}
	if !Owns(Principal{ID: 1, Login: "ada-renamed"}, document()) {
		t.Error("a renamed account lost its lesson")
	}
}

func TestForgetByAMaintainerWhoDoesNotOwnTheLesson(t *testing.T) {
	t.Run("A102: it is refused, and says whose it is and what is left to do", testA102)
}

func testA102(t *testing.T) {
	refusal := MayForget(hubot, StandingAdmin, document())
	if refusal == nil || refusal.Reason != ReasonNotYours || refusal.Target != "m-7f3k2q8a" || refusal.Op != "forget" {
		t.Fatalf("%+v", refusal)
	}
	want := "This lesson belongs to ada. Any maintainer may retire it; an admin may revoke or redact it. Nothing was changed."
	if refusal.Detail != want {
		t.Errorf("%q", refusal.Detail)
	}
	if refusal := MayForget(ada, StandingMaintainer, document()); refusal != nil {
		t.Errorf("the owner: %+v", refusal)
	}
	for op, standing := range map[Op]Standing{OpRetire: StandingMaintainer, OpRevoke: StandingAdmin, OpRedact: StandingAdmin} {
		if refusal := MayTouch(op, hubot, standing, document()); refusal != nil {
			t.Errorf("%s by %s: %+v", op, standing, refusal)
		}
	}
}

func TestOwnershipNeverReplacesTheCapability(t *testing.T) {
	for _, op := range []Op{OpForget, OpEdit} {
		if refusal := MayTouch(op, ada, StandingCollaborator, document()); refusal == nil || refusal.Reason != ReasonNotAllowed {
			t.Errorf("%s: %+v", op, refusal)
		}
	}
	if refusal := MayPurge(ada, StandingMaintainer, document()); refusal == nil || refusal.Reason != ReasonNotAllowed {
		t.Errorf("purge: %+v", refusal)
	}
}

func TestARefusalTellsAnUnknownIDFromAnothersLesson(t *testing.T) {
	if refusal := MayForget(ada, StandingMaintainer, nil); refusal == nil || refusal.Reason != ReasonUnknownID {
		t.Errorf("%+v", refusal)
	}
	ownerless := document()
	ownerless[0].Creator = Principal{}
	refusal := MayForget(ada, StandingMaintainer, ownerless)
	if refusal == nil || refusal.Reason != ReasonNotYours || !strings.Contains(refusal.Detail, "belongs to nobody") {
		t.Errorf("%+v", refusal)
	}
	loginless := document()
	loginless[0].Creator.Login = ""
	if refusal := MayForget(hubot, StandingMaintainer, loginless); !strings.Contains(refusal.Detail, "the account with the id 1") {
		t.Errorf("%+v", refusal)
	}
}

func TestPurgeOfADurableLessonThatIsNotForgotten(t *testing.T) {
	t.Run("A103: it is refused with the reason", testA103)
}

func testA103(t *testing.T) {
	doc := document()
	doc[0].Class = Durable
	refusal := MayPurge(ada, StandingAdmin, doc)
	if refusal == nil || refusal.Reason != ReasonDurableKept || refusal.Target != "m-7f3k2q8a" ||
		refusal.Detail != "m-7f3k2q8a@1 is durable and still has its text; forget it first, then purge. Nothing was purged." {
		t.Fatalf("%+v", refusal)
	}
	doc[0].State = Tombstoned
	if refusal := MayPurge(ada, StandingAdmin, doc); refusal != nil {
		t.Errorf("after forget: %+v", refusal)
	}
	if refusal := MayPurge(hubot, StandingAdmin, doc); refusal == nil || refusal.Reason != ReasonNotYours {
		t.Errorf("by another: %+v", refusal)
	}
	if refusal := Purge(nil); refusal == nil || refusal.Reason != ReasonUnknownID {
		t.Errorf("of nothing: %+v", refusal)
	}
}

func TestWeaknessTheAuthorOfALaterVersionCannotPinTheDocument(t *testing.T) {
	refusal := MayReclass(hubot, StandingAdmin, document(), Durable)
	if refusal == nil || refusal.Reason != ReasonNotYours || refusal.Op != "keep" {
		t.Errorf("%+v", refusal)
	}
	if refusal := MayReclass(ada, StandingMaintainer, document(), Durable); refusal != nil {
		t.Errorf("the owner: %+v", refusal)
	}
}

func TestWhoMayKeep(t *testing.T) {
	forgotten := document()
	forgotten[0].State, forgotten[1].State = Tombstoned, Tombstoned
	tomorrow := sweepNow.AddDate(0, 0, 1)
	for about, c := range map[string]struct {
		got    *Refusal
		reason Reason
		says   string
	}{
		"any maintainer renews":                        {MayKeep(hubot, StandingMaintainer, document()), "", ""},
		"a collaborator does not":                      {MayKeep(ada, StandingCollaborator, document()), ReasonNotAllowed, "a maintainer"},
		"nobody keeps what is gone":                    {MayKeep(ada, StandingAdmin, nil), ReasonUnknownID, "list shows"},
		"weakness: what was forgotten is not kept":     {MayKeep(ada, StandingAdmin, forgotten), ReasonWrongState, "tombstoned cannot be kept"},
		"weakness: nor given another class":            {MayReclass(ada, StandingAdmin, forgotten, Durable), ReasonWrongState, "tombstoned cannot be kept"},
		"the owner sets an end":                        {MayEnd(ada, StandingMaintainer, document(), tomorrow, sweepNow), "", ""},
		"or takes it away":                             {MayEnd(ada, StandingMaintainer, document(), time.Time{}, sweepNow), "", ""},
		"another maintainer does not":                  {MayEnd(hubot, StandingAdmin, document(), tomorrow, sweepNow), ReasonNotYours, "belongs to ada"},
		"and no end lies in the past or at the moment": {MayEnd(ada, StandingMaintainer, document(), sweepNow, sweepNow), ReasonContentInvalid, "name a later day"},
		"nor is there one for what was forgotten":      {MayEnd(ada, StandingMaintainer, forgotten, tomorrow, sweepNow), ReasonWrongState, "cannot be kept"},
	} {
		if c.reason == "" && c.got != nil || c.reason != "" && (c.got == nil || c.got.Reason != c.reason || !strings.Contains(c.got.Detail, c.says) || c.got.Op != "keep") {
			t.Errorf("%s: %+v", about, c.got)
		}
	}
}

func TestLoweringADurableLessonTakesWhatPurgeTakes(t *testing.T) {
	doc := document()
	doc[1].Class = Durable
	if refusal := MayReclass(ada, StandingMaintainer, doc, Ephemeral); refusal == nil || refusal.Reason != ReasonNotAllowed || refusal.Op != "keep" {
		t.Errorf("%+v", refusal)
	}
	for about, refusal := range map[string]*Refusal{
		"by an admin who owns it": MayReclass(ada, StandingAdmin, doc, Ephemeral),
		"to durable again":        MayReclass(ada, StandingMaintainer, doc, Durable),
		"of what is not durable":  MayReclass(ada, StandingMaintainer, document(), Ephemeral),
	} {
		if refusal != nil {
			t.Errorf("%s: %+v", about, refusal)
		}
	}
	if refusal := MayReclass(ada, StandingAdmin, doc, "forever"); refusal == nil || refusal.Reason != ReasonClassInvalid {
		t.Errorf("an unknown class: %+v", refusal)
	}
}

func TestAStateOnlyMovesRightAndLapsedNeverToActive(t *testing.T) {
	for _, from := range append(States(), "", "archived") {
		for _, to := range append(States(), "", "archived") {
			want := from.Rank() > 0 && to.Rank() > from.Rank() && !(from == Lapsed && to == Active)
			refusal := Move(from, to)
			if (refusal == nil) != want {
				t.Errorf("%q -> %q: %+v", from, to, refusal)
			}
			if refusal != nil && refusal.Reason != ReasonWrongState {
				t.Errorf("%q -> %q: %s", from, to, refusal.Reason)
			}
		}
	}
	if got := Move(Tombstoned, Active).Detail; got != "A lesson that is tombstoned cannot become active." {
		t.Errorf("%q", got)
	}
}

func TestEachOperationHasItsPrecondition(t *testing.T) {
	allowed := map[Op]map[State]State{
		OpApprove: {Draft: Active, ReviewRequired: Active},
		OpReject:  {Draft: Rejected, ReviewRequired: Rejected},
		OpForget: {Draft: Tombstoned, ReviewRequired: Tombstoned, Lapsed: Tombstoned, Active: Tombstoned, Superseded: Tombstoned,
			Deprecated: Tombstoned, Rejected: Tombstoned},
		OpRetire: {Active: Deprecated, Superseded: Deprecated},
		OpEdit:   {Active: Superseded},
	}
	allowed[OpRedact] = allowed[OpForget]
	for op, table := range allowed {
		for _, state := range append(States(), "") {
			v := Version{DocumentID: "m-7f3k2q8a", Number: 2, Text: "use UTC", State: state}
			got, refusal := ApplyMove(op, v, TextDigest("use UTC"))
			want, ok := table[state]
			if got != want || (refusal == nil) != ok {
				t.Errorf("%s of %q: %q, %+v", op, state, got, refusal)
			}
			if refusal != nil && (refusal.Reason != ReasonWrongState || refusal.Op != string(op) || refusal.Target != "m-7f3k2q8a@2") {
				t.Errorf("%s of %q: %+v", op, state, refusal)
			}
		}
	}
	for _, op := range []Op{OpRemember, OpPropose, OpPurge, OpKeep, ""} {
		if _, refusal := ApplyMove(op, Version{State: Active}, ""); refusal == nil || refusal.Reason != ReasonUnknownOp {
			t.Errorf("%q: %+v", op, refusal)
		}
	}
}

func TestAnApprovalCoversExactlyTheTextThatWasShown(t *testing.T) {
	v := Version{DocumentID: "m-7f3k2q8a", Number: 1, Text: "use UTC", State: ReviewRequired}
	for about, digest := range map[string]string{"none": "", "of another text": TextDigest("use local time"), "in capitals": strings.ToUpper(TextDigest("use UTC"))} {
		state, refusal := ApplyMove(OpApprove, v, digest)
		if state != "" || refusal == nil || refusal.Reason != ReasonTextChanged || !strings.HasSuffix(refusal.Detail, "Nothing was approved.") {
			t.Errorf("digest %s: %q, %+v", about, state, refusal)
		}
	}
}

func TestOtherWordsTakeThePlaceOfWhatWaits(t *testing.T) {
	for _, state := range States() {
		v := Version{DocumentID: "m-7f3k2q8a", Number: 1, Text: "use UTC", State: state}
		got, refusal := Reword(v, TextDigest("use UTC"))
		if (got == Superseded) != state.Pending() || (refusal == nil) != state.Pending() {
			t.Errorf("%s: %q, %+v", state, got, refusal)
		}
		if refusal != nil && (refusal.Reason != ReasonWrongState || refusal.Target != "m-7f3k2q8a@1" || refusal.Op != "approve") {
			t.Errorf("%s: %+v", state, refusal)
		}
		if _, refusal := Reword(v, TextDigest("use local time")); refusal == nil {
			t.Errorf("%s: other words were taken for a text that was not shown", state)
		}
	}
}

func TestPropertyNobodyTouchesWhatTheyDoNotOwn(t *testing.T) {
	principal := rapid.Custom(func(t *rapid.T) Principal { return Principal{ID: rapid.Int64Range(-1, 3).Draw(t, "id"), Login: "x"} })
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 4).Draw(t, "versions")
		var doc []Version
		for i := range n {
			doc = append(doc, Version{DocumentID: "m-7f3k2q8a", Number: i + 1, Source: UserAuthored, State: Active, Class: Standard,
				Creator: principal.Draw(t, "creator"), CreatedAt: time.Unix(int64(i), 0)})
		}
		who := principal.Draw(t, "who")
		standing := rapid.SampledFrom(append(Standings(), "")).Draw(t, "standing")
		op := rapid.SampledFrom([]Op{OpForget, OpPurge, OpEdit}).Draw(t, "op")
		if MayTouch(op, who, standing, doc) != nil {
			return
		}
		if n == 0 || who.ID <= 0 || doc[0].Creator.ID != who.ID || standing.Rank() < StandingMaintainer.Rank() {
			t.Fatalf("%s by %+v (%s) of %+v", op, who, standing, doc)
		}
	})
}
