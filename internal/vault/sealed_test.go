package vault

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"filippo.io/age"
	"filippo.io/age/armor"
	"github.com/klauspost/compress/zstd"
)

// TestWhatAKeyHolderMaySealBadly: the manifest is right and vouched for, what
// is sealed is not. Every case names its error class.
func TestWhatAKeyHolderMaySealBadly(t *testing.T) {
	keys := keysOf(t, "ada")
	to := recipientOf(keys)
	packed := zstded(t, bytes.NewReader(testDatabase))
	good := aged(t, to, packed)
	header := bytes.Index(good, []byte("\n---")) + 48 // behind the header's MAC
	for name, c := range map[string]struct {
		sealed []byte
		kind   Kind // "" opens
		words  string
	}{
		"as it should be":                {good, "", ""},
		"two zstd frames":                {aged(t, to, append(zstded(t, bytes.NewReader(testDatabase[:100])), zstded(t, bytes.NewReader(testDatabase[100:]))...)), "", ""},
		"not age":                        {packed, DecryptFailed, "age does not open"},
		"the database in the clear":      {testDatabase, DecryptFailed, "age does not open"},
		"one byte":                       {[]byte("a"), DecryptFailed, "age does not open"},
		"another version of age":         {bytes.Replace(good, []byte("age-encryption.org/v1"), []byte("age-encryption.org/v2"), 1), DecryptFailed, "age does not open"},
		"armored age":                    {armored(t, good), DecryptFailed, "age does not open"},
		"a passphrase":                   {aged(t, passphrase(t), packed), DecryptFailed, "age does not open"},
		"another recipient":              {aged(t, recipientOf(keysOf(t, "hubot")), packed), DecryptFailed, "age does not open"},
		"another recipient, retired":     {aged(t, recipientOf(keysOf(t, "mara")), packed), DecryptFailed, "age does not open"},
		"a changed age header":           {flipped(good, header-20), DecryptFailed, ""},
		"a changed age payload":          {flipped(good, len(good)-1), DecryptFailed, "cut short or damaged"},
		"age cut in the header":          {good[:20], DecryptFailed, ""},
		"age cut before the first chunk": {aged(t, to, nil)[:len(aged(t, to, nil))-16], DecryptFailed, "cut short or damaged"},
		"age cut in the payload":         {good[:len(good)-3], DecryptFailed, "cut short or damaged"},
		"data behind age":                {append(append([]byte{}, good...), "junk"...), DecryptFailed, "cut short or damaged"},
		"age in age":                     {aged(t, to, good), DecompressFailed, "no whole zstd stream"},
		"not zstd":                       {aged(t, to, testDatabase), DecompressFailed, "no whole zstd stream"},
		"zstd cut":                       {aged(t, to, packed[:len(packed)-5]), DecompressFailed, "no whole zstd stream"},
		"zstd with data behind it":       {aged(t, to, append(append([]byte{}, packed...), "junk"...)), DecompressFailed, "no whole zstd stream"},
		"zstd with a wrong checksum":     {aged(t, to, flipped(packed, len(packed)-1)), DecompressFailed, "no whole zstd stream"},
		"a window of 32 MiB":             {aged(t, to, frameWithWindow(32<<20)), DigestMismatch, ""},
		"a window of 64 MiB":             {aged(t, to, frameWithWindow(64<<20)), TooLarge, "zstd window above 33554432"},
		"nothing":                        {aged(t, to, nil), DigestMismatch, "the database holds other bytes"},
		"an empty frame":                 {aged(t, to, zstded(t, zeros(0), zstd.WithZeroFrames(true))), DigestMismatch, "the database holds other bytes"},
		"another database":               {aged(t, to, zstded(t, strings.NewReader("SQLite format 3\x00 another"))), DigestMismatch, "the database holds other bytes"},
		"the database and one byte more": {aged(t, to, zstded(t, bytes.NewReader(append(testDatabase[:len(testDatabase):len(testDatabase)], 0)))), DigestMismatch, "the database holds other bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Open(resealed(t, keys, c.sealed, nil), keys, expected())
			if c.kind == "" {
				if err != nil || !bytes.Equal(got.SQLite, testDatabase) {
					t.Errorf("%v", err)
				}
				return
			}
			wantKind(t, err, c.kind, c.words)
			if got.SQLite != nil {
				t.Error("there are bytes beside the error")
			}
		})
	}
}

