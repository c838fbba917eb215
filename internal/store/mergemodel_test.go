package store

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/familiarhq/familiar/internal/memory"
)

// modelReplica is a replica in memory: the same rows that a file has, changed
// by simple forms of the operations of page 4.2. It makes histories of a
// million steps possible; that real stores merge in the same way is shown on
// a share of them by TestRealHistoriesMerge.
type modelReplica struct{ *contents }

// modelEvent is a command that any replica may deal with, at its own time and
// in its own state; two that deal with the same one share its cause.
type modelEvent struct {
	cause  string
	op     memory.Op
	at     int64
	actor  int64
	key    string
	text   string
	paths  string // a list, as a run looked it up
	target string // a document id
	number int64
}

// anew is the event as another run deals with it: at its own clock, for its
// own sender, and with what it looked up itself. The cause is the same.
func (e modelEvent) anew(pick picker) modelEvent {
	e.at += int64(pick(4))*86_400_000 + int64(pick(4000)) - 2000
	if e.op != memory.OpRemember { // what a person says has one author, whoever hears it
		e.actor = int64(11 + pick(2))
	}
	e.paths = []string{"[]", `["a/**"]`, `["b/**"]`}[pick(3)]
	return e
}

var modelSecret = secretKey{id: "0123456789abcdef0123456789abcdef", key: []byte("0123456789abcdef0123456789abcdef")}

func txt(s string) field  { return field{kind: isText, s: s} }
func num(n int64) field   { return field{kind: isInt, i: n} }
func blob(s string) field { return field{kind: isBlob, s: s} }

