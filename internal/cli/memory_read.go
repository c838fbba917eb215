package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/familiarhq/familiar/internal/app"
	"github.com/familiarhq/familiar/internal/config"
	"github.com/familiarhq/familiar/internal/health"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/render"
)

// memoryReading are the commands that only look.
func memoryReading(env Env, f *memoryFlags) []*cobra.Command {
	return []*cobra.Command{
		memoryList(env, f, false), memoryShow(env, f), memoryList(env, f, true), memoryDiff(env, f), memoryVerify(env, f),
	}
}

// listFlags are the filters of list.
type listFlags struct {
	all                                     bool
	states                                  []string
	scope, namespace, class, owner          string
	older, newer                            string
	unused, duplicate, contradictory, isOld bool
	expiring, revoked                       bool
}

func memoryList(env Env, f *memoryFlags, search bool) *cobra.Command {
	var l listFlags
	cmd := &cobra.Command{
		Use: "list [PATH | WORDS...]", Short: "List lessons, by what they are",
		Long: `Lists the lessons in use and those that wait, the latest first: all of them, or
those that every filter takes. An age is a number of days or weeks (90d, 12w) or
a day (2026-11-30), and counts from a lesson's approval.`,
		Example: `  familiar memory list --state review_required
  familiar memory list --unused --older-than 90d
  familiar memory list --repo acme/shop --namespace lessons --json`,
		RunE: func(cmd *cobra.Command, args []string) error { return runMemoryList(cmd.Context(), env, f, l, args) },
	}
	if search {
		cmd.Use, cmd.Short = "search WORDS...", "Find lessons by their words, of every state"
		cmd.Long, cmd.Example = "Lists every lesson that has all the words, in its text, its key or its synonyms,\nwhatever became of it.", "  familiar memory search rounding money"
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) == "" {
				return usage("search takes the words to look for; familiar memory list shows all lessons")
			}
			l.all = true
			return runMemoryList(cmd.Context(), env, f, l, args)
		}
		return cmd
	}
	flags := cmd.Flags()
	flags.BoolVar(&l.all, "all", false, "also what is no longer used; --state tombstoned has what was forgotten")
	flags.StringSliceVar(&l.states, "state", nil, "only those in a `STATE`: "+strings.Join(wordsOf(memory.States()), ", "))
	flags.StringVar(&l.scope, "scope", "", "only those of a `SCOPE`: "+strings.Join(wordsOf(memory.Scopes()), ", "))
	flags.StringVar(&l.namespace, "namespace", "", "only those whose key begins with `NAME`, such as lessons")
	flags.StringVar(&l.class, "class", "", "only those of a `CLASS`: "+strings.Join(wordsOf(memory.Classes()), ", "))
	flags.StringVar(&l.owner, "owner", "", "only those of a `LOGIN` or numeric id; nobody: those without an owner")
	flags.StringVar(&l.older, "older-than", "", "only those that stand for longer than an `AGE`")
	flags.StringVar(&l.newer, "newer-than", "", "only those that stand for less than an `AGE`")
	flags.BoolVar(&l.unused, "unused", false, fmt.Sprintf("only those that no review has read, %d days or more after they were taught or renewed", health.UnusedAfterDays))
	flags.BoolVar(&l.duplicate, "duplicate", false, "only those that say what another says")
	flags.BoolVar(&l.contradictory, "contradictory", false, "only those that contradict another")
	flags.BoolVar(&l.isOld, "stale", false, "only those whose files are gone from the default branch (needs a clone)")
	flags.BoolVar(&l.expiring, "expiring", false, "only those that end soon")
	flags.BoolVar(&l.revoked, "revoked", false, "the keys that are revoked, and which lessons each keeps from being read")
	return cmd
}

// selection is what the flags ask for, without what takes the store to know.
func (l listFlags) selection(now time.Time) (memory.Selection, error) {
	s := memory.Selection{Namespace: l.namespace, Owner: l.owner}
	for _, word := range l.states {
		state, err := memory.ParseState(word)
		if other, ok := saidOfStates[word]; ok {
			return s, usage("--state: %w; a lesson that is %s is %s", err, word, other)
		}
		if err != nil {
			return s, usage("--state: %w", err)
		}
		s.States = append(s.States, state)
	}
	var err error
	if l.scope != "" {
		if s.Scope, err = memory.ParseScope(l.scope); err != nil {
			return s, usage("--scope: %w", err)
		}
	}
	if l.class != "" {
		if s.Class, err = memory.ParseClass(l.class); err != nil {
			return s, usage("--class: %w", err)
		}
	}
	if s.OlderThan, err = ago("older-than", l.older, now); err != nil {
		return s, err
	}
	s.NewerThan, err = ago("newer-than", l.newer, now)
	return s, err
}

