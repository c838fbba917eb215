package intent

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
	"github.com/familiarhq/familiar/internal/text"
)

// Each function here reads the arguments of one or more verbs into an intent
// and returns what is wrong with them, in one line, or "".

const anID = "`m-7f3k2q8a`"

func readNothing(c command, in *Intent) string {
	if c.line != "" {
		return "`" + string(in.Verb) + "` takes no words behind it"
	}
	return ""
}

func readRemember(c command, in *Intent) string {
	if ids, bad := idsIn(c.text()); bad == "" && len(ids) > 0 {
		in.Verb = VerbApprove
		in.IDs = ids
		return tooManyIDs(ids)
	}
	in.Text = c.text()
	if in.Text == "" {
		return "`remember` needs the lesson itself: `remember money is rounded half-even`"
	}
	if with := listOf(c.opts["with"]); len(with) > 0 {
		return readWithCheck(c, in, with)
	}
	return ""
}

func readApprove(c command, in *Intent) string {
	head, words, reworded := cutAs(c)
	in.Reworded = reworded
	if problem := readIDsOrAll(head, in); problem != "" {
		return problem
	}
	if !reworded {
		return ""
	}
	in.Text = words
	switch {
	case in.All || len(in.IDs) != 1:
		return "`as:` gives one lesson other words, so name exactly one: `approve m-7f3k2q8a as: the new words`"
	case words == "":
		return "`as:` needs the words to approve instead: `approve m-7f3k2q8a as: the new words`"
	}
	return ""
}

var asWord = text.Lazy(`(?i)(^|[ \t])as[:\x{FF1A}]`)

// cutAs splits an approval before "as:", which may also start the next line.
func cutAs(c command) (head, words string, found bool) {
	if at := asWord.FindStringIndex(c.line); at != nil {
		words := strings.Join(append([]string{c.line[at[1]:]}, c.more...), "\n")
		return c.line[:at[0]], strings.TrimSpace(words), true
	}
	if len(c.more) > 0 {
		if at := asWord.FindStringIndex(c.more[0]); at != nil && strings.TrimSpace(c.more[0][:at[0]]) == "" {
			words := strings.Join(append([]string{c.more[0][at[1]:]}, c.more[1:]...), "\n")
			return c.line, strings.TrimSpace(words), true
		}
	}
	return c.line, "", false
}

func readReject(c command, in *Intent) string { return readIDsOrAll(c.line, in) }

func readIDsOrAll(line string, in *Intent) string {
	if strings.EqualFold(strings.Trim(unticked(line), "."), "all") {
		in.All = true
		return ""
	}
	return readIDList(line, in, "name lessons by id, or `all`: `"+string(in.Verb)+" m-7f3k2q8a`")
}

func readIDs(c command, in *Intent) string {
	return readIDList(c.line, in, "`"+string(in.Verb)+"` needs the id of a lesson, such as "+anID+"; `list` shows them")
}

// readIDList reads ids from one line only: a second line is talk, and talk
// such as "but not m-..." must not name what is acted on.
func readIDList(line string, in *Intent, missing string) string {
	ids, bad := idsIn(line)
	switch {
	case bad != "":
		return quoted(bad) + " is no id of a lesson, which looks like " + anID + "; `list` finds them"
	case len(ids) == 0:
		return missing
	}
	in.IDs = ids
	return tooManyIDs(ids)
}

func tooManyIDs(ids []string) string {
	if len(ids) > MaxIDs {
		return "one command may name at most " + strconv.Itoa(MaxIDs) + " lessons"
	}
	return ""
}

