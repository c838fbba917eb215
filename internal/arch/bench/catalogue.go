package main

// figure is one row of the table.
type figure struct {
	id, what string
	unit     string  // "ms", "MB", "calls", "deep"
	budget   float64 // none without budgeted
	budgeted bool
	// bench and metric say which benchmark gives it; "" where a function does.
	bench, metric string
	scale         float64 // of the metric's unit to ours
}

// reasons say why a figure is over its budget. A row that is over and has no
// reason here fails the test of the page.
var reasons = map[string]string{
	"start":      "Half of it initialises packages, most of them brought by gitleaks, whose expressions and tables nobody can defer from outside; the rest is the kernel starting a large binary.",
	"load 10k":   checked,
	"load 100k":  checked,
	"recall 10k": "Most of it asks how many lessons have each of the change's words, one look-up a word; plain FTS5 is told the rare words.",
	"save 10k":   packed,
	"save 100k":  packed,
}

const (
	checked = "SQLite's quick_check of every table, and beside it our check of every row and of the index, half each; before them the digests, age and zstd."
	packed  = "The index is written anew as one, so that no forgotten word stays in it; then the file is copied without free pages, its rows are checked once more, and it is compressed and sealed."
)

const (
	nanoseconds = 1e-6
	same        = 1
)

// catalogue is every row of the table, in its order.
var catalogue = []figure{
	{id: "binary", what: "binary, stripped", unit: "MB", budget: 24, budgeted: true},
	{id: "image", what: "image, compressed", unit: "MB", budget: 10, budgeted: true},
	{id: "start", what: "process start to `version` (median of 50)", unit: "ms", budget: 10, budgeted: true, bench: "BenchmarkStart", metric: "median-ms", scale: same},
	{id: "start memory", what: "its peak memory", unit: "MB", bench: "BenchmarkStart", metric: "peak-MB", scale: same},
	{id: "casual", what: "a casual comment that starts the action all the same", unit: "ms", budget: 20, budgeted: true, bench: "BenchmarkAction/casual_comment", metric: "median-ms", scale: same},
	{id: "casual calls", what: "its calls to the API", unit: "calls", budget: 0, budgeted: true, bench: "BenchmarkAction/casual_comment", metric: "calls", scale: same},
	{id: "casual memory", what: "its peak memory", unit: "MB", bench: "BenchmarkAction/casual_comment", metric: "peak-MB", scale: same},
	{id: "plain", what: "the whole action: 100 lessons, 20 files, nothing found", unit: "ms", budget: 200, budgeted: true, bench: "BenchmarkAction/plain", metric: "median-ms", scale: same},
	{id: "plain calls", what: "its calls to the API", unit: "calls", budget: 14, budgeted: true},
	{id: "plain depth", what: "its round trips, one after the other", unit: "deep", budget: 6, budgeted: true},
	{id: "plain memory", what: "its peak memory", unit: "MB", bench: "BenchmarkAction/plain", metric: "peak-MB", scale: same},
	{id: "findings", what: "the same with three findings", unit: "ms", budget: 200, budgeted: true, bench: "BenchmarkAction/with_findings", metric: "median-ms", scale: same},
	{id: "findings calls", what: "its calls to the API", unit: "calls", budget: 18, budgeted: true},
	{id: "findings depth", what: "its round trips, one after the other", unit: "deep", budget: 6, budgeted: true},
	{id: "stores", what: "the same where it also stores", unit: "ms", budget: 200, budgeted: true, bench: "BenchmarkAction/one_that_stores", metric: "median-ms", scale: same},
	{id: "stores calls", what: "its calls to the API", unit: "calls", budget: 22, budgeted: true},
	{id: "stores depth", what: "its round trips, one after the other", unit: "deep", budget: 6, budgeted: true},
	{id: "stores memory", what: "its peak memory", unit: "MB", bench: "BenchmarkAction/one_that_stores", metric: "peak-MB", scale: same},
	{id: "container", what: "a sealed container of 1,000 lessons", unit: "KB", bench: "BenchmarkVault/Load/lessons=1000", metric: "container-KB", scale: same},
	{id: "load 10k", what: "load (verify, open, one head) at 10,000 lessons", unit: "ms", budget: 60, budgeted: true, bench: "BenchmarkVault/Load/lessons=10000", metric: "ns/op", scale: nanoseconds},
	{id: "recall 10k", what: "recall at 10,000", unit: "ms", budget: 8, budgeted: true, bench: "BenchmarkStore/Recall/lessons=10000", metric: "ns/op", scale: nanoseconds},
	{id: "save 10k", what: "save at 10,000", unit: "ms", budget: 150, budgeted: true, bench: "BenchmarkVault/Save/lessons=10000", metric: "ns/op", scale: nanoseconds},
	{id: "load 100k", what: "load at 100,000", unit: "ms", budget: 450, budgeted: true, bench: "BenchmarkVault/Load/lessons=100000", metric: "ns/op", scale: nanoseconds},
	{id: "recall 100k", what: "recall at 100,000", unit: "ms", budget: 80, budgeted: true, bench: "BenchmarkStore/Recall/lessons=100000", metric: "ns/op", scale: nanoseconds},
	{id: "save 100k", what: "save at 100,000", unit: "ms", budget: 1000, budgeted: true, bench: "BenchmarkVault/Save/lessons=100000", metric: "ns/op", scale: nanoseconds},
	{id: "merge", what: "merge of 16 heads of 10,000 that differ in 100 each", unit: "ms", budget: 1500, budgeted: true, bench: "BenchmarkStore/Merge/lessons=10000/heads=16", metric: "ns/op", scale: nanoseconds},
	{id: "proposals", what: "scan of 1,000 proposals for secrets", unit: "ms", budget: 250, budgeted: true, bench: "BenchmarkProposals", metric: "ns/op", scale: nanoseconds},
	{id: "diff", what: "scan of a 1 MB diff for secrets", unit: "ms", budget: 700, budgeted: true, bench: "BenchmarkDiff", metric: "ns/op", scale: nanoseconds},
	{id: "review 100k", what: "the whole action, a review at 100,000 lessons", unit: "ms", bench: "BenchmarkLessons/Review/lessons=100000", metric: "median-ms", scale: same},
	{id: "review 100k memory", what: "its peak memory", unit: "MB", budget: 300, budgeted: true, bench: "BenchmarkLessons/Review/lessons=100000", metric: "peak-MB", scale: same},
	{id: "remember 100k", what: "the whole action, a command that stores at 100,000", unit: "ms", bench: "BenchmarkLessons/Remember/lessons=100000", metric: "median-ms", scale: same},
	{id: "remember 100k memory", what: "its peak memory", unit: "MB", budget: 300, budgeted: true, bench: "BenchmarkLessons/Remember/lessons=100000", metric: "peak-MB", scale: same},
}

