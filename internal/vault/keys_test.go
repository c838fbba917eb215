package vault

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"

	"filippo.io/age"
)

func hybridText(t testing.TB) string {
	t.Helper()
	id, err := age.GenerateHybridIdentity()
	if err != nil {
		t.Fatal(err)
	}
	return id.String()
}

func hybridKeys(t testing.TB) Keys { return parsed(t, hybridText(t)) }

func TestKeysAreReadAsKeygensWriteThem(t *testing.T) {
	ada, mara, hybrid := identityText(t, "ada"), identityText(t, "mara"), hybridText(t)
	for name, c := range map[string]struct {
		input string
		want  []string
	}{
		"one line":                    {ada, []string{ada}},
		"with a line end":             {ada + "\n", []string{ada}},
		"as age-keygen writes it":     {"# created: 2026-02-03T04:05:06Z\n# public key: age1...\n" + ada + "\n", []string{ada}},
		"with Windows line ends":      {"# key\r\n" + ada + "\r\n", []string{ada}},
		"with white space around":     {"  \n\t" + ada + "  \n\n", []string{ada}},
		"with a byte order mark":      {"\ufeff" + ada, []string{ada}},
		"two, the first one current":  {ada + "\n" + mara, []string{ada, mara}},
		"the other way round":         {mara + "\n" + ada, []string{mara, ada}},
		"post-quantum":                {hybrid, []string{hybrid}},
		"both kinds":                  {hybrid + "\n" + ada, []string{hybrid, ada}},
		"one given twice counts once": {ada + "\n" + mara + "\n" + ada, []string{ada, mara}},
		"sixteen":                     {strings.Join(identities(t, 16), "\n"), identities(t, 16)},
	} {
		t.Run(name, func(t *testing.T) {
			keys, err := ParseKeys(c.input)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, id := range keys.ids() {
				got = append(got, id.secret)
			}
			if fmt.Sprint(got) != fmt.Sprint(c.want) || keys.Len() != len(c.want) {
				t.Errorf("%d identities, in another order or number than the %d given", len(got), len(c.want))
			}
			if ids := keys.IDs(); ids[0] != keys.CurrentID() || !isHex(ids[0], 16) {
				t.Errorf("key ids %v, current %s", ids, keys.CurrentID())
			}
		})
	}
}

func identities(t testing.TB, n int) []string {
	var out []string
	for i := range n {
		out = append(out, identityText(t, fmt.Sprint("identity ", i)))
	}
	return out
}

func TestBadKeysAreRefusedByLineAndNeverRepeated(t *testing.T) {
	ada := identityText(t, "ada")
	damaged := ada[:30] + map[bool]string{true: "P", false: "Q"}[ada[30] == 'Q'] + ada[31:]
	for name, c := range map[string]struct {
		input string
		kind  Kind
		line  int
		words string
	}{
		"nothing":                     {"", NoKey, 0, "no identity"},
		"white space":                 {" \n\t\r\n", NoKey, 0, "no identity"},
		"comments only":               {"# public key: age1xyz\n", NoKey, 0, "no identity"},
		"one character changed":       {"# a comment\n\n" + damaged, BadKey, 3, "damaged"},
		"cut":                         {ada[:len(ada)-1], BadKey, 1, "damaged"},
		"one character too much":      {ada + "Q", BadKey, 1, "damaged"},
		"the prefix alone":            {"AGE-SECRET-KEY-1", BadKey, 1, "damaged"},
		"the prefix of the other":     {strings.Replace(ada, "KEY-1", "KEY-PQ-1", 1), BadKey, 1, "damaged"},
		"small letters":               {strings.ToLower(ada), BadKey, 1, "capital letters"},
		"mixed letters":               {ada[:40] + strings.ToLower(ada[40:]), BadKey, 1, "capital letters"},
		"the recipient":               {keysOf(t, "ada").Recipient(), BadKey, 1, "public half"},
		"a second line that is wrong": {ada + "\n" + ada[:20], BadKey, 2, "damaged"},
		"two on one line":             {ada + " " + ada, BadKey, 1, "more than one word"},
		"with a name":                 {"key=" + ada, BadKey, 1, "does not start with"},
		"in quotes":                   {`"` + ada + `"`, BadKey, 1, "does not start with"},
		"a plugin's":                  {"AGE-PLUGIN-YUBIKEY-1QQQQ", BadKey, 1, "plugin"},
		"an SSH key":                  {"-----BEGIN OPENSSH PRIVATE " + "KEY-----", BadKey, 1, "more than one word"},
		"a PEM line":                  {"-----BEGIN-----", BadKey, 1, "SSH or PEM"},
		"an SSH recipient":            {"ssh-ed25519", BadKey, 1, "SSH or PEM"},
		"not UTF-8":                   {"AGE-SECRET-KEY-1\xff", BadKey, 1, "UTF-8"},
		"a zero byte":                 {ada + "\x00", BadKey, 1, "damaged"},
		"seventeen":                   {strings.Join(identities(t, 17), "\n"), TooLarge, 0, "more than 16"},
		"too long":                    {strings.Repeat("#", MaxKeyInput) + "\n", TooLarge, 0, "at most 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			keys, err := ParseKeys(c.input)
			wantKind(t, err, c.kind, c.words)
			var e *Error
			errors.As(err, &e)
			if e.Line != c.line {
				t.Errorf("line %d, want %d", e.Line, c.line)
			}
			if c.line > 0 && !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d of the key: ", c.line)) {
				t.Errorf("%q does not start with its line", err)
			}
			if keys.Len() != 0 {
				t.Error("there are keys beside the error")
			}
			noEcho(t, c.input, err)
		})
	}
}

