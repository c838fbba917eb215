package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/familiarhq/familiar/internal/intent"
	"github.com/familiarhq/familiar/internal/memory"
	"github.com/familiarhq/familiar/internal/redact"
)

// InputError says that an input of the step cannot be used. It names the
// input and what it takes.
type InputError struct{ Input, Detail string }

// Error names the input and what it takes, and repeats no secret.
func (e *InputError) Error() string { return redact.Scrub("the input " + e.Input + " " + e.Detail) }

// memoryWords are the arguments of the operation memory, as `familiar memory`
// would take them: the verb first, then one value a line; `--name value` and
// `--name=value` are options.
type memoryWords struct {
	verb    string
	values  []string
	options map[string]string // several values of one option on lines of their own
}

// flagsWithout are the options that take no value. They say how a command line
// asks or prints, and mean nothing here, where the event is the answer.
var flagsWithout = []string{"yes", "json", "all", "accept-empty", "dry-run"}

// readMemoryWords reads the arguments. A single line, as a form on GitHub has
// room for, is split at its spaces.
func readMemoryWords(arguments []string) (memoryWords, error) {
	if len(arguments) == 1 {
		arguments = strings.Fields(arguments[0])
	}
	out := memoryWords{options: map[string]string{}}
	for i := 0; i < len(arguments); i++ {
		word := arguments[i]
		name, isOption := strings.CutPrefix(word, "--")
		switch {
		case !isOption || name == "" || strings.ContainsAny(name, " \t"):
			if value, ok := optionLine(word); ok {
				out.add(value[0], value[1])
				continue
			}
			out.values = append(out.values, word)
		case strings.Contains(name, "="):
			name, value, _ := strings.Cut(name, "=")
			out.add(name, value)
		case slices.Contains(flagsWithout, name):
			out.add(name, "yes")
		case i+1 < len(arguments):
			i++
			out.add(name, arguments[i])
		default:
			return out, &InputError{"arguments", fmt.Sprintf("has --%s without a value; write it on the next line", name)}
		}
	}
	if len(out.values) == 0 {
		return out, &InputError{"arguments", "takes a verb of `familiar memory` on its first line, one of " + strings.Join(memoryVerbs(), ", ")}
	}
	out.verb, out.values = strings.ToLower(out.values[0]), out.values[1:]
	if !slices.Contains(memoryVerbs(), out.verb) {
		return out, &InputError{"arguments", fmt.Sprintf("begins with %q, which the operation memory does not know; it takes %s", out.verb, strings.Join(memoryVerbs(), ", "))}
	}
	return out, nil
}

// optionLine reads `name: value` for the options of commands, as comments
// write them.
func optionLine(line string) ([2]string, bool) {
	name, value, ok := strings.Cut(line, ":")
	name = strings.ToLower(strings.TrimSpace(name))
	for _, row := range intent.Table() {
		for _, o := range row.Options {
			if ok && o.Name == name {
				return [2]string{name, strings.TrimSpace(value)}, true
			}
		}
	}
	return [2]string{}, false
}

func (w *memoryWords) add(name, value string) {
	if w.options[name] != "" {
		value = w.options[name] + "\n" + value
	}
	w.options[name] = value
}

// memoryVerbs are the verbs of the operation memory, in the order of page 6.6.
func memoryVerbs() []string {
	return []string{"list", "show", "search", "export", "verify", "forget", "redact", "purge", "revoke", "unrevoke", "retire", "keep",
		"edit", "approve", "reject", "snapshot", "restore", "recover"}
}

// capability is what a verb takes (page 4.3, mechanism 1). What is not known
// takes the highest.
func capability(verb string) memory.Op {
	switch verb {
	case "list", "show", "search", "verify":
		return memory.OpRead
	case "export":
		return memory.OpExport
	case "snapshot":
		return memory.OpSnapshot
	case "restore":
		return memory.OpRestore
	case "recover":
		return memory.OpRecover
	}
	if v, ok := intent.ParseVerb(verb); ok {
		if op, ok := operations[v]; ok {
			return op
		}
	}
	return memory.OpUninstall
}

// intended is the command that the words of a changing verb make.
func (w memoryWords) intended() (intent.Intent, error) {
	options := map[string]string{}
	for name, value := range w.options {
		if !slices.Contains(flagsWithout, name) {
			options[name] = value
		}
	}
	values := w.values
	if w.options["all"] != "" {
		values = append(values, "all")
	}
	in, err := intent.FromArgs(w.verb, values, options)
	if err != nil {
		return in, &InputError{"arguments", "is no command that can be done: " + err.Error()}
	}
	return in, nil
}
