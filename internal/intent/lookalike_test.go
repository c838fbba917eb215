package intent

import (
	"testing"

	"github.com/familiarhq/familiar/internal/text"
)

func TestA75AHandleThatOnlyLooksLikeOursCommandsNothing(t *testing.T) {
	for _, name := range []string{"f\u0430miliar", "famili\u03b1r", "famiIiar", "fami1iar", "farniliar", "ｆａｍｉｌｉａｒ", "fami\u200bliar", "famílïar"} {
		t.Run("A75: "+name, func(t *testing.T) {
			if !text.LooksLike(name, DefaultHandle) {
				t.Fatalf("%q does not look like the handle: the case shows nothing", name)
			}
			for _, sign := range []string{"@", "/"} {
				if got := Parse(sign+name+" approve all", Options{}); len(got) > 0 {
					t.Errorf("%s%s commands %v", sign, name, got)
				}
			}
		})
	}
}
