package vault

import (
	stdzip "archive/zip"
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"strings"
	"testing"
)

func TestEveryZipProgramReadsAContainer(t *testing.T) {
	zip, m := seal(t, keysOf(t, "ada"))
	r, err := stdzip.NewReader(bytes.NewReader(zip), int64(len(zip)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range r.File {
		names = append(names, f.Name)
		if !f.Mode().IsRegular() || f.Mode().Perm() != 0o600 || f.Method != stdzip.Store {
			t.Errorf("%s: mode %v, method %d", f.Name, f.Mode(), f.Method)
		}
		c, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(c)
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "memory.sealed" && blob(data) != m.Sealed {
			t.Error("memory.sealed holds other bytes than the manifest says")
		}
		if f.Name == "manifest.json" && (data[0] != '{' || data[len(data)-1] != '\n') {
			t.Errorf("manifest.json is %q", data)
		}
	}
	if strings.Join(names, " ") != "memory.sealed manifest.json" {
		t.Errorf("members %v", names)
	}
}

// raw is one member of a hostile zip; nil fields are as they should be.
type raw struct {
	name       string
	data       []byte
	change     func(local, central []byte) // bytes of both headers, names included
	extraLocal []byte
	extra      []byte
	comment    []byte
}

// hostile writes a zip in which everything may be wrong that a case wants
// wrong.
type hostile struct {
	members                 []raw
	before, between, behind []byte
	afterDirectory          []byte
	after                   []byte
	end                     func(end []byte)
}

func (h hostile) bytes() []byte {
	out := append([]byte{}, h.before...)
	var directory []byte
	for i, r := range h.members {
		if i > 0 {
			out = append(out, h.between...)
		}
		m := newMember(r.name, len(out), r.data)
		local, central := m.local(), m.central()
		binary.LittleEndian.PutUint16(local[28:], uint16(len(r.extraLocal)))
		binary.LittleEndian.PutUint16(central[30:], uint16(len(r.extra)))
		binary.LittleEndian.PutUint16(central[32:], uint16(len(r.comment)))
		if r.change != nil {
			r.change(local, central)
		}
		out = append(append(append(out, local...), r.extraLocal...), r.data...)
		directory = append(append(append(directory, central...), r.extra...), r.comment...)
	}
	out = append(out, h.behind...)
	end := make([]byte, endSize)
	binary.LittleEndian.PutUint32(end, endSignature)
	binary.LittleEndian.PutUint16(end[8:], uint16(len(h.members)))
	binary.LittleEndian.PutUint16(end[10:], uint16(len(h.members)))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(directory)))
	binary.LittleEndian.PutUint32(end[16:], uint32(len(out)))
	if h.end != nil {
		h.end(end)
	}
	return append(append(append(append(out, directory...), h.afterDirectory...), end...), h.after...)
}

// sound is the zip of a container, to be spoilt.
func sound(t testing.TB) hostile {
	t.Helper()
	zip, _ := seal(t, keysOf(t, "ada"))
	sealed, manifest := split(t, zip)
	return hostile{members: []raw{{name: sealedName, data: sealed}, {name: manifestName, data: manifest}}}
}

func TestTheHostileWriterIsRightWhenNothingIsSpoilt(t *testing.T) {
	if _, err := Open(sound(t).bytes(), keysOf(t, "ada"), expected()); err != nil {
		t.Fatal(err)
	}
}

// put16 and put32 set a number in both headers; the offsets are those of the
// local one, since the central one has two bytes more in front.
func put16(at int, v uint16) func(local, central []byte) {
	return func(local, central []byte) {
		binary.LittleEndian.PutUint16(local[at:], v)
		binary.LittleEndian.PutUint16(central[at+2:], v)
	}
}

func put32(at int, v uint32) func(local, central []byte) {
	return func(local, central []byte) {
		binary.LittleEndian.PutUint32(local[at:], v)
		binary.LittleEndian.PutUint32(central[at+2:], v)
	}
}

func mode(bits uint32) func(local, central []byte) {
	return func(_, central []byte) { binary.LittleEndian.PutUint32(central[38:], bits) }
}

type zipCase struct {
	spoil func(h *hostile)
	kind  Kind
	words string
}

func extraMember(name string) func(*hostile) {
	return func(h *hostile) { h.members = append(h.members, raw{name: name, data: []byte("x")}) }
}

func renamed(i int, name string) func(*hostile) {
	return func(h *hostile) { h.members[i].name = name }
}

func changed(i int, change func(local, central []byte)) func(*hostile) {
	return func(h *hostile) { h.members[i].change = change }
}

