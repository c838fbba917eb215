package memory

import (
	"slices"
	"testing"
)

func TestADenialReachesWhatIsInUseOrWaitsBelowIt(t *testing.T) {
	versions := []Version{
		{DocumentID: "m-aaaaaaaa", Key: "repo/o/n/lessons/a", State: Active},
		{DocumentID: "m-aaaaaaaa", Key: "repo/o/n/lessons/a", State: Superseded},
		{DocumentID: "m-bbbbbbbb", Key: "repo/o/n/lessons/b/c", State: ReviewRequired},
		{DocumentID: "m-cccccccc", Key: "repo/o/n/lessons/d", State: Deprecated},
		{DocumentID: "m-dddddddd", Key: "repo/o/n/lessonsx/d", State: Active},
	}
	got := Denials([]string{"repo/o/n/lessons", "repo/o/n/lessons/b/c", "repo/o/n/lesson"}, versions)
	for i, want := range []Denial{
		{"repo/o/n/lessons", []string{"m-aaaaaaaa", "m-bbbbbbbb"}}, {"repo/o/n/lessons/b/c", []string{"m-bbbbbbbb"}}, {"repo/o/n/lesson", nil},
	} {
		if got[i].Prefix != want.Prefix || !slices.Equal(got[i].Lessons, want.Lessons) {
			t.Errorf("%+v, want %+v", got[i], want)
		}
	}
}