// saidOfStates are the states by what people call them.
var saidOfStates = map[string]memory.State{
	"pending": memory.ReviewRequired, "waiting": memory.ReviewRequired, "approved": memory.Active, "forgotten": memory.Tombstoned,
	"redacted": memory.Tombstoned, "retired": memory.Deprecated, "expired": memory.Deprecated, "replaced": memory.Superseded,
}

// ago is the moment that an age names; zero for none.
func ago(flag, age string, now time.Time) (time.Time, error) {
	if age == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, age); err == nil {
		return day, nil
	}
	n, err := strconv.Atoi(strings.TrimRight(age, "dw"))
	unit := map[string]int{"d": 1, "w": 7}[strings.TrimLeft(age, "0123456789")]
	if err != nil || n < 0 || n > 10_000 || unit == 0 {
		return time.Time{}, usage("--%s takes an age such as 90d or 12w, or a day such as 2026-11-30, not %q", flag, age)
	}
	return now.AddDate(0, 0, -n*unit), nil
}

// checks are the rules of health that the flags ask for.
func (l listFlags) checks() []health.Check {
	var out []health.Check
	for _, c := range []struct {
		on    bool
		check health.Check
	}{{l.unused, health.CheckUnused}, {l.duplicate, health.CheckDuplicate}, {l.contradictory, health.CheckContradictory},
		{l.isOld, health.CheckStale}, {l.expiring, health.CheckExpiring}} {
		if c.on {
			out = append(out, c.check)
		}
	}
	return out
}

func runMemoryList(ctx context.Context, env Env, f *memoryFlags, l listFlags, args []string) error {
	query := strings.Join(args, " ")
	selection, err := l.selection(env.Now)
	if err != nil {
		return err
	}
	o, err := f.open(ctx, env)
	if err != nil {
		return err
	}
	defer o.close()
	if l.isOld && o.clone == nil {
		return usage("--stale compares with the files of a clone, and this memory was named without one")
	}
	if checks := l.checks(); len(checks) > 0 {
		if selection.Documents, err = o.concerned(ctx, env.Now, checks); err != nil {
			return err
		}
	}
	if l.revoked && query == "" && !l.filters() && !f.json {
		i, err := app.Inspect(ctx, o.memory)
		if err != nil {
			return err
		}
		return env.print(render.DenialList(memory.Denials(i.Denied, i.Versions), f.view(env)))
	}
	selection.Revoked = l.revoked
	r := app.ListRequest{Stores: o.memory, Query: query, All: l.all, Select: selection}
	if query == "pending" && !l.all {
		r.Query, r.Pending = "", true
	}
	lessons, err := app.List(ctx, r)
	if err != nil {
		return err
	}
	if s, ok := o.memory.(app.Stores); ok && len(lessons) == 0 && !f.json {
		if err := env.hintOthers(o.clone, s); err != nil {
			return err
		}
	}
	switch {
	case f.json:
		return env.printJSON(render.LessonsJSON(lessons))
	case len(lessons) == 0 && (query != "" || l.filters()):
		return env.print(noneTaken(query))
	}
	return env.print(render.LessonList(lessons, f.view(env)))
}

// filters says whether anything narrows the list.
func (l listFlags) filters() bool {
	return len(l.states) > 0 || l.scope+l.namespace+l.class+l.owner+l.older+l.newer != "" || len(l.checks()) > 0
}

func noneTaken(query string) string {
	switch query {
	case "":
		return "No lesson is of that kind; `familiar memory list` shows all.\n"
	case "pending":
		return noneListed(query)
	}
	return render.Paragraph(fmt.Sprintf("No lesson of that kind is for a path %q or has all of these words; `familiar memory list` shows all.", render.Plain(query)), "", "")
}

// view is how a memory's lessons are shown: commands in it are those of
// `familiar memory`.
func (f *memoryFlags) view(env Env) render.TerminalOptions {
	opts := env.view()
	opts.Program = "familiar memory"
	if f.remote != "" {
		opts.Program += " --repo " + f.remote
	}
	return opts
}

// concerned are the documents that all of the rules name.
func (o *opened) concerned(ctx context.Context, now time.Time, checks []health.Check) (map[string]bool, error) {
	i, err := app.Inspect(ctx, o.memory)
	if err != nil {
		return nil, err
	}
	found, err := app.LessonHealth(ctx, i, o.clone, now, defaultRetention())
	if err != nil {
		return nil, err
	}
	out := health.Concerning(found, checks[0])
	for _, c := range checks[1:] {
		also := health.Concerning(found, c)
		maps.DeleteFunc(out, func(id string, _ bool) bool { return !also[id] })
	}
	return out, nil
}