func runZipCases(t *testing.T, cases map[string]zipCase) {
	t.Helper()
	keys := poisoned(t, keysOf(t, "ada"))
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := sound(t)
			c.spoil(&h)
			zip := h.bytes()
			_, err := Open(zip, keys, expected())
			wantKind(t, err, c.kind, c.words)
			_, err = ReadManifest(zip)
			wantKind(t, err, c.kind, c.words)
			for _, m := range h.members {
				if len(m.name) > 3 && m.name != sealedName && m.name != manifestName && strings.Contains(err.Error(), m.name) {
					t.Errorf("%q repeats the foreign name %q", err, m.name)
				}
			}
		})
	}
}

func TestA12AForeignNameRefusesTheWholeZip(t *testing.T) {
	runZipCases(t, map[string]zipCase{
		"climbing":                           {extraMember("../evil"), ForeignMember, "leaves the folder"},
		"climbing to one of ours":            {extraMember("../manifest.json"), ForeignMember, "leaves the folder"},
		"climbing in the middle":             {extraMember("a/../../b"), ForeignMember, "leaves the folder"},
		"climbing at the end":                {extraMember("a/.."), ForeignMember, "leaves the folder"},
		"climbing instead of one of ours":    {renamed(0, "../memory.sealed"), ForeignMember, "member 1 leaves the folder"},
		"absolute":                           {extraMember("/etc/passwd"), ForeignMember, "absolute path"},
		"a Windows drive":                    {extraMember("C:evil"), ForeignMember, "a backslash or a colon"},
		"an alternate stream":                {extraMember("manifest.json:x"), ForeignMember, "a backslash or a colon"},
		"a backslash":                        {extraMember(`..\evil`), ForeignMember, "a backslash or a colon"},
		"no name":                            {extraMember(""), ForeignMember, "has no name"},
		"a zero byte":                        {extraMember("manifest.json\x00.txt"), ForeignMember, "zero byte"},
		"a folder":                           {extraMember("folder/"), ForeignMember, "neither"},
		"a duplicate of the manifest":        {extraMember(manifestName), ForeignMember, "member 3 repeats the name"},
		"a duplicate of the sealed":          {extraMember(sealedName), ForeignMember, "member 3 repeats the name"},
		"the same name twice and no other":   {renamed(1, sealedName), ForeignMember, "member 2 repeats the name"},
		"another case":                       {extraMember("Manifest.JSON"), ForeignMember, "some systems take for"},
		"another case instead of ours":       {renamed(1, "MANIFEST.json"), ForeignMember, "member 2 has a name that some systems"},
		"another Unicode form":               {extraMember("manifest.ｊson"), ForeignMember, "some systems take for"},
		"a long s, which folds to s":         {extraMember("memory.ſealed"), ForeignMember, "some systems take for"},
		"a dot behind":                       {extraMember("manifest.json."), ForeignMember, "some systems take for"},
		"a space behind":                     {extraMember("memory.sealed "), ForeignMember, "some systems take for"},
		"ours in a folder":                   {extraMember("x/manifest.json"), ForeignMember, "some systems take for"},
		"ours with a dot folder":             {renamed(1, "./manifest.json"), ForeignMember, "some systems take for"},
		"a name that is markup":              {extraMember("<img src=x> @octocat"), ForeignMember, "neither"},
		"a name that is no UTF-8":            {extraMember("\xff\xfe"), ForeignMember, "neither"},
		"a very long name":                   {extraMember(strings.Repeat("a", 60000)), ForeignMember, "neither"},
		"a database beside the sealed":       {extraMember("memory.db"), ForeignMember, "neither"},
		"a name composed and one not":        {func(h *hostile) { extraMember("mémory")(h); extraMember("mémory")(h) }, ForeignMember, "neither"},
		"ten thousand members":               {func(h *hostile) { h.members = append(h.members, make([]raw, 9998)...) }, ForeignMember, "has no name"},
		"a good zip with a foreign member 1": {func(h *hostile) { h.members = append([]raw{{name: "a", data: []byte("x")}}, h.members...) }, ForeignMember, "member 1 is neither"},
	})
}

func TestA14ADatabaseSidecarRefusesTheWholeZip(t *testing.T) {
	cases := map[string]zipCase{}
	for _, name := range []string{
		"memory.db-wal", "memory.db-journal", "memory.db-shm", "memory.sealed-wal", "memory.sealed-journal",
		"manifest.json-wal", "MEMORY.DB-WAL", "folder/memory.db-journal", "-wal",
	} {
		cases[name] = zipCase{extraMember(name), ForeignMember, "member 3 is a sidecar of a database"}
	}
	runZipCases(t, cases)
}

