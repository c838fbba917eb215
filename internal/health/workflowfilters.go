package health

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/text"
)

// filters: a comment with the handle starts a job, one without does not, and
// labels that command start one (page 6.4).
func filters(w Workflow, f WorkflowFacts) []Finding {
	var out []Finding
	handle := f.Config.Familiar.Handle
	if handle == "" {
		handle = intent.DefaultHandle
	}
	if e, ok := w.event("issue_comment"); ok {
		out = append(out, commentFilter(w, e, handle)...)
		out = append(out, likeOurs(w, e, handle)...)
	}
	if _, ok := w.event("pull_request_target"); ok {
		out = append(out, labelFilter(w, f)...)
	}
	return out
}

// likeOurs warns of a handle that a reader takes for the one that always
// works: what is said to either is then read as said to the other (issue 6).
func likeOurs(w Workflow, e Event, handle string) []Finding {
	if !text.LooksLike(handle, intent.DefaultHandle) {
		return nil
	}
	return []Finding{{
		Check: CheckHandle, Severity: Warning, File: w.Path, Line: e.Line, Field: "familiar.handle",
		Message: fmt.Sprintf("The handle %s only looks like %s.", handle, intent.DefaultHandle),
		Reason:  fmt.Sprintf("Both command this action, and another account may have either name: nobody sees who is spoken to. %s works in any case.", intent.DefaultHandle),
		Fix:     "Choose a handle that nobody takes for another, or leave the setting out.",
	}}
}

func commentFilter(w Workflow, e Event, handle string) []Finding {
	filtered, listening := false, false
	line := e.Line
	for _, j := range w.Jobs {
		if _, ours := j.familiar(); !ours || !strings.Contains(j.If.Value, "github.event.comment.body") {
			continue
		}
		filtered, line = true, j.If.Line
		listening = listening || mentionsHandle(j.If.Value, handle)
	}
	if !filtered {
		return []Finding{{
			Check: CheckHandle, Severity: Warning, File: w.Path, Line: line, Field: "familiar.handle",
			Message: "Every comment starts a job.",
			Reason:  "Without a filter each remark of anybody costs a runner's minute, and a wave of them delays commands.",
			Fix:     "Run familiar init: its if: filters start a job only for comments with the handle.",
		}}
	}
	if listening {
		return nil
	}
	finding := Finding{
		Check: CheckHandle, Severity: Error, File: w.Path, Line: line, Field: "familiar.handle",
		Message: fmt.Sprintf("The if: filter does not let comments through that start with @%s.", handle),
		Reason:  fmt.Sprintf("The configured handle is %s, and the filter listens to another: no command is ever answered.", handle),
		Fix:     "Run familiar init, or familiar doctor --fix: the filter then listens to the configured handle.",
	}
	if edits := withHandle(w.Text, handle); len(edits) > 0 {
		finding.Repair = &Repair{Path: w.Path, Edits: edits}
	}
	return []Finding{finding}
}

// mentionsHandle says whether a filter looks for the handle with an @. GitHub
// compares without regard to case.
func mentionsHandle(filter, handle string) bool {
	for _, m := range filteredHandle.FindAllStringSubmatch(filter, -1) {
		if strings.EqualFold(m[1], handle) {
			return true
		}
	}
	return false
}

// filteredHandle finds a handle at the beginning of a text that a filter
// compares with: '@name' or "\n@name".
var filteredHandle = text.Lazy(`(?:['"]|\\n)[@/]([A-Za-z0-9][A-Za-z0-9-]*)`)

// withHandle lets the filters of comments listen to another handle: on lines
// that compare a comment's body, and nowhere else.
func withHandle(text, handle string) []Edit {
	var out []Edit
	for i, line := range strings.Split(text, "\n") {
		if !strings.Contains(line, "github.event.comment.body") {
			continue
		}
		changed := filteredHandle.ReplaceAllStringFunc(line, func(found string) string {
			return found[:strings.LastIndexAny(found, "@/")+1] + handle
		})
		if changed != line {
			out = append(out, Edit{Line: i + 1, Old: line, New: changed})
		}
	}
	return out
}