// frameWithWindow is a zstd frame whose header asks for a window, with one
// empty last block (RFC 8878, 3.1.1).
func frameWithWindow(size int) []byte {
	exponent := 0
	for 1<<(10+exponent) < size {
		exponent++
	}
	return []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, byte(exponent << 3), 0x01, 0x00, 0x00}
}

// bomb is a small zstd frame, made by hand, that expands to n zero bytes: blocks
// of 128 KiB of one byte (RFC 8878, 3.1.1.2). With declared it says so first.
func bomb(n int, declared bool) []byte {
	const block = 128 << 10
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 13 << 3} // a window of 8 MiB
	if declared {
		out[4] = 0x80 // with a content size of four bytes
		out = binary.LittleEndian.AppendUint32(out, uint32(n))
	}
	for left := n; ; left -= block {
		size, last := min(left, block), 0
		if left <= block {
			last = 1
		}
		header := size<<3 | 1<<1 | last
		out = append(out, byte(header), byte(header>>8), byte(header>>16), 0)
		if last == 1 {
			return out
		}
	}
}

func TestTheBombIsOne(t *testing.T) {
	keys := keysOf(t, "ada")
	for _, n := range []int{1, 128 << 10, 128<<10 + 1, 1 << 20} {
		for _, declared := range []bool{false, true} {
			got, err := keys.OpenBytes(aged(t, recipientOf(keys), bomb(n, declared)), n)
			if err != nil || !bytes.Equal(got, make([]byte, n)) {
				t.Errorf("%d zero bytes, declared %v: %d bytes, %v", n, declared, len(got), err)
			}
		}
	}
}

func armored(t testing.TB, data []byte) []byte {
	var out bytes.Buffer
	w := armor.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func passphrase(t testing.TB) age.Recipient {
	r, err := age.NewScryptRecipient("a phrase")
	if err != nil {
		t.Fatal(err)
	}
	r.SetWorkFactor(2)
	return r
}

func flipped(data []byte, at int) []byte {
	out := append([]byte{}, data...)
	out[at] ^= 1
	return out
}

// TestTheMACIsCheckedBeforeAnythingIsOpened: a bomb, garbage and a foreign
// age file under a manifest that nobody vouched for never reach age.
func TestTheMACIsCheckedBeforeAnythingIsOpened(t *testing.T) {
	keys := keysOf(t, "ada")
	explosive := aged(t, recipientOf(keys), bomb(MaxDatabase+1, false))
	for name, sealed := range map[string][]byte{"a bomb": explosive, "garbage": []byte("garbage"), "what is sound": aged(t, recipientOf(keys), zstded(t, bytes.NewReader(testDatabase)))} {
		t.Run(name, func(t *testing.T) {
			zip := resealed(t, keys, sealed, nil)
			_, text := split(t, zip)
			mac := text[bytes.Index(text, []byte(`"mac":"`))+7:][:64]
			forged := assemble(sealed, bytes.Replace(text, mac, []byte(strings.Repeat("0", 64)), 1))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Open(forged, poisoned(t, keys), expected())
			runtime.ReadMemStats(&after)
			wantKind(t, err, BadMAC, "without the key", "left as it is")
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
				t.Errorf("refusing it took %d bytes of memory", n)
			}
		})
	}
}

// TestADigestIsNoSignature: whoever may upload can replace the sealed member
// and make every digest fit; without the key the MAC does not.
func TestADigestIsNoSignature(t *testing.T) {
	keys := keysOf(t, "ada")
	stranger := keysOf(t, "hubot")
	sealed := aged(t, recipientOf(keys), zstded(t, bytes.NewReader(testDatabase)))
	for name, c := range map[string]struct {
		zip  []byte
		kind Kind
	}{
		"sealed to the public recipient, MAC under another key": {resealed(t, stranger, sealed, func(m *Manifest) { m.KeyID = keys.CurrentID() }), BadMAC},
		"under the stranger's own key id":                       {resealed(t, stranger, sealed, nil), UnknownKey},
		"a retired key that names the current one":              {resealed(t, keysOf(t, "mara"), sealed, func(m *Manifest) { m.KeyID = keys.CurrentID() }), BadMAC},
		"the MAC over another member":                           {assemble(aged(t, recipientOf(keys), packedTest(t)), manifestOf(t, keys)), DigestMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(c.zip, poisoned(t, keys), expected())
			wantKind(t, err, c.kind)
		})
	}
}

