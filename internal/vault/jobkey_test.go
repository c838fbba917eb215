package vault

import "testing"

func TestTheKeyOfAJobIsItsOwn(t *testing.T) {
	first, err := JobKeys("token-of-a-job", "sealed note")
	if err != nil || first.Len() != 1 {
		t.Fatalf("%d identities, %v", first.Len(), err)
	}
	again, _ := JobKeys("token-of-a-job", "sealed note")
	mac := first.MAC("x", []byte("part"))
	if !again.VerifyMAC("x", mac, []byte("part")) {
		t.Error("a second step of the same job does not verify what the first one made")
	}
	for name, other := range map[string][2]string{
		"another job's token": {"token-of-another-job", "sealed note"},
		"another purpose":     {"token-of-a-job", "something else"},
	} {
		keys, err := JobKeys(other[0], other[1])
		if err != nil || keys.VerifyMAC("x", mac, []byte("part")) {
			t.Errorf("%s verifies it, or fails: %v", name, err)
		}
	}
	if none, err := JobKeys("", "sealed note"); err != nil || none.Len() != 0 {
		t.Errorf("without a token: %d identities, %v", none.Len(), err)
	}
}

func TestIdentityOrRecipient(t *testing.T) {
	keys := keysOf(t, "ada")
	for name, c := range map[string]struct {
		input     string
		recipient string
		held      int
		fails     bool
	}{
		"a recipient":         {keys.Recipient() + "\n", keys.Recipient(), 0, false},
		"an identity":         {"# made by familiar keygen\n" + keys.ids()[0].secret, keys.Recipient(), 1, false},
		"nothing":             {"", "", 0, true},
		"a damaged recipient": {keys.Recipient() + "x", "", 0, true},
		"an SSH key":          {"ssh-ed25519 AAAA", "", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, recipient, err := ParseHandoverKey(c.input)
			if (err != nil) != c.fails || recipient != c.recipient || got.Len() != c.held {
				t.Errorf("recipient %q, %d identities, error %v", recipient, got.Len(), err)
			}
		})
	}
}