func TestA12AMemberThatIsNoPlainFileRefusesTheWholeZip(t *testing.T) {
	cases := map[string]zipCase{
		"a symbolic link":      {changed(0, mode(0o120777<<16)), BadZip, "member 1 is a symbolic link"},
		"the manifest a link":  {changed(1, mode(0o120777<<16)), BadZip, "member 2 is a symbolic link"},
		"a folder of Unix":     {changed(0, mode(0o040755<<16)), BadZip, "is a folder"},
		"a folder of Windows":  {changed(0, mode(0o100600<<16|0x10)), BadZip, "is a folder"},
		"a pipe":               {changed(0, mode(0o010600<<16)), BadZip, "not a regular file"},
		"a device":             {changed(0, mode(0o020600<<16)), BadZip, "not a regular file"},
		"a socket":             {changed(0, mode(0o140600<<16)), BadZip, "not a regular file"},
		"no mode":              {changed(0, mode(0)), BadZip, "not a regular file"},
		"other rights":         {changed(0, mode(0o104755<<16)), BadZip, "differs from the one that belongs"},
		"two names, one place": {func(h *hostile) { h.members[1].change = func(_, c []byte) { binary.LittleEndian.PutUint32(c[42:], 0) } }, BadZip, "overlap"},
	}
	runZipCases(t, cases)
}

func TestA12AHeaderThatLiesRefusesTheWholeZip(t *testing.T) {
	runZipCases(t, map[string]zipCase{
		"encrypted":                     {changed(0, put16(6, 1)), BadZip, "encrypted by zip"},
		"strongly encrypted":            {changed(0, put16(6, 0x40)), BadZip, "encrypted by zip"},
		"a masked directory":            {changed(0, put16(6, 0x2000)), BadZip, "encrypted by zip"},
		"a data descriptor":             {changed(1, put16(6, 8)), BadZip, "member 2 leaves its size to a data descriptor"},
		"another flag":                  {changed(0, put16(6, 0x800)), BadZip, "has flags"},
		"deflated":                      {changed(0, put16(8, 8)), BadZip, "compressed by zip"},
		"compressed by zstd":            {changed(0, put16(8, 93)), BadZip, "compressed by zip"},
		"an extra field":                {func(h *hostile) { h.members[0].extra = make([]byte, 8) }, BadZip, "has an extra field"},
		"an extra field, local alone":   {func(h *hostile) { h.members[0].extraLocal = make([]byte, 8) }, BadZip, "header of member 1 differs"},
		"a comment":                     {func(h *hostile) { h.members[1].comment = []byte("hello") }, BadZip, "member 2 has a comment"},
		"another disk":                  {changed(0, func(_, c []byte) { c[34] = 1 }), BadZip, "another disk"},
		"zip64 in a size":               {changed(0, put32(22, 0xffffffff)), BadZip, "zip64"},
		"zip64 in a stored size":        {changed(0, put32(18, 0xffffffff)), BadZip, "zip64"},
		"zip64 in an offset":            {changed(0, func(_, c []byte) { binary.LittleEndian.PutUint32(c[42:], 0xffffffff) }), BadZip, "zip64"},
		"a size above the stored one":   {changed(0, put32(22, 1<<30)), BadZip, "declares two sizes"},
		"both sizes above what is here": {changed(1, func(l, c []byte) { put32(18, 1<<30)(l, c); put32(22, 1<<30)(l, c) }), BadZip, "member 2 declares more bytes"},
		"both sizes of 4 GiB less two":  {changed(1, func(l, c []byte) { put32(18, 0xfffffffe)(l, c); put32(22, 0xfffffffe)(l, c) }), BadZip, "declares more bytes"},
		"both sizes below what is here": {changed(0, func(l, c []byte) { put32(18, 5)(l, c); put32(22, 5)(l, c) }), BadZip, "checksum"},
		"a size of 0":                   {changed(1, func(l, c []byte) { put32(18, 0)(l, c); put32(22, 0)(l, c) }), BadZip, "member 2"},
		"two sizes, local alone":        {changed(0, func(l, _ []byte) { l[18]++ }), BadZip, "header of member 1 differs"},
		"another name, local alone":     {changed(0, func(l, _ []byte) { l[localSize]++ }), BadZip, "header of member 1 differs"},
		"another method, local alone":   {changed(1, func(l, _ []byte) { l[8] = 8 }), BadZip, "header of member 2 differs"},
		"another flag, local alone":     {changed(1, func(l, _ []byte) { l[6] = 8 }), BadZip, "header of member 2 differs"},
		"a wrong checksum":              {changed(0, func(l, c []byte) { l[14]++; c[16]++ }), BadZip, "member 1 does not have its checksum"},
		"a wrong checksum, one side":    {changed(0, func(_, c []byte) { c[16]++ }), BadZip, "header of member 1 differs"},
		"another date":                  {changed(0, put16(12, 0x5a21)), BadZip, "header of member 1 differs"},
		"a time in the directory alone": {changed(0, func(_, c []byte) { c[12] = 1 }), BadZip, "differs from the one that belongs"},
		"another version needed":        {changed(0, put16(4, 45)), BadZip, "header of member 1 differs"},
		"made on another system":        {changed(0, func(_, c []byte) { c[5] = 10 }), BadZip, "differs from the one that belongs"},
		"text attributes":               {changed(0, func(_, c []byte) { c[36] = 1 }), BadZip, "differs from the one that belongs"},
		"no local signature":            {changed(0, func(l, _ []byte) { l[0] = 'Q' }), BadZip, "header of member 1 differs"},
		"no directory signature":        {changed(1, func(_, c []byte) { c[0] = 'Q' }), BadZip, "cut at member 2"},
		"a name beyond the directory":   {changed(1, func(_, c []byte) { c[28] = 255 }), BadZip, "cut at member 2"},
	})
}