// noEcho fails if an error repeats a part of a line, unless we say that part
// of our own accord.
func noEcho(t testing.TB, input string, err error) {
	t.Helper()
	ours := "AGE-SECRET-KEY- AGE-PLUGIN- SSH-"
	for e := err; e != nil; e = errors.Unwrap(e) {
		for line := range strings.FieldsSeq(input) {
			for i := 0; i+8 <= len(line); i++ {
				if part := line[i : i+8]; strings.Contains(e.Error(), part) && !strings.Contains(ours, part) {
					t.Errorf("%q repeats %q from the key", e.Error(), part)
				}
			}
		}
	}
}

func TestKeysAreNeverPrinted(t *testing.T) {
	keys := keysOf(t, "ada", "mara")
	wrapped := struct {
		Shown  Keys
		hidden Keys
		inside *Keys
	}{keys, keys, &keys}
	var out strings.Builder
	for _, v := range []any{keys, &keys, []Keys{keys}, map[string]Keys{"k": keys}, wrapped, &wrapped} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			fmt.Fprintf(&out, verb, v)
		}
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("keys", "keys", keys)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("keys", "keys", keys)
	j, err := json.Marshal(wrapped)
	if err != nil {
		t.Fatal(err)
	}
	out.Write(j)
	for _, name := range []string{"ada", "mara"} {
		secret := identityText(t, name)
		for _, form := range []string{secret, secret[16:40], fmt.Sprintf("%x", secret)[32:80], fmt.Sprintf("%X", secret)[32:80]} {
			if strings.Contains(out.String(), form) {
				t.Errorf("a print shows the identity of %s", name)
			}
		}
	}
	if got := fmt.Sprint(keys); got != "keys("+keys.IDs()[0]+" "+keys.IDs()[1]+")" {
		t.Errorf("printed as %s", got)
	}
	if got := fmt.Sprint(Keys{}); got != "keys()" {
		t.Errorf("no keys print as %s", got)
	}
}