func packedTest(t testing.TB) []byte { return zstded(t, bytes.NewReader(testDatabase)) }

func manifestOf(t testing.TB, keys Keys) []byte {
	zip, _ := seal(t, keys)
	_, text := split(t, zip)
	return text
}

// TestTheMACIsBoundToRepositoryAndStore: the same facts under other ids have
// another MAC, so that no container can be relabelled.
func TestTheMACIsBoundToRepositoryAndStore(t *testing.T) {
	id := keysOf(t, "ada").ids()[0]
	base := id.manifestMAC(1, testStore, []byte("bytes"))
	for name, other := range map[string][]byte{
		"another repository": id.manifestMAC(2, testStore, []byte("bytes")),
		"another store":      id.manifestMAC(1, strings.Repeat("0", 32), []byte("bytes")),
		"other bytes":        id.manifestMAC(1, testStore, []byte("byteS")),
		"another key":        keysOf(t, "mara").ids()[0].manifestMAC(1, testStore, []byte("bytes")),
		"a part's MAC":       id.partsMAC("manifest 2", [][]byte{[]byte("bytes")}),
	} {
		if bytes.Equal(base, other) {
			t.Errorf("%s has the same MAC", name)
		}
	}
	keys := keysOf(t, "ada")
	zip, m := seal(t, keys)
	_, text := split(t, zip)
	for name, relabelled := range map[string][]byte{
		"repository": bytes.Replace(text, []byte(`"repository_id":4711`), []byte(`"repository_id":4712`), 1),
		"store":      bytes.Replace(text, []byte(testStore), []byte(strings.Repeat("a", 32)), 1),
	} {
		sealed, _ := split(t, zip)
		t.Run("relabelled "+name, func(t *testing.T) {
			_, err := Open(assemble(sealed, relabelled), poisoned(t, keys), Expect{RepositoryID: 4712, AnyStore: true})
			wantKind(t, err, BadMAC)
		})
	}
	if raw, err := hex.DecodeString(m.MAC); err != nil || len(raw) != 32 {
		t.Errorf("mac %s", m.MAC)
	}
}

// TestABombIsCutAtTheLimit; TestConformanceArchive has the limit of a
// container, on both sides.
func TestABombIsCutAtTheLimit(t *testing.T) {
	keys := keysOf(t, "ada")
	const most = 1 << 20
	for name, packed := range map[string][]byte{
		"one frame":              bomb(MaxDatabase, false),
		"one byte above":         bomb(most+1, false),
		"that says so first":     bomb(MaxDatabase, true),
		"many frames":            bytes.Repeat(bomb(1<<16, true), 1000),
		"many frames, one above": append(bomb(most, false), bomb(1, false)...),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := keys.OpenBytes(aged(t, recipientOf(keys), packed), most)
			wantKind(t, err, TooLarge, "expands beyond 1048576 bytes")
			if got != nil {
				t.Error("there are bytes beside the error")
			}
		})
	}
}

func TestADatabaseAboveTheCapIsNotSealed(t *testing.T) {
	_, _, err := Seal(SealInput{Keys: keysOf(t, "ada"), SQLite: make([]byte, MaxDatabase+1), Manifest: facts()})
	wantKind(t, err, TooLarge, "134217729 bytes, at most 134217728", "Purge or retire")
	if MaxExpanded != 192<<20 {
		t.Errorf("the expanded limit is %d", MaxExpanded)
	}
}

func TestAStoreThatDoesNotCompressIsRefusedAboveTheZipCap(t *testing.T) {
	keys := keysOf(t, "ada")
	database := make([]byte, MaxZip+1)
	_, _ = rand.NewChaCha8([32]byte{}).Read(database)
	_, _, err := Seal(SealInput{Keys: keys, SQLite: database, Manifest: facts()})
	wantKind(t, err, TooLarge, "grows beyond 67108864 bytes")
}