// labelFilter: a label of another name than ours has to be named.
func labelFilter(w Workflow, f WorkflowFacts) []Finding {
	l := f.Config.Familiar.Labels
	var out []Finding
	for _, j := range w.Jobs {
		if _, ours := j.familiar(); !ours || !strings.Contains(j.If.Value, "github.event.label.name") {
			continue
		}
		for _, named := range []struct{ key, label string }{
			{"approve", l.Approve}, {"reject", l.Reject}, {"review", l.Review}, {"no_memory", l.NoMemory}, {"skip", l.Skip},
		} {
			if named.label == "" || passesLabel(j.If.Value, named.label) {
				continue
			}
			out = append(out, Finding{
				Check: CheckHandle, Severity: Warning, File: w.Path, Line: j.If.Line, Field: "familiar.labels." + named.key,
				Message: fmt.Sprintf("The if: filter starts no job for the label %s.", quoted(named.label)),
				Reason:  "Whoever puts it on waits for the next run that something else starts.",
				Fix:     "Name the label in the filter, or give it a name that starts with familiar:.",
			})
		}
	}
	return out
}

var (
	labelPrefix = text.Lazy(`startsWith\(\s*github\.event\.label\.name\s*,\s*'([^']*)'\s*\)`)
	labelEquals = text.Lazy(`github\.event\.label\.name\s*==\s*'([^']*)'`)
)

func passesLabel(filter, label string) bool {
	for _, m := range labelPrefix.FindAllStringSubmatch(filter, -1) {
		if len(label) >= len(m[1]) && strings.EqualFold(label[:len(m[1])], m[1]) {
			return true
		}
	}
	for _, m := range labelEquals.FindAllStringSubmatch(filter, -1) {
		if strings.EqualFold(label, m[1]) {
			return true
		}
	}
	// A filter that asks for one label by name alone is somebody's own choice
	// of what starts a review, not the commands' door.
	return !labelPrefix.MatchString(filter)
}

// queues: no command is cancelled by another, and no review by a casual
// comment.
func queues(w Workflow) []Finding {
	_, comments := w.event("issue_comment")
	if !comments {
		return nil
	}
	var out []Finding
	add := func(line int, message, reason, fix string) *Finding {
		out = append(out, Finding{Check: CheckQueue, Severity: Warning, File: w.Path, Line: line, Message: message, Reason: reason, Fix: fix})
		return &out[len(out)-1]
	}
	if w.Concurrency != nil {
		add(w.Concurrency.Line, "concurrency stands at the top of a workflow that comments start.",
			"It is claimed before any if: filter, so a casual comment takes the place of a run that waits, or cancels one.", "Move it to the jobs, as familiar init writes it.")
	}
	for _, j := range w.Jobs {
		_, ours := j.familiar()
		if !ours || j.Concurrency == nil || !commandJob(j) {
			continue
		}
		switch {
		case j.Concurrency.Cancel:
			add(j.Concurrency.Line, fmt.Sprintf("A new command cancels the one that the job %s is at.", quoted(j.ID)),
				"What it was told is done late, by a later run.", "Write queue: max in place of cancel-in-progress.")
		case j.Concurrency.Queue != "max":
			f := add(j.Concurrency.Line, fmt.Sprintf("Of commands that wait for the job %s, GitHub keeps one.", quoted(j.ID)),
				"The others are cancelled, and done late, by a later run.", "Add queue: max to its concurrency; familiar doctor --fix does it.")
			f.Repair = queued(w, *j.Concurrency)
		}
	}
	return out
}

// queued adds queue: max below the line of a concurrency's group. Where that
// stands in another form, a person has to do it.
func queued(w Workflow, c Concurrency) *Repair {
	lines := strings.Split(w.Text, "\n")
	if c.GroupLine < 1 || c.GroupLine > len(lines) || c.GroupLine == c.Line || c.Queue != "" {
		return nil
	}
	line := lines[c.GroupLine-1]
	body := strings.TrimLeft(line, " ")
	if !strings.HasPrefix(body, "group:") || strings.HasSuffix(strings.TrimSpace(line), "|") || strings.HasSuffix(strings.TrimSpace(line), "-") {
		return nil
	}
	indent := line[:len(line)-len(body)]
	return &Repair{Path: w.Path, Edits: []Edit{{Line: c.GroupLine, Old: line, New: line + "\n" + indent + "queue: max"}}}
}

// commandJob says whether comments can start a job.
func commandJob(j Job) bool {
	return j.If.Value == "" || strings.Contains(j.If.Value, "issue_comment") || strings.Contains(j.If.Value, "github.event.comment")
}

// sweepOf finds the schedule that starts familiar most often; every is 0 where
// there is none.
func sweepOf(workflows []Workflow) (file Workflow, at Event, every time.Duration) {
	for _, w := range workflows {
		e, ok := w.event("schedule")
		if !ok || !w.startsFamiliar() {
			continue
		}
		for _, c := range e.Crons {
			if d := cronEvery(c.Value); d > 0 && (every == 0 || d < every) {
				file, at, every = w, e, d
			}
		}
	}
	return file, at, every
}

