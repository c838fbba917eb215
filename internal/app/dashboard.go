package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
	"github.com/familiarhq/familiar/internal/store"
)

// gatherDashboard reads everything that the dashboard says out of the store,
// as it is now.
func gatherDashboard(ctx context.Context, r ActionRequest, s surroundings) (render.Dashboard, error) {
	out := render.Dashboard{Repo: s.repository.Owner + "/" + s.repository.Name, Number: s.issue.Number, Handle: s.settings.Familiar.Handle}
	if why := s.usable(r); why != "" {
		out.Problem = why
		return out, nil
	}
	i, err := Inspect(ctx, r.Memory)
	if err != nil {
		out.Problem = err.Error()
		return out, nil
	}
	for _, v := range i.Versions {
		if v.State == memory.Active || v.State.Pending() {
			out.Versions = append(out.Versions, v)
		}
	}
	out.Uses, out.Denied = i.Uses, i.Denied
	if i.Exists {
		out.Generation, out.Expiry = i.Info.Generation, r.Memory.Expiry()
	}
	found := storeHealth(r, s, i)
	out.Ending = endings(i.Versions, s.settings.retention(), r.gitHubNow())
	out.Notices = append(quarantineNotices(r.Memory), notices(found)...)
	return out, nil
}

// storeHealth is what is wrong with the memory, by the rules of health.
func storeHealth(r ActionRequest, s surroundings, i Inspection) []health.Finding {
	if !i.Exists {
		return nil
	}
	f := health.StoreFacts{
		LessonFacts: health.LessonFacts{Now: r.gitHubNow(), Versions: i.Versions, Uses: i.Uses, Retention: s.settings.retention()},
		Settings:    s.settings.Memory.MemorySettings, Generation: i.Info.Generation,
		ExpiresAt: r.Memory.Expiry(), SavedAt: r.Memory.SavedAt(), SweepEvery: sweepEvery,
		Bytes: i.Info.Bytes, MaxBytes: store.MaxBytes, Active: i.Info.Counts.Active, Pending: i.Info.Counts.Pending, Auto: i.Info.Counts.ActiveByAuto,
	}
	out := append(health.Gate(or(s.settings.path, ConfigPath), s.settings.Config), health.Memory(f)...)
	health.Sort(out)
	return out
}

// sweepEvery is how often the shipped sweep runs.
const sweepEvery = 24 * time.Hour

// notices are findings of health as the dashboard shows them. What ends soon
// has a section of its own there.
func notices(found []health.Finding) []render.Notice {
	var out []render.Notice
	for _, f := range found {
		if f.Check != health.CheckExpiring {
			out = append(out, render.Notice{Severity: string(f.Severity), Text: strings.TrimSpace(f.Message + " " + f.Fix)})
		}
	}
	return out
}

// quarantineNotices name the containers that were not used.
func quarantineNotices(v *Vaulted) []render.Notice {
	var out []render.Notice
	for _, words := range quarantineWords(v) {
		out = append(out, render.Notice{Severity: string(health.Warning), Text: words + " Delete it under Actions if it is not yours."})
	}
	return out
}

// quarantineWords name each container that was not used, for whatever a run
// writes to people (page 5.3).
func quarantineWords(v *Vaulted) []string {
	if v == nil {
		return nil
	}
	var out []string
	for _, q := range v.Quarantine {
		out = append(out, fmt.Sprintf("The container %s is quarantined (%s): nothing of it is used, and it is left as it is.", q.ID, q.words()))
	}
	return out
}

// endings are the lessons that end within thirty days if nobody does
// anything, the next one first.
func endings(versions []memory.Version, keep memory.Retention, now time.Time) []render.Ending {
	var out []render.Ending
	for _, v := range versions {
		end, ends := health.Ends(v, keep)
		if notice := v.AnnouncedAt.AddDate(0, 0, memory.NoticeDays); !v.AnnouncedAt.IsZero() && v.Class == memory.Standard && end.Before(notice) {
			end = notice // age ends nothing before that
		}
		if v.State == memory.Active && ends && !end.After(now.AddDate(0, 0, memory.NoticeDays)) {
			out = append(out, render.Ending{ID: v.DocumentID, At: end})
		}
	}
	slices.SortStableFunc(out, func(a, b render.Ending) int { return a.At.Compare(b.At) })
	return out
}
