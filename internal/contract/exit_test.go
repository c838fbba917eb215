package contract

import "testing"

func TestAnExitIsClassifiedByItsCodeFirst(t *testing.T) {
	for name, c := range map[string]struct {
		exit Exit
		want ExitClass
	}{
		"0 with a result is finished":             {Exit{Code: 0, ResultUsable: true}, ExitFinished},
		"0 without a usable result is infra":      {Exit{Code: 0}, ExitInfra},
		"1 with a result gave up":                 {Exit{Code: 1, ResultUsable: true}, ExitGaveUp},
		"1 without a usable result is infra":      {Exit{Code: 1}, ExitInfra},
		"2 without a result is infra":             {Exit{Code: 2}, ExitInfra},
		"2 with a result is infra too":            {Exit{Code: 2, ResultUsable: true}, ExitInfra},
		"3 with a result needs input":             {Exit{Code: 3, ResultUsable: true}, ExitNeedsInput},
		"3 without a usable result is infra":      {Exit{Code: 3}, ExitInfra},
		"a signal outranks the code":              {Exit{Code: 0, Signaled: true, ResultUsable: true}, ExitInfra},
		"a timeout outranks the code":             {Exit{Code: 0, TimedOut: true, ResultUsable: true}, ExitInfra},
		"4 is unknown":                            {Exit{Code: 4, ResultUsable: true}, ExitInfra},
		"137 is unknown":                          {Exit{Code: 137, ResultUsable: true}, ExitInfra},
		"-1 is unknown":                           {Exit{Code: -1, ResultUsable: true}, ExitInfra},
		"256 is not taken for 0":                  {Exit{Code: 256, ResultUsable: true}, ExitInfra},
		"the zero exit is no success":             {Exit{}, ExitInfra},
		"a signal and a timeout at once is infra": {Exit{Code: 1, Signaled: true, TimedOut: true, ResultUsable: true}, ExitInfra},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ClassifyExit(c.exit); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestOnlyInfrastructureFailuresAreRetriedAndGoWithoutAResult(t *testing.T) {
	for class, infra := range map[ExitClass]bool{ExitFinished: false, ExitGaveUp: false, ExitNeedsInput: false, ExitInfra: true, "": false} {
		if class.Retry() != infra || class.RequiresResult() == infra {
			t.Errorf("%q: retry %v, requires a result %v", class, class.Retry(), class.RequiresResult())
		}
	}
}