// SweepEvery is how often the sweep of these workflow files comes; 0: never.
func SweepEvery(workflows []Workflow) time.Duration {
	_, _, every := sweepOf(workflows)
	return every
}

// sweepShape: something looks at the memory every day, in a file of its own.
func sweepShape(f WorkflowFacts) []Finding {
	w, e, every := sweepOf(f.Workflows)
	if every == 0 {
		return []Finding{{
			Check: CheckSchedule, Severity: Warning, File: ".github/workflows",
			Message: "No schedule starts familiar.",
			Reason:  "Nothing ends lessons that are over, stores the memory anew before GitHub deletes it, or finds commands that a lost run missed.",
			Fix:     "Run familiar init: it writes familiar-sweep.yml.",
		}}
	}
	out := sweepDeletes(w, f)
	for _, other := range w.Events {
		if other.Name != "schedule" && other.Name != "workflow_dispatch" {
			out = append(out, Finding{
				Check: CheckSchedule, Severity: Warning, File: w.Path, Line: e.Line,
				Message: "The schedule stands in a file with other triggers.",
				Reason:  "GitHub turns a public repository's file with a schedule off after 60 quiet days, and with it everything else in the file.",
				Fix:     "Give the schedule a file of its own, as familiar init writes it.",
			})
			break
		}
	}
	if f.Visibility == "public" {
		out = append(out, Finding{
			Check: CheckSchedule, Severity: Note, File: w.Path, Line: e.Line,
			Message: "GitHub turns this schedule off after 60 days without activity in the repository.",
			Reason:  "Nothing stores the memory anew then, and it is deleted at the end of its lifetime.",
			Fix:     "Keep a snapshot (familiar memory snapshot FILE), and turn the workflow on again when work goes on.",
		})
	}
	if life := containerLife(f.Workflows); life < 3*every {
		short := shortLife(life, every)
		short.File, short.Line = w.Path, e.Line
		out = append(out, short)
	}
	return out
}

// defaultArtifactDays is the lifetime that the action asks for where the step
// says nothing.
const defaultArtifactDays = 90

// containerLife is the shortest lifetime that a step asks for.
func containerLife(workflows []Workflow) time.Duration {
	shortest := defaultArtifactDays
	for _, w := range workflows {
		for _, j := range w.Jobs {
			s, ours := j.familiar()
			if n, err := strconv.Atoi(strings.TrimSpace(s.With["artifact-days"].Value)); ours && err == nil && n > 0 {
				shortest = min(shortest, n)
			}
		}
	}
	return time.Duration(shortest) * 24 * time.Hour
}

// cronEvery is about how often a schedule comes: the longest of what its
// fields ask for. 0 for one that cannot be read.
func cronEvery(cron string) time.Duration {
	fields := strings.Fields(cron)
	if len(fields) != 5 {
		return 0
	}
	const day = 24 * time.Hour
	times := func(field string, all int) int {
		if step, ok := strings.CutPrefix(field, "*/"); ok {
			if n, err := strconv.Atoi(step); err == nil && n > 0 {
				return max(all/n, 1)
			}
			return 0
		}
		if field == "*" {
			return all
		}
		n := 0
		for part := range strings.SplitSeq(field, ",") {
			low, high, span := strings.Cut(part, "-")
			a, errA := strconv.Atoi(low)
			b, errB := strconv.Atoi(high)
			switch {
			case span && errA == nil && errB == nil && b >= a:
				n += b - a + 1
			case slices.Contains(cronNames, strings.ToUpper(part)) || !span && errA == nil:
				n++
			case span && slices.Contains(cronNames, strings.ToUpper(low)):
				n += 2
			default:
				return 0
			}
		}
		return n
	}
	minutes, hours, dom, months, dow := times(fields[0], 60), times(fields[1], 24), times(fields[2], 30), times(fields[3], 12), times(fields[4], 7)
	if minutes == 0 || hours == 0 || dom == 0 || months == 0 || dow == 0 {
		return 0
	}
	switch {
	case months < 12:
		return 365 * day / time.Duration(months)
	case dom < 30:
		return 30 * day / time.Duration(dom)
	case dow < 7:
		return 7 * day / time.Duration(dow)
	case hours < 24:
		return day / time.Duration(hours)
	}
	return time.Hour / time.Duration(minutes)
}

var cronNames = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}
