package app

import (
	"fmt"

	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/contract"
	"github.com/familiarhq/familiar/internal/runtime"
)

// actionReviewer says who reviews in the action: the input, then the
// configuration. What a reviewer needs comes from step inputs only (page
// 3.1); where that is missing the rules review, and the result says so. A
// stranger's or a fork's change meets a reviewer that runs a process or asks
// a model only as review.external allows (page 6.5).
func actionReviewer(r ActionRequest, p pullRun, f facts) (reviewer, string) {
	who := reviewer{kind: r.Reviewer, command: r.ExecCommand, model: r.Model, retries: r.Retries, temp: r.TempDir}
	if who.kind == "" {
		who.kind = runtime.Kind(f.settings.Runtime.Kind)
	}
	note := ""
	switch {
	case who.kind == runtime.Rules:
	case who.kind == runtime.Exec && len(r.ExecCommand) == 0:
		note = "the configuration asks for the exec reviewer, and the step has no exec-command; the rules reviewed instead"
	case who.kind == runtime.Models && (r.Model.Endpoint == "" || r.Model.Key == ""):
		note = "the configuration asks for the models reviewer, and the step has no model-endpoint and model-api-key; the rules reviewed instead"
	case !trustedChange(f) && !meetsReviewer(f.settings.Config.External, p.asked):
		note = fmt.Sprintf("the change is of trust %s, so the rules reviewed it and not %s; review.external is %q, and a maintainer's label %s or command `review` asks for it", f.trust.Scope, who.kind, f.settings.Config.External, f.settings.Familiar.Labels.Review)
	}
	if note != "" {
		return reviewer{kind: runtime.Rules}, note
	}
	return who, ""
}

// trustedChange says whether a change is by somebody with standing here.
func trustedChange(f facts) bool {
	return f.trust.Scope != contract.TrustExternal && f.trust.Scope != contract.TrustForkPR && f.trust.Scope != ""
}

// meetsReviewer says whether an untrusted change may meet a reviewer that
// costs or runs something.
func meetsReviewer(external config.External, asked bool) bool {
	return external == config.ExternalAlways || external == config.ExternalLabel && asked
}

// named is what tells one model from another in a digest: not its key.
func (m Model) named() string { return m.Name + " " + m.Endpoint }