// idsIn returns the ids of which s consists, or the first word that is none.
func idsIn(s string) (ids []string, bad string) {
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n,;", r) }) {
		if strings.EqualFold(w, "and") {
			continue
		}
		id, ok := idOf(w)
		if !ok {
			return nil, w
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids, ""
}

// idOf returns the canonical form of an id as people write it.
func idOf(word string) (string, bool) {
	doc, version, ok := memory.ParseID(strings.TrimRight(unticked(word), ".:"))
	if !ok {
		return "", false
	}
	if version > 0 {
		return memory.VersionID(doc, version), true
	}
	return doc, true
}

func readEdit(c command, in *Intent) string {
	word, rest := firstWord(c.text())
	id, ok := idOf(word)
	if !ok {
		return "`edit` needs the id of a lesson and its new words: `edit m-7f3k2q8a the new words`"
	}
	in.IDs = []string{id}
	if in.Text = strings.TrimSpace(strings.TrimPrefix(rest, ":")); in.Text == "" {
		return "`edit " + id + "` needs the new words behind the id"
	}
	return ""
}

// firstWord splits s behind its first word.
func firstWord(s string) (word, rest string) {
	i := strings.IndexAny(s, " \t\n")
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

func readRevoke(c command, in *Intent) string {
	word, rest := firstWord(c.line)
	switch {
	case word == "":
		return "`" + string(in.Verb) + "` needs an id, a key or the beginning of keys: `" + string(in.Verb) + " lessons/rounding`"
	case rest != "":
		return "`" + string(in.Verb) + "` takes one id, key or beginning of keys; give each its own line"
	}
	if id, ok := idOf(word); ok {
		in.IDs = []string{id}
		return ""
	}
	in.Target = unticked(word)
	return ""
}

var findingID = text.Lazy(`^[Ff]([1-9][0-9]{0,3})$`)

// readFinding reads "F2" from the start of s and returns what follows it.
func readFinding(s string, in *Intent) (rest string, ok bool) {
	word, rest := firstWord(s)
	name, colon, _ := strings.Cut(word, ":")
	m := findingID.FindStringSubmatch(strings.TrimRight(unticked(name), ","))
	if m == nil {
		return "", false
	}
	in.Finding = "F" + m[1]
	return strings.TrimSpace(colon + " " + rest), true
}

// dispositionForms are the ends of a disposition as an example shows it.
var dispositionForms = map[Verb]string{
	VerbAccept:  " F2`, and a lesson if you like: `accept F2: why, as a lesson for the next review`",
	VerbDismiss: " F2: why, as a lesson for the next review`",
	VerbCorrect: " F2: what it should have been, as a lesson for the next review`",
}

func readDisposition(c command, in *Intent) string {
	rest, ok := readFinding(c.text(), in)
	if !ok {
		return "`" + string(in.Verb) + "` needs the id of a finding: `" + string(in.Verb) + dispositionForms[in.Verb]
	}
	return readLesson(rest, in)
}

// readLesson reads the lesson of a disposition: white space collapsed, at
// most MaxLesson characters, and required where a finding was wrong.
func readLesson(s string, in *Intent) string {
	in.Text = collapse(strings.TrimPrefix(strings.TrimSpace(s), ":"))
	if word, _ := firstWord(in.Text); findingID.MatchString(strings.TrimRight(word, ",.:")) {
		return "one finding a command: give each its own line"
	}
	if n := utf8.RuneCountInString(in.Text); n > MaxLesson {
		return "a lesson of a finding may have " + strconv.Itoa(MaxLesson) + " characters, this one has " + strconv.Itoa(n)
	}
	if in.Text == "" && in.Verb != VerbAccept {
		if in.Verb == VerbCorrect {
			return "say what it should have been, as a lesson for the next review: `correct " + in.Finding + ": the lock is missing, not the timeout`"
		}
		return "say why, as a lesson for the next review: `" + string(in.Verb) + " " + in.Finding + ": we vendor this file, never lint it`"
	}
	return ""
}

func readFeedback(c command, in *Intent) string {
	const form = "`feedback F2 dismissed: the lesson`, with accepted, dismissed or corrected"
	rest, ok := readFinding(c.text(), in)
	if !ok {
		return "write " + form
	}
	word, lesson, _ := strings.Cut(rest, ":")
	if word == rest {
		word, lesson = firstWord(rest)
	}
	verb, ok := map[string]Verb{"accepted": VerbAccept, "dismissed": VerbDismiss, "corrected": VerbCorrect}[strings.ToLower(strings.TrimSpace(word))]
	if !ok {
		return "write " + form
	}
	in.Verb = verb
	return readLesson(lesson, in)
}

func readList(c command, in *Intent) string {
	in.Text = redact.Cut(unticked(c.line), 200)
	if strings.EqualFold(in.Text, "pending") {
		in.Pending, in.Text = true, ""
	}
	return ""
}

func readWhy(c command, in *Intent) string {
	if rest, ok := readFinding(c.line, in); ok && rest == "" {
		return ""
	}
	in.Finding = ""
	if ids, bad := idsIn(c.line); bad == "" && len(ids) == 1 {
		in.IDs = ids
		return ""
	}
	return "`why` takes one lesson or one finding: `why m-7f3k2q8a` or `why F2`"
}

func readReview(c command, in *Intent) string {
	switch strings.ToLower(strings.TrimRight(c.line, ".!")) {
	case "", "please":
	case "full":
		in.Full = true
	default:
		return "`review` takes nothing behind it, or `full`"
	}
	return ""
}

func readHelp(c command, in *Intent) string {
	word, _ := firstWord(c.line)
	if verb, ok := ParseVerb(strings.ToLower(unticked(strings.Trim(word, "?.")))); ok {
		in.Topic = string(verb)
	}
	return ""
}