// defaultRetention is what the sweep goes by where nothing is configured.
func defaultRetention() memory.Retention {
	m := config.Defaults().Memory
	return memory.Retention{MaxAgeDays: m.MaxAgeDays, MaxUnusedDays: m.MaxUnusedDays}
}

func memoryDiff(env Env, f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use: "diff EARLIER [LATER]", Short: "Show what differs between two generations",
		Long: `Compares two generations of one memory: what was added, what is gone, what
moved, and which keys were revoked. A generation is a store or container file;
with --repo also the number of a generation or of an artifact that is still
there. LATER is the memory as it is, unless it is named.`,
		Example: `  familiar memory diff snapshot.zip
  familiar memory diff --repo acme/shop 41 44`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usage("diff takes one or two generations, but got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runMemoryDiff(cmd.Context(), env, f, args) },
	}
}

func runMemoryDiff(ctx context.Context, env Env, f *memoryFlags, args []string) error {
	before, err := f.generation(ctx, env, args[0])
	if err != nil {
		return err
	}
	later := ""
	if len(args) == 2 {
		later = args[1]
	}
	after, err := f.generation(ctx, env, later)
	if err != nil {
		return err
	}
	if before.Info.StoreID != after.Info.StoreID && before.Exists && after.Exists {
		return fmt.Errorf("these are two stores, %.8s and %.8s, not two generations of one", before.Info.StoreID, after.Info.StoreID)
	}
	changes := memory.Compare(before.Generation(), after.Generation())
	if f.json {
		return env.printJSON(render.ChangesJSON(before.Info.Generation, after.Info.Generation, changes))
	}
	return env.print(render.Changes(before.Info.Generation, after.Info.Generation, changes, f.view(env)))
}

// generation inspects the one that is named: a file, or a number with --repo;
// "" is the memory as it is.
func (f *memoryFlags) generation(ctx context.Context, env Env, name string) (app.Inspection, error) {
	g := *f
	common := *f.commonFlags
	g.commonFlags = &common
	number, err := strconv.ParseInt(name, 10, 64)
	if err == nil && f.remote == "" && !isThere(f.path(env, name)) {
		return app.Inspection{}, usage("%s is the number of a generation, and numbers are those of a repository; add --repo OWNER/NAME, or name a file", name)
	}
	numbered := err == nil && f.remote != ""
	if name != "" && !numbered {
		g.remote, g.store = "", name
	}
	o, err := g.open(ctx, env)
	if err != nil {
		return app.Inspection{}, err
	}
	defer o.close()
	if numbered {
		return app.InspectGeneration(ctx, o.memory, number)
	}
	i, err := app.Inspect(ctx, o.memory)
	if err == nil && name != "" && !i.Exists {
		return i, fmt.Errorf("%s is not there; check the path", name)
	}
	return i, err
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func memoryVerify(env Env, f *memoryFlags) *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Check seal, identity, schema and every row of a memory",
		Long: `Opens the memory as every use of it does, and then holds it against its own
laws: seal and identity of each container, schema and rows of the database,
what no operation leaves behind, the counts of the manifest, and that it merges
with a copy of itself without a change. Nothing is changed. The exit status is
1 if anything is wrong.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := f.open(cmd.Context(), env)
			if err != nil {
				return err
			}
			defer o.close()
			verdicts, err := app.Verify(cmd.Context(), o.memory, o.dir, env.Now)
			if err != nil {
				return err
			}
			return env.printVerdicts(o.name, verdicts, f.json)
		},
	}
}

func (e Env) printVerdicts(name string, verdicts []app.Verdict, asJSON bool) error {
	sound := true
	type wire struct {
		Name   string `json:"check"`
		OK     bool   `json:"ok"`
		Detail string `json:"detail"`
	}
	out := []wire{}
	var b strings.Builder
	for _, v := range verdicts {
		sound = sound && v.OK
		out = append(out, wire(v))
		mark := "ok     "
		if !v.OK {
			mark = "WRONG  "
		}
		b.WriteString(render.Paragraph(render.Plain(v.Name+": "+v.Detail)+".", mark, "       "))
	}
	var err error
	if asJSON {
		err = e.printJSON(json.MarshalIndent(map[string]any{"memory": name, "sound": sound, "checks": out}, "", "  "))
	} else {
		err = e.print(b.String())
	}
	if err == nil && !sound {
		return exitError{ExitFailed, fmt.Errorf("the memory of %s is not sound; see above", render.Plain(name))}
	}
	return err
}
