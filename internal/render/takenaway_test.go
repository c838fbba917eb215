package render

import (
	"strings"
	"testing"

	"github.com/familiarhq/familiar/internal/review"
)

func TestASecretInTheNameOfAFileIsNotRepeated(t *testing.T) {
	name := "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4xY7zB0cD3fG6"
	var f review.Finding
	f.Path, f.Line = "services/"+name+".go", 4
	got := place(f)
	if strings.Contains(got, name) || !strings.HasSuffix(got, ".go:4") {
		t.Errorf("place %q", got)
	}
}

func TestWhatIsForgottenIsTakenOutOfACommentOfOurs(t *testing.T) {
	const gone, kept = "m-7f3k2q8a", "m-2xw9d4hc"
	for _, x := range []struct{ name, body, want string }{
		{"an entry of the lessons that were read, with its words",
			"<details><summary>2 lessons read</summary>\n\n- `" + gone + "` · learned from mara\n  > Waits in \\*services\\*\n  > never block.\n- `" + kept + "` · learned from mara\n  > Money.\n\n</details>",
			"<details><summary>2 lessons read</summary>\n\n- `" + gone + "` was forgotten since, and what stood here with it.\n- `" + kept + "` · learned from mara\n  > Money.\n\n</details>"},
		{"the command that taught it",
			"### Commands\n\n- `@familiar remember Waits never block.` **done:** Remembered as `" + gone + "`.\n",
			"### Commands\n\n- `" + gone + "` was forgotten since, and what stood here with it.\n"},
		{"the answer that says that it went stays", "- `@familiar forget " + gone + "` **done:** Forgotten `" + gone + "`.", ""},
		{"so does the answer to a command that was refused", "- `@familiar purge m-c41vz0pm " + gone + "` **not done:** `" + gone + "@1` is durable.", ""},
		{"what is taken away already stays", "- `" + gone + "` was forgotten since, and what stood here with it.", ""},
		{"what a finding was corrected to, and nothing else of the finding",
			"- **F2** medium · `a.go:5`\n  Floats add up badly.\n  Corrected by noor on 2026-11-02 (`" + gone + "`): name them: in cents\n- **F3** low",
			"- **F2** medium · `a.go:5`\n  Floats add up badly.\n  `" + gone + "` was forgotten since, and what stood here with it.\n- **F3** low"},
		{"so with what came when it was accepted", "- **F1** low\n  Accepted by noor on 2026-11-02 (`" + gone + "`): we keep it so", "- **F1** low\n  `" + gone + "` was forgotten since, and what stood here with it."},
		{"a correction by another lesson stays", "- **F2** low\n  Corrected by noor on 2026-11-02 (`" + kept + "`): not (`" + gone + "`): this", ""},
		{"a finding that was accepted without words stays", "- **F1** low\n  Accepted by noor on 2026-11-02.", ""},
		{"an id in a sentence is no entry", "Because of `" + gone + "`.", ""},
		{"another lesson stays", "- `" + kept + "` · learned from mara\n  > Money.", ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, changed := WithoutLessons(x.body, []string{gone})
			if want := or(x.want, x.body); got.String() != want || changed != (x.want != "") {
				t.Errorf("changed %t\n%s\nwant\n%s", changed, got, want)
			}
		})
	}
}