func TestA12DataAroundTheMembersRefusesTheWholeZip(t *testing.T) {
	junk := []byte("junk")
	prefix := func(h *hostile) { h.before = junk }
	runZipCases(t, map[string]zipCase{
		"before the first":               {prefix, BadZip, "other data before member 1"},
		"between":                        {func(h *hostile) { h.between = junk }, BadZip, "other data before member 2"},
		"behind the last":                {func(h *hostile) { h.behind = junk }, BadZip, "other data behind the members"},
		"behind the directory":           {func(h *hostile) { h.afterDirectory = junk }, BadZip, "right before the end"},
		"behind the end":                 {func(h *hostile) { h.after = junk }, BadZip, "behind the end of the zip"},
		"a comment of the whole":         {func(h *hostile) { h.after = junk; h.end = func(e []byte) { e[20] = 4 } }, BadZip, "behind the end of the zip"},
		"an announced comment":           {func(h *hostile) { h.end = func(e []byte) { e[20] = 4 } }, BadZip, "announces a comment"},
		"another zip behind":             {func(h *hostile) { h.after = sound(t).bytes() }, BadZip, "right before the end"},
		"another zip before":             {func(h *hostile) { h.before = sound(t).bytes() }, BadZip, "other data before member 1"},
		"an end inside an end":           {func(h *hostile) { h.afterDirectory = binary.LittleEndian.AppendUint32(nil, endSignature) }, BadZip, "right before the end"},
		"several disks":                  {func(h *hostile) { h.end = func(e []byte) { e[4] = 1 } }, BadZip, "several disks"},
		"a directory on another disk":    {func(h *hostile) { h.end = func(e []byte) { e[6] = 1 } }, BadZip, "several disks"},
		"zip64 in the count":             {func(h *hostile) { h.end = func(e []byte) { copy(e[8:], "\xff\xff\xff\xff") } }, BadZip, "zip64"},
		"zip64 in the directory's size":  {func(h *hostile) { h.end = func(e []byte) { copy(e[12:], "\xff\xff\xff\xff") } }, BadZip, "zip64"},
		"zip64 in the directory's place": {func(h *hostile) { h.end = func(e []byte) { copy(e[16:], "\xff\xff\xff\xff") } }, BadZip, "zip64"},
		"a zip64 locator":                {func(h *hostile) { h.afterDirectory = append([]byte("PK\x06\x07"), make([]byte, 16)...) }, BadZip, "right before the end"},
		"two counts":                     {func(h *hostile) { h.end = func(e []byte) { e[8] = 1 } }, BadZip, "counts its members in two ways"},
		"a count below":                  {func(h *hostile) { h.end = func(e []byte) { e[8], e[10] = 1, 1 } }, BadZip, "more entries than it counts"},
		"a count above":                  {func(h *hostile) { h.end = func(e []byte) { e[8], e[10] = 3, 3 } }, BadZip, "cut at member 3"},
		"a count of none":                {func(h *hostile) { h.end = func(e []byte) { e[8], e[10] = 0, 0 } }, BadZip, "more entries than it counts"},
		"a directory that starts later":  {func(h *hostile) { h.end = func(e []byte) { e[16]++; e[12]-- } }, BadZip, "cut at member 1"},
		"a directory that starts before": {func(h *hostile) { h.end = func(e []byte) { e[16]--; e[12]++ } }, BadZip, "cut at member 1"},
		"a directory beyond the file":    {func(h *hostile) { h.end = func(e []byte) { e[19] = 0x7f } }, BadZip, "right before the end"},
		"the sealed member alone":        {func(h *hostile) { h.members = h.members[:1] }, BadZip, "manifest.json is missing"},
		"the manifest alone":             {func(h *hostile) { h.members = h.members[1:] }, BadZip, "memory.sealed is missing"},
		"no member":                      {func(h *hostile) { h.members = nil }, BadZip, "memory.sealed is missing"},
		"the other order":                {func(h *hostile) { h.members[0], h.members[1] = h.members[1], h.members[0] }, BadZip, "memory.sealed is missing or not member 1"},
	})
}

