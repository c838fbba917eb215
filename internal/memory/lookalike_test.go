package memory

import (
	"strings"
	"testing"
)

func TestA75ANameThatOnlyLooksLikeTheOwnersIsPointedOut(t *testing.T) {
	owner := Principal{ID: 7, Login: "marnie"}
	doc := []Version{{DocumentID: "m-7f3k2q8a", Number: 1, Source: UserAuthored, State: Active, Creator: owner}}
	for _, c := range []struct {
		name string
		by   Principal
		warn bool
	}{
		{"letters that run together", Principal{ID: 8, Login: "mamie"}, true},
		{"a digit for a letter", Principal{ID: 8, Login: "marn1e"}, true},
		{"another name", Principal{ID: 8, Login: "noor"}, false},
		{"the same name of another account", Principal{ID: 8, Login: "Marnie"}, false},
		{"an account without a name", Principal{ID: 8}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := MayForget(c.by, StandingMaintainer, doc)
			if got == nil || got.Reason != ReasonNotYours || !strings.HasPrefix(got.Detail, "This lesson belongs to marnie") {
				t.Fatalf("it is treated as the owner's: %+v", got)
			}
			if warned := strings.Contains(got.Detail, "whose name "+c.by.Login+" only looks like"); warned != c.warn {
				t.Errorf("warned is %v: %s", warned, got.Detail)
			}
		})
	}
	if refused := MayForget(owner, StandingMaintainer, doc); refused != nil {
		t.Error(*refused)
	}
}
