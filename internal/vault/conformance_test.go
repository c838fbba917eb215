package vault

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// conformanceCase is one line of testdata/conformance/<area>.jsonl.
type conformanceCase struct {
	Area, Name string
	Input      json.RawMessage
	Want       json.RawMessage
	Stricter   string
}

// eachCase runs every case of an area and fails if there are not as many as
// want.
func eachCase(t *testing.T, area string, want int, run func(*testing.T, conformanceCase)) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "conformance", area+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		var c conformanceCase
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatalf("%s line %d: %v", area, n+1, err)
		}
		n++
		t.Run(c.Name, func(t *testing.T) { run(t, c) })
	}
	if n != want {
		t.Errorf("%s has %d cases, want %d", area, n, want)
	}
}

func into[T any](t *testing.T, raw json.RawMessage) T {
	t.Helper()
	var v T
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

type verdict struct {
	Kind Kind
	Says string
}

func wantVerdict(t *testing.T, want json.RawMessage, zip []byte) {
	t.Helper()
	v := into[verdict](t, want)
	_, err := Open(zip, keysOf(t, "ada"), expected())
	if v.Kind == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	wantKind(t, err, v.Kind, v.Says)
}

func TestConformanceArchive(t *testing.T) {
	eachCase(t, "archive", 17, func(t *testing.T, c conformanceCase) {
		in := into[struct {
			Members       int
			Names         []string
			Entry, Bytes  string
			DatabaseBytes int `json:"database_bytes"`
		}](t, c.Input)
		wantVerdict(t, c.Want, archiveOf(t, in.Members, in.Names, in.Entry, in.Bytes, in.DatabaseBytes))
	})
}

func archiveOf(t *testing.T, members int, names []string, entry, text string, database int) []byte {
	t.Helper()
	h := sound(t)
	switch {
	case members > 0:
		for i := 2; i < members; i++ {
			h.members = append(h.members, raw{name: strconv.Itoa(i), data: []byte("x")})
		}
	case names != nil:
		return withNames(t, names)
	case entry == "symlink":
		h.members[0].change = mode(0o120777 << 16)
	case entry == "second name for one place":
		h.members[1].change = func(_, central []byte) { binary.LittleEndian.PutUint32(central[42:], 0) }
	case text != "":
		return []byte(text)
	case database == MaxDatabase:
		zip, _, err := Seal(SealInput{Keys: keysOf(t, "ada"), SQLite: make([]byte, database), Manifest: facts()})
		if err != nil {
			t.Fatal(err)
		}
		return zip
	case database > 0:
		keys := keysOf(t, "ada")
		sealed := aged(t, recipientOf(keys), bomb(database, false))
		return resealed(t, keys, sealed, func(m *Manifest) { m.Database = blob(make([]byte, min(database, MaxDatabase))) })
	default:
		t.Fatal("the case asks for nothing")
	}
	return h.bytes()
}

func withNames(t *testing.T, names []string) []byte {
	h := sound(t)
	for i, name := range names {
		if i >= len(h.members) {
			h.members = append(h.members, raw{data: []byte("x")})
		}
		h.members[i].name = name
	}
	return h.bytes()
}

func TestConformanceIdentity(t *testing.T) {
	eachCase(t, "identity", 3, func(t *testing.T, c conformanceCase) {
		switch c.Name {
		case "ambient override ignored":
			ambientIgnored(t, into[struct{ Env []string }](t, c.Input).Env)
		case "derived names":
			key := into[struct{ Key string }](t, c.Input).Key
			want := into[struct {
				KeyID string `json:"key_id"`
			}](t, c.Want).KeyID
			if got := keysOf(t, key).CurrentID(); got != want {
				t.Errorf("key id %s, want %s", got, want)
			}
		case "install id":
			parts := into[struct{ Inputs []string }](t, c.Input).Inputs
			sep := into[struct {
				By string `json:"info_joined_by"`
			}](t, c.Want).By
			key, err := hkdf.Key(sha256.New, []byte(identityText(t, "ada")), nil, strings.Join(parts, sep), 32)
			if err != nil {
				t.Fatal(err)
			}
			id := keysOf(t, "ada").ids()[0]
			if !bytes.Equal(key, id.derive("familiar manifest 2\x004711\x00"+testStore)) {
				t.Error("the key of the MAC is another")
			}
		default:
			t.Fatal("nobody runs this case")
		}
	})
}

// ambientIgnored: nothing in the environment changes a verdict, since the
// package cannot see one.
func ambientIgnored(t *testing.T, env []string) {
	t.Helper()
	zip, _ := seal(t, keysOf(t, "ada"))
	for _, name := range env {
		t.Setenv(name, identityText(t, "hubot"))
	}
	if _, err := Open(zip, keysOf(t, "ada"), expected()); err != nil {
		t.Error(err)
	}
	_, err := Open(zip, keysOf(t, "hubot"), expected())
	wantKind(t, err, UnknownKey)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		checked++
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if slices.Contains([]string{"os", "net", "net/http", "os/exec", "syscall", "crypto/rand", "path/filepath"}, path) {
				t.Errorf("%s imports %s: the vault takes bytes and returns bytes", file, path)
			}
		}
		source, err := os.ReadFile(file)
		if err != nil || bytes.Contains(source, []byte("time.Now")) {
			t.Errorf("%s reads a clock (%v)", file, err)
		}
	}
	if checked < 10 {
		t.Errorf("only %d files were looked at", checked)
	}
}