// raw is a digest as a row has it.
func raw(cause string) string {
	b, err := hex.DecodeString(cause)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func dig(cause string) field { return blob(raw(cause)) }

func newModelReplica() modelReplica {
	c := &contents{storeID: "s", genesis: 1, rows: map[string]map[string]rowOf{}, before: map[string]map[string]rowOf{}}
	for _, t := range tables {
		c.rows[t.name], c.before[t.name] = map[string]rowOf{}, map[string]rowOf{}
	}
	m := modelReplica{c}
	m.put("secrets", txt(modelSecret.id), blob(string(modelSecret.key)))
	return m
}

// clone is what a run would load from this replica's container.
func (m modelReplica) clone() modelReplica {
	c := &contents{storeID: m.storeID, genesis: m.genesis, horizon: m.horizon, rows: map[string]map[string]rowOf{}, before: map[string]map[string]rowOf{}}
	for name, rows := range m.rows {
		c.rows[name], c.before[name] = maps.Clone(rows), map[string]rowOf{}
	}
	return modelReplica{c}
}

func (m modelReplica) put(name string, fields ...field) {
	m.settled = false
	for _, t := range tables {
		if t.name == name {
			m.rows[name][identity(t, fields)] = rowOf{fields: fields}
		}
	}
}

func (m modelReplica) versionsWhere(ok func([]field) bool) [][]field {
	var out [][]field
	for _, r := range m.rows["versions"] {
		if ok(r.fields) {
			out = append(out, r.fields)
		}
	}
	slices.SortFunc(out, func(a, b []field) int { return compareFields(a[verUID], b[verUID]) })
	return out
}

// apply deals with an event once.
func (m modelReplica) apply(e modelEvent) {
	if !m.gone("causes", raw(e.cause)) {
		return
	}
	target, refused := m.perform(e)
	reason := ""
	if refused {
		reason = "refused"
	}
	m.put("causes", num(1), dig(e.cause), txt(string(e.op)), txt(reason), txt(target), num(e.number), num(e.at), txt("issue_comment"), txt(""))
	if e.at >= m.horizon {
		m.put("audit", num(1), dig(memory.NewCause("audit", e.cause, reason)), num(e.at), txt(string(e.op)), txt(reason), txt(target), num(e.actor), txt(""), txt(target))
	}
}

func (m modelReplica) perform(e modelEvent) (target string, refused bool) {
	switch e.op {
	case memory.OpRemember:
		return m.teach(e, memory.Active)
	case memory.OpPropose:
		return m.teach(e, memory.ReviewRequired)
	case memory.OpApprove, memory.OpReject, memory.OpLapse, memory.OpRetire:
		return m.moveAll(e)
	case memory.OpForget, memory.OpRedact, memory.OpFade:
		return m.overwrite(e)
	case memory.OpPurge:
		return m.purge(e)
	case memory.OpKeep, memory.OpAnnounce, memory.OpAccept:
		return m.register(e)
	case memory.OpRevoke:
		m.put("revocations", num(1), dig(e.cause), txt("repo"), txt(e.key), num(e.actor), txt("x"), num(e.at))
	case memory.OpUnrevoke:
		for id := range m.rows["revocations"] {
			m.put("lifts", num(1), blob(id), dig(e.cause), num(e.actor), txt("x"), num(e.at))
		}
	case memory.OpHorizon:
		m.horizon = max(m.horizon, e.at-20*86_400_000)
		if err := m.settleHorizon(nil); err != nil {
			panic(err)
		}
	case memory.OpDismiss:
		m.put("dispositions", num(1), dig(e.cause), txt("f"), txt("dismiss"), txt(""), num(e.number), num(e.actor), txt("x"), num(e.at))
		m.put("spending", num(1), dig(e.cause), txt(dayOf(e.at)), num(e.number))
		m.put("displays", num(1), dig(memory.NewCause("display", e.cause, fmt.Sprint(e.at))), num(e.number), num(7), dig(e.cause), num(e.at), num(0), txt("[]"))
		m.put("registers", num(1), txt("paused"), txt(e.text), num(e.at), dig(e.cause))
	}
	return "", false
}

func dayOf(ms int64) string { return fromMillis(ms).Format("2006-01-02") }

func (m modelReplica) teach(e modelEvent, state memory.State) (string, bool) {
	mac, _ := macOf(modelSecret.key, versionRow(e, "", 0, ""))
	if !m.gone("fingerprints", modelSecret.id+"\x00"+mac+"\x00") && (state != memory.Active || e.number != 1) { // 1: "again: yes"
		return "", true
	}
	document, number := memory.NewDocumentID(1, e.cause, 0), int64(1)
	if state == memory.Active {
		for _, old := range m.versionsWhere(func(f []field) bool {
			return f[verState].s == string(memory.Active) && m.keyOf(f[verDocument].s) == e.key
		}) {
			if old[verCreatorID].i != e.actor {
				return "", true
			}
			document = old[verDocument].s
			m.setState(old, memory.Superseded, e)
		}
	}
	for _, f := range m.versionsWhere(func(f []field) bool { return f[verDocument].s == document }) {
		number = max(number, f[verNumber].i+1)
	}
	if m.gone("documents", document) {
		m.put("documents", num(1), txt(document), txt("repo"), txt(e.key), num(0), txt("standard"), num(e.at), blob(""),
			field{}, num(e.at), blob(""), field{}, blob(""), field{}, blob(""), txt(""))
	}
	f := versionRow(e, document, number, mac)
	f[verState] = txt(string(state))
	if state == memory.Active {
		f = confirmed(f, e)
	}
	m.put("versions", f...)
	return memory.VersionID(document, int(number)), false
}

func versionRow(e modelEvent, document string, number int64, mac string) []field {
	return []field{{}, num(1), txt(document), dig(memory.NewCause("version", e.cause, document)), num(number), num(0), txt(e.text), txt(cmp.Or(e.paths, "[]")), txt("[]"), {}, txt("[]"),
		blob(mac), txt(string(sourceOf(e))), num(e.actor), txt("x"), num(e.at), num(1), num(e.number), txt(""), txt(""), txt(""), txt(""),
		txt("draft"), num(e.at), blob(""), txt(string(e.op)), num(0), txt(""), {}, txt(""), txt(""), txt(""), txt("")}
}

// sourceOf is who speaks in an event: a person, or a runtime.
func sourceOf(e modelEvent) memory.Source {
	if e.op == memory.OpPropose {
		return memory.ChatExtracted
	}
	return memory.UserAuthored
}

func confirmed(f []field, e modelEvent) []field {
	f = slices.Clone(f)
	f[verConfirmedByID], f[verConfirmedAt], f[verConfirmedEvent], f[verApproved] = num(e.actor), num(e.at), txt(e.cause), txt("confirmed")
	return f
}

func (m modelReplica) keyOf(document string) string {
	if m.gone("documents", document) {
		return ""
	}
	return m.rows["documents"][document].fields[docKey].s
}

func (m modelReplica) setState(f []field, to memory.State, e modelEvent) {
	f = slices.Clone(f)
	f[verState], f[verStateAt], f[verStateCause], f[verStateOp] = txt(string(to)), num(e.at), dig(e.cause), txt(string(e.op))
	if e.op == memory.OpApprove && to == memory.Active {
		f = confirmed(f, e)
	}
	m.put("versions", f...)
}

func (m modelReplica) moveAll(e modelEvent) (string, bool) {
	done := false
	for _, f := range m.versionsWhere(func(f []field) bool { return f[verDocument].s == e.target }) {
		state := memory.State(f[verState].s)
		to := map[memory.Op]memory.State{memory.OpApprove: memory.Active, memory.OpReject: memory.Rejected, memory.OpLapse: memory.Lapsed, memory.OpRetire: memory.Deprecated}[e.op]
		if state.Pending() == (e.op != memory.OpRetire) && (state.Pending() || state == memory.Active) && to.Rank() > state.Rank() {
			m.setState(f, to, e)
			done = true
		}
	}
	return e.target, !done
}

func (m modelReplica) overwrite(e modelEvent) (string, bool) {
	going := m.versionsWhere(func(f []field) bool { return f[verDocument].s == e.target && f[verRedacted].i == 0 })
	macs := map[string]bool{}
	for _, f := range going {
		macs[f[verFingerprint].s] = true
	}
	if e.op == memory.OpForget && len(m.versionsWhere(func(f []field) bool {
		return f[verRedacted].i == 0 && macs[f[verFingerprint].s] && f[verSource].s == string(memory.UserAuthored) && f[verCreatorID].i != e.actor
	})) > 0 {
		return e.target, true // somebody else's words
	}
	for _, f := range going {
		m.erase(f[verUID].s, f, num(e.at), dig(e.cause), txt(string(e.op)))
	}
	if e.op != memory.OpFade {
		for _, f := range m.versionsWhere(func(f []field) bool { return macs[f[verFingerprint].s] }) {
			m.erase(f[verUID].s, f, num(e.at), dig(e.cause), txt(string(e.op)))
		}
		whose := e.actor
		if e.op == memory.OpRedact {
			whose = anybody
		}
		for mac := range maps.Clone(macs) {
			macs[string(scopedMAC(modelSecret.key, mac, whose))] = true
		}
		for mac := range macs {
			at := e.at
			if r, known := m.rows["fingerprints"][modelSecret.id+"\x00"+mac+"\x00"]; known {
				at = max(at, r.fields[3].i)
			}
			m.put("fingerprints", num(1), txt(modelSecret.id), blob(mac), num(at))
		}
	}
	if err := m.settleDocuments(nil); err != nil {
		panic(err)
	}
	return e.target, len(going) == 0
}

func (m modelReplica) purge(e modelEvent) (string, bool) {
	if m.gone("documents", e.target) {
		return e.target, true
	}
	m.put("purges", num(1), txt(modelSecret.id), blob(string(purgeMark(modelSecret.key, e.target))), num(e.at))
	return e.target, m.settlePurges([]secretKey{modelSecret}) != nil
}

func (m modelReplica) register(e modelEvent) (string, bool) {
	r, known := m.rows["documents"][e.target]
	if !known {
		return e.target, true
	}
	f := slices.Clone(r.fields)
	later := func(at, cause int) bool { return e.at > f[at].i || e.at == f[at].i && raw(e.cause) > f[cause].s }
	switch {
	case e.op == memory.OpAnnounce && later(docAnnouncedAt, docAnnouncedCause):
		f[docAnnouncedAt], f[docAnnouncedCause] = num(e.at), dig(e.cause)
	case e.op == memory.OpAccept:
		f[docLastUsed] = txt(max(f[docLastUsed].s, dayOf(e.at)))
		m.put("uses", num(1), dig(memory.NewCause("use", e.cause, dayOf(e.at))), txt(e.target), num(1), txt("f"), txt(dayOf(e.at)), num(e.number), txt(""))
	case e.op == memory.OpKeep:
		if later(docClassAt, docClassCause) {
			f[docClass], f[docClassAt], f[docClassCause] = txt([]string{"durable", "ephemeral"}[e.number%2]), num(e.at), dig(e.cause)
		}
		if later(docUntilAt, docUntilCause) {
			f[docUntil], f[docUntilAt], f[docUntilCause] = num(e.at+e.number), num(e.at), dig(e.cause)
		}
		if later(docRenewedAt, docRenewedCause) {
			f[docRenewedAt], f[docRenewedCause] = num(e.at), dig(e.cause)
		}
	}
	m.put("documents", f...)
	return e.target, false
}

// equal says whether two replicas hold the same.
func (m modelReplica) equal(other modelReplica) bool {
	if m.storeID != other.storeID || m.genesis != other.genesis || m.horizon != other.horizon {
		return false
	}
	for name, rows := range m.rows {
		if !maps.EqualFunc(rows, other.rows[name], func(a, b rowOf) bool { return slices.Equal(a.fields, b.fields) }) {
			return false
		}
	}
	return true
}

// spell names the rows that differ between two replicas.
func spell(a, b modelReplica) string {
	out := fmt.Sprintf("horizon %d and %d\n", a.horizon, b.horizon)
	for _, t := range tables {
		for _, id := range sortedKeys(a.rows[t.name]) {
			if !slices.Equal(a.rows[t.name][id].fields, b.rows[t.name][id].fields) {
				out += fmt.Sprintf("%s %.20q\n %v\n %v\n", t.name, id, a.rows[t.name][id].fields, b.rows[t.name][id].fields)
			}
		}
		for _, id := range sortedKeys(b.rows[t.name]) {
			if a.gone(t.name, id) {
				out += fmt.Sprintf("%s %.20q only in the second\n", t.name, hex.EncodeToString([]byte(id)))
			}
		}
	}
	return out
}