func TestNewKeyMakesAnIdentityThatAgeReads(t *testing.T) {
	for i := range 50 {
		text, recipient, err := NewKey(&seeded{name: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		id, err := age.ParseX25519Identity(text)
		if err != nil {
			t.Fatal(err)
		}
		if id.Recipient().String() != recipient || parsed(t, text).Recipient() != recipient {
			t.Errorf("recipient %s is not the identity's", recipient)
		}
	}
	a, _, _ := NewKey(&seeded{name: "1"})
	b, _, _ := NewKey(&seeded{name: "2"})
	if a == b {
		t.Error("two seeds gave one key")
	}
}

func TestNewKeyFailsWithoutRandomness(t *testing.T) {
	broken := errors.New("the device is gone")
	for name, r := range map[string]*strings.Reader{"none": strings.NewReader(""), "31 bytes": strings.NewReader(strings.Repeat("x", 31))} {
		identity, recipient, err := NewKey(r)
		wantKind(t, err, NoRandomness, "32 random bytes")
		if identity != "" || recipient != "" {
			t.Errorf("%s: there is a key beside the error", name)
		}
	}
	_, _, err := NewKey(iotest.ErrReader(broken))
	wantKind(t, err, NoRandomness)
	if !errors.Is(err, broken) {
		t.Errorf("%v hides its cause", err)
	}
}

// TestBech32 uses the two vectors of BIP 173 whose data are plain bytes.
func TestBech32(t *testing.T) {
	for _, c := range []struct {
		prefix string
		data   []byte
		want   string
	}{
		{"a", nil, "a12uel5l"},
		{"abcdef", []byte{0x00, 0x44, 0x32, 0x14, 0xc7, 0x42, 0x54, 0xb6, 0x35, 0xcf, 0x84, 0x65, 0x3a, 0x56, 0xd7, 0xc6, 0x75, 0xbe, 0x77, 0xdf},
			"abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"},
	} {
		if got := bech32(c.prefix, c.data); got != c.want {
			t.Errorf("%s: %s, want %s", c.prefix, got, c.want)
		}
	}
}

func TestMACsAreForOneContextPartsAndKey(t *testing.T) {
	keys := keysOf(t, "ada", "mara")
	parts := [][]byte{[]byte("4711"), []byte("12"), []byte("body")}
	mac := keys.MAC("status marker", parts...)
	if !isHex(mac, 64) || mac != keys.MAC("status marker", parts...) {
		t.Fatalf("mac %q", mac)
	}
	if !keys.VerifyMAC("status marker", mac, parts...) {
		t.Error("it does not verify")
	}
	if !keysOf(t, "fresh", "ada").VerifyMAC("status marker", mac, parts...) {
		t.Error("it does not verify under a retired identity")
	}
	flipped := map[byte]string{'0': "1"}[mac[0]]
	if flipped == "" {
		flipped = "0"
	}
	for name, ok := range map[string]bool{
		"another context":    keys.VerifyMAC("floor", mac, parts...),
		"no context":         keys.VerifyMAC("", mac, parts...),
		"parts cut anew":     keys.VerifyMAC("status marker", mac, []byte("47"), []byte("1112"), []byte("body")),
		"parts joined":       keys.VerifyMAC("status marker", mac, []byte("471112body")),
		"an empty part more": keys.VerifyMAC("status marker", mac, append(parts[:3:3], nil)...),
		"parts swapped":      keys.VerifyMAC("status marker", mac, parts[1], parts[0], parts[2]),
		"no parts":           keys.VerifyMAC("status marker", mac),
		"another key":        keysOf(t, "hubot").VerifyMAC("status marker", mac, parts...),
		"no key":             Keys{}.VerifyMAC("status marker", mac, parts...),
		"no MAC":             keys.VerifyMAC("status marker", "", parts...),
		"a cut MAC":          keys.VerifyMAC("status marker", mac[:62], parts...),
		"a longer MAC":       keys.VerifyMAC("status marker", mac+"00", parts...),
		"in capitals":        keys.VerifyMAC("status marker", strings.ToUpper(mac), parts...),
		"one digit changed":  keys.VerifyMAC("status marker", flipped+mac[1:], parts...),
		"no hex":             keys.VerifyMAC("status marker", strings.Repeat("g", 64), parts...),
		"no key made it":     Keys{}.VerifyMAC("status marker", Keys{}.MAC("status marker", parts...), parts...),
	} {
		if ok {
			t.Errorf("%s verifies", name)
		}
	}
	// A context cannot stand in for the manifest's key, nor one for another
	// by what follows it.
	if keys.MAC("a\x00b", []byte("c")) == keys.MAC("a", []byte("b"), []byte("c")) {
		t.Error("a context runs into the parts")
	}
}

func TestSealedMessages(t *testing.T) {
	keys := keysOf(t, "ada", "mara")
	note := []byte(`{"run":8001,"lessons":["never log a token"]}`)
	for name, recipient := range map[string]string{
		"to the current identity": keys.Recipient(),
		"to a retired one":        keysOf(t, "mara").Recipient(),
		"with white space around": " " + keys.Recipient() + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			sealed, err := SealBytes(note, recipient)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(sealed), "token") {
				t.Error("the message is readable")
			}
			got, err := keys.OpenBytes(sealed, 1<<20)
			if err != nil || string(got) != string(note) {
				t.Errorf("%q, %v", got, err)
			}
			_, err = keysOf(t, "hubot").OpenBytes(sealed, 1<<20)
			wantKind(t, err, DecryptFailed)
			_, err = Keys{}.OpenBytes(sealed, 1<<20)
			wantKind(t, err, NoKey)
			_, err = keys.OpenBytes(sealed, len(note)-1)
			wantKind(t, err, TooLarge, "expands beyond")
			if got, err := keys.OpenBytes(sealed, len(note)); err != nil || len(got) != len(note) {
				t.Errorf("at the limit: %v", err)
			}
			_, err = keys.OpenBytes(sealed, -1)
			wantKind(t, err, TooLarge)
			for cut := range len(sealed) {
				if _, err := keys.OpenBytes(sealed[:cut], 1<<20); err == nil {
					t.Fatalf("cut to %d bytes it opens", cut)
				}
			}
			for i := range sealed {
				changed := append([]byte{}, sealed...)
				changed[i] ^= 1
				_, err := keys.OpenBytes(changed, 1<<20)
				wantKind(t, err, DecryptFailed)
			}
		})
	}
	hybrid := hybridKeys(t)
	sealed, err := SealBytes(nil, hybrid.Recipient())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := hybrid.OpenBytes(sealed, 0); err != nil || len(got) != 0 {
		t.Errorf("an empty message to a post-quantum key: %q, %v", got, err)
	}
}

func TestSealBytesRefusesWhatIsNoRecipientWithoutRepeatingIt(t *testing.T) {
	ada := identityText(t, "ada")
	for name, recipient := range map[string]string{
		"nothing": "", "an identity": ada, "an identity in small letters": strings.ToLower(ada),
		"a damaged one": keysOf(t, "ada").Recipient() + "q", "an SSH one": "ssh-ed25519 AAAAC3Nz",
		"a word": "octocat", "a damaged post-quantum one": "age1pq1qqqqqqqqqqqqqqqqqqqq", "two": keysOf(t, "ada").Recipient() + "\n" + keysOf(t, "mara").Recipient(),
		"a long one": "age1" + strings.Repeat("q", 1<<17),
	} {
		t.Run(name, func(t *testing.T) {
			sealed, err := SealBytes([]byte("x"), recipient)
			wantKind(t, err, BadRecipient, "age1")
			if sealed != nil {
				t.Error("there are bytes beside the error")
			}
			noEcho(t, recipient, err)
		})
	}
}