func TestConformanceManifest(t *testing.T) {
	eachCase(t, "manifest", 15, func(t *testing.T, c conformanceCase) {
		keys := keysOf(t, "ada")
		zip, _ := seal(t, keys)
		sealed, text := split(t, zip)
		in := into[struct {
			Tamper      string
			Names       []string
			Replace     []string
			ManifestHex string `json:"manifest_hex"`
			Set         json.RawMessage
			Seal        *struct {
				StoreID string `json:"store_id"`
			}
			SchemaVersion int `json:"schema_version"`
			Create, List  bool
		}](t, c.Input)
		switch {
		case in.Tamper == "append to the zip":
			wantVerdict(t, c.Want, append(zip, "junk"...))
		case in.Tamper != "":
			other := aged(t, recipientOf(keys), packedTest(t))
			wantVerdict(t, c.Want, resealed(t, keysOf(t, "hubot"), other, func(m *Manifest) { m.KeyID = keys.CurrentID() }))
		case in.Names != nil:
			wantVerdict(t, c.Want, withNames(t, in.Names))
		case in.Replace != nil:
			changed := bytes.Replace(text, []byte(in.Replace[0]), []byte(in.Replace[1]), 1)
			if bytes.Equal(changed, text) {
				t.Fatalf("the manifest has no %s", in.Replace[0])
			}
			wantVerdict(t, c.Want, assemble(sealed, changed))
		case in.ManifestHex != "":
			data, err := hex.DecodeString(in.ManifestHex)
			if err != nil {
				t.Fatal(err)
			}
			wantVerdict(t, c.Want, assemble(sealed, data))
		case in.Set != nil:
			wantVerdict(t, c.Want, resealed(t, keys, sealed, func(m *Manifest) {
				if err := json.Unmarshal(in.Set, m); err != nil {
					t.Fatal(err)
				}
			}))
		case in.Seal != nil:
			blank := facts()
			blank.StoreID = in.Seal.StoreID
			_, _, err := Seal(SealInput{Keys: keys, SQLite: testDatabase, Manifest: blank})
			wantKind(t, err, into[verdict](t, c.Want).Kind, "store_id")
		case in.SchemaVersion > 0:
			wantFields(t, text, into[[]string](t, c.Want))
		case in.Create:
			wantFormat(t, text, zip)
		case in.List:
			wantOrder(t, into[[]Kind](t, c.Want))
		default:
			t.Fatal("nobody runs this case")
		}
	})
}

func wantFields(t *testing.T, text []byte, want []string) {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	var got []string
	for name := range members {
		got = append(got, name)
	}
	slices.Sort(got)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("members %v, want %v", got, want)
	}
}

func wantFormat(t *testing.T, text, zip []byte) {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(v) // encoding/json sorts the keys of a map
	if err != nil || string(text) != string(again)+"\n" {
		t.Errorf("%v: %s", err, text)
	}
	central := bytes.LastIndex(zip, []byte("PK\x01\x02"))
	if mode := binary.LittleEndian.Uint32(zip[central+38:]) >> 16 & 0o777; mode != 0o600 {
		t.Errorf("mode %o", mode)
	}
}

// wantOrder makes a container with every fault at once, takes them away one
// by one from the front, and expects the kinds in this order.
func wantOrder(t *testing.T, order []Kind) {
	t.Helper()
	current, retired := keysOf(t, "ada", "mara"), keysOf(t, "mara")
	var got []Kind
	for stage := range order {
		bad := func(n int) bool { return stage <= n }
		content := "another database"
		packed := zstded(t, strings.NewReader(content))
		if bad(11) {
			packed = []byte("not zstd")
		}
		to := recipientOf(retired)
		if bad(10) {
			to = recipientOf(keysOf(t, "hubot"))
		}
		sealed := aged(t, to, packed)
		signer := retired
		zip := resealed(t, signer, sealed, func(m *Manifest) {
			if bad(9) {
				m.Sealed.Size++
			}
			if bad(4) {
				m.KeyID = keysOf(t, "hubot").CurrentID()
			}
		})
		member, text := split(t, zip)
		if bad(5) {
			text = bytes.Replace(text, []byte(`"generation":7`), []byte(`"generation":8`), 1)
		}
		if bad(3) {
			text = append(text, ' ')
		}
		zip = assemble(member, text)
		if bad(2) {
			zip = bytes.ReplaceAll(zip, []byte(manifestName), []byte("MANIFEST.json"))
		}
		want := expectedWith(func(e *Expect) {
			e.Digest = blob(zip).Digest
			e.ListedAt = testTime
			if bad(1) {
				e.Digest = digestOf("other")
			}
			if bad(6) {
				e.RepositoryID = 1
			}
			if bad(7) {
				e.StoreID = strings.Repeat("a", 32)
			}
			if bad(8) {
				e.CurrentSince = testTime.Add(-2 * time.Hour)
			}
		})
		if bad(0) {
			zip = append(zip, make([]byte, MaxZip)...)
		}
		_, err := Open(zip, current, want)
		got = append(got, KindOf(err))
	}
	if !reflect.DeepEqual(got, order) {
		t.Errorf("order %v, want %v", got, order)
	}
}