func TestBytesThatAreNoZip(t *testing.T) {
	keys := poisoned(t, keysOf(t, "ada"))
	for name, c := range map[string]struct {
		data  []byte
		kind  Kind
		words string
	}{
		"nothing":                {nil, BadZip, "no zip"},
		"one byte":               {[]byte("P"), BadZip, "no zip"},
		"plain text":             {bytes.Repeat([]byte("a lesson\n"), 20), BadZip, "no zip"},
		"an age file":            {aged(t, recipientOf(keysOf(t, "ada")), testDatabase), BadZip, "no zip"},
		"the database itself":    {testDatabase, BadZip, "no zip"},
		"an empty zip":           {append([]byte("PK\x05\x06"), make([]byte, 18)...), BadZip, "memory.sealed is missing"},
		"one byte above the cap": {make([]byte, MaxZip+1), TooLarge, "67108865 bytes, at most 67108864"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(c.data, keys, expected())
			wantKind(t, err, c.kind, c.words)
			_, err = ReadManifest(c.data)
			wantKind(t, err, c.kind, c.words)
		})
	}
}

// TestA12WhatOtherProgramsZipIsRefused: deflated, streamed, with times.
func TestA12WhatOtherProgramsZipIsRefused(t *testing.T) {
	zip, _ := seal(t, keysOf(t, "ada"))
	sealed, manifest := split(t, zip)
	for name, method := range map[string]uint16{"stored": stdzip.Store, "deflated": stdzip.Deflate} {
		var out bytes.Buffer
		w := stdzip.NewWriter(&out)
		for _, m := range []raw{{name: sealedName, data: sealed}, {name: manifestName, data: manifest}} {
			header := &stdzip.FileHeader{Name: m.name, Method: method}
			header.SetMode(0o600)
			f, err := w.CreateHeader(header)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(m.data); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			_, err := Open(out.Bytes(), keysOf(t, "ada"), expected())
			wantKind(t, err, BadZip, "data descriptor")
		})
	}
}

// TestNoByteOfAContainerCanBeChangedAddedOrTaken without a refusal, and the
// key is touched only where the change is in what it sealed... which the
// digest finds before that.
func TestNoByteOfAContainerCanBeChangedAddedOrTaken(t *testing.T) {
	keys := keysOf(t, "ada")
	zip, _ := seal(t, keys)
	never := poisoned(t, keys)
	for i := range zip {
		for _, flip := range []byte{0x01, 0x20, 0x80} {
			changed := append([]byte{}, zip...)
			changed[i] ^= flip
			if _, err := Open(changed, never, expected()); KindOf(err) == "" {
				t.Fatalf("byte %d changed: %v", i, err)
			}
		}
		if _, err := Open(zip[:i], never, expected()); KindOf(err) == "" {
			t.Fatalf("cut to %d bytes: %v", i, err)
		}
		longer := append(append(append([]byte{}, zip[:i]...), zip[i]), zip[i:]...)
		if _, err := Open(longer, never, expected()); KindOf(err) == "" {
			t.Fatalf("byte %d doubled: %v", i, err)
		}
	}
}

func TestTheManifestCapIsCountedInTheZip(t *testing.T) {
	big := bytes.Repeat([]byte(" "), MaxManifest+1)
	_, err := ReadManifest(assemble([]byte("x"), big))
	wantKind(t, err, TooLarge, "65537 bytes, at most 65536")
	_, err = ReadManifest(assemble([]byte("x"), big[1:]))
	wantKind(t, err, BadManifest)
}

func TestTheChecksumIsTheOneOfZip(t *testing.T) {
	if m := newMember("x", 0, []byte("123456789")); m.crc != 0xcbf43926 || m.crc != crc32.ChecksumIEEE(m.data) {
		t.Errorf("%x", m.crc)
	}
}
