package health

import (
	"strings"
	"testing"
)

func TestA75AHandleThatOnlyLooksLikeOursIsWarnedOf(t *testing.T) {
	for handle, warned := range map[string]bool{"farniliar": true, "fami1iar": true, "familiar": false, "Familiar": false, "rook": false} {
		got := likeOurs(Workflow{Path: "familiar.yml"}, Event{Line: 3}, handle)
		if (len(got) == 1) != warned {
			t.Errorf("%s gives %v", handle, got)
		}
		if warned && (got[0].Check != CheckHandle || got[0].Severity != Warning || !strings.Contains(got[0].Message, handle+" only looks like familiar")) {
			t.Errorf("%s gives %+v", handle, got[0])
		}
	}
}