// comparison is one row of the table of peers.
type comparison struct{ id, what, unit, part, peer string }

// comparisons are in the order of the table; peers.go says how each is made.
var comparisons = []comparison{
	{"scan library", "secrets in 64 KB of a diff", "ms", "secrets", "gitleaks' library alone on the same text"},
	{"proposals library", "secrets in 1,000 proposals", "ms", "secrets", "gitleaks' library alone on the same texts"},
	{"scan command", "a whole review of 1 MB of new files, from the command line", "ms", "gitleaks", "`gitleaks dir`, which looks for secrets only"},
	{"scan memory", "its peak memory", "MB", "gitleaks", "`gitleaks dir`"},
	{"recall 10k", "recall at 10,000 lessons, with trust, state, globs and budget", "ms", "fts5", "plain FTS5 of the same texts: twelve known words, the forty best by bm25"},
	{"recall 100k", "the same at 100,000", "ms", "fts5", "plain FTS5"},
	{"load", "load at 10,000: open the seal, check every row, open", "ms", "by-hand", "`age -d`, `zstd -d`, `sqlite3` with `quick_check`"},
	{"save", "save at 10,000: merge, pack, seal", "ms", "by-hand", "`sqlite3` with `VACUUM INTO`, `zstd`, `age`"},
	{"start", "process start to `version`", "ms", "reviewdog", "`reviewdog -version`"},
	{"size", "binary, stripped", "MB", "reviewdog", "reviewdog's, built with the same flags"},
	{"patch", "a patch of 1,000 files read, as a process", "ms", "git-apply", "`git apply --stat`"},
}

// series is one line of a plot.
type series struct{ id, name, bench, metric string }

// plots are the pictures of growth, by file name.
var plots = []struct {
	file, title, axis, unit string
	lines                   []series
}{
	{"benchmarks-lessons.svg", "Growth with the lessons of the memory", "lessons", "ms", []series{
		{"load", "load", "BenchmarkVault/Load/lessons=", "ns/op"}, {"recall", "recall", "BenchmarkStore/Recall/lessons=", "ns/op"}, {"save", "save", "BenchmarkVault/Save/lessons=", "ns/op"},
		{"review", "a whole review", "BenchmarkLessons/Review/lessons=", "median-ms"}}},
	{"benchmarks-memory.svg", "Peak memory, by the lessons of the memory", "lessons", "MB", []series{
		{"review memory", "a review", "BenchmarkLessons/Review/lessons=", "peak-MB"}, {"remember memory", "one that stores", "BenchmarkLessons/Remember/lessons=", "peak-MB"}}},
	{"benchmarks-files.svg", "Growth with the files of the change", "files", "ms", []series{
		{"files", "the whole action", "BenchmarkFiles/files=", "median-ms"}, {"parse", "the patch read", "BenchmarkParse/files=", "ns/op"}}},
	{"benchmarks-calls.svg", "Calls to the API, by the files of the change", "files", "calls", []series{
		{"files calls", "the whole action", "BenchmarkFiles/files=", "calls"}}},
	{"benchmarks-heads.svg", "Growth with the heads that parallel runs left", "heads", "ms", []series{
		{"heads", "load, 1,000 each", "BenchmarkHeads/heads=", "ns/op"}, {"merge", "merge, 10,000 each", "BenchmarkStore/Merge/lessons=10000/heads=", "ns/op"}}},
}
