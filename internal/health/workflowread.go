package health

import (
	"strings"

	"gopkg.in/yaml.v3"
)

func (p *workflowReader) workflow(w *Workflow, root *yaml.Node) {
	for _, e := range entries(root) {
		switch e.key {
		case "name":
			w.Name = scalar(e.value).Value
		case "on", "true": // YAML 1.1 reads a bare on as a truth value; the words of the file stay
			w.Events = events(e)
		case "permissions":
			w.Permissions = permissions(e)
		case "concurrency":
			w.Concurrency = concurrency(e)
		case "env":
			w.Env = texts(e.value)
		case "jobs":
			for _, j := range entries(e.value) {
				w.Jobs = append(w.Jobs, job(j))
			}
		}
	}
}

// events reads the three forms of `on:`.
func events(e entry) []Event {
	var out []Event
	for _, s := range listed(e.value) {
		out = append(out, Event{Name: s.Value, Line: s.Line})
	}
	for _, on := range entries(e.value) {
		event := Event{Name: on.key, Line: on.line}
		if on.value != nil && on.value.Kind == yaml.SequenceNode { // schedule
			for _, item := range on.value.Content {
				for _, c := range entries(item) {
					if c.key == "cron" {
						event.Crons = append(event.Crons, scalar(c.value))
					}
				}
			}
		}
		for _, f := range entries(on.value) {
			if f.key == "types" {
				event.Types = values(listed(f.value))
			}
		}
		out = append(out, event)
	}
	return out
}

func permissions(e entry) *Permissions {
	out := &Permissions{Line: e.line, By: map[string]string{}, All: scalar(e.value).Value}
	for _, p := range entries(e.value) {
		out.By[p.key] = scalar(p.value).Value
	}
	return out
}

func concurrency(e entry) *Concurrency {
	out := &Concurrency{Line: e.line}
	for _, c := range entries(e.value) {
		switch c.key {
		case "group":
			out.GroupLine = c.line
		case "cancel-in-progress":
			out.Cancel = scalar(c.value).Value != "false"
		case "queue":
			out.Queue = scalar(c.value).Value
		}
	}
	return out
}

func job(e entry) Job {
	out := Job{ID: e.key, Line: e.line, Texts: texts(e.value)}
	for _, k := range entries(e.value) {
		switch k.key {
		case "if":
			out.If = scalar(k.value)
		case "runs-on":
			out.RunsOn = values(texts(k.value))
		case "environment":
			out.Environment = scalar(k.value).Value
			for _, f := range entries(k.value) {
				if f.key == "name" {
					out.Environment = scalar(f.value).Value
				}
			}
		case "permissions":
			out.Permissions = permissions(k)
		case "concurrency":
			out.Concurrency = concurrency(k)
		case "uses":
			out.Uses = scalar(k.value).Value
		case "steps":
			out.Steps = steps(k.value)
		}
	}
	return out
}

func steps(n *yaml.Node) []Step {
	n = plainNode(n)
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	var out []Step
	for _, item := range n.Content {
		item = plainNode(item)
		s := Step{With: map[string]Scalar{}}
		if item != nil {
			s.Line = item.Line
		}
		for _, k := range entries(item) {
			switch k.key {
			case "uses":
				s.Uses = scalar(k.value).Value
			case "run":
				s.Run = scalar(k.value)
			case "with":
				for _, in := range entries(k.value) {
					v := scalar(in.value)
					v.Line = in.line
					s.With[in.key] = v
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// Familiar says whether a step is this action, under whatever owner: any
// action of that name, or one that is given a memory-key.
func (s Step) Familiar() bool {
	if _, ok := s.With["memory-key"]; ok && s.Uses != "" {
		return true
	}
	name, _, _ := strings.Cut(s.Uses, "@")
	return strings.HasSuffix(strings.ToLower(name), "/familiar")
}

// familiar is the first step that is this action.
func (j Job) familiar() (Step, bool) {
	for _, s := range j.Steps {
		if s.Familiar() {
			return s, true
		}
	}
	return Step{}, false
}

// keyName is the name of the secret that a step's memory-key takes, "" for
// none or another form.
func (s Step) keyName() string {
	return secretName(s.With["memory-key"].Value)
}

// secretName reads `${{ secrets.NAME }}` or `${{ secrets['NAME'] }}`.
func secretName(expression string) string {
	body, ok := strings.CutPrefix(strings.TrimSpace(expression), "${{")
	body, ok2 := strings.CutSuffix(body, "}}")
	body = strings.TrimSpace(body)
	if !ok || !ok2 || len(body) < len("secrets.") || !strings.EqualFold(body[:len("secrets")], "secrets") {
		return ""
	}
	name := strings.Trim(body[len("secrets"):], ".[]'\" ")
	if strings.ContainsAny(name, " |&(.") {
		return ""
	}
	return name
}

// mentions says whether any text of the job takes the secret of that name.
func (j Job) mentions(secret string) bool { return mentions(j.Texts, secret) }

func mentions(list []Scalar, secret string) bool {
	if secret == "" {
		return false
	}
	secret = strings.ToLower(secret)
	for _, t := range list {
		rest := strings.ToLower(t.Value)
		for {
			i := strings.Index(rest, secret)
			if i < 0 {
				break
			}
			before, after := rest[:i], rest[i+len(secret):]
			if (strings.HasSuffix(before, "secrets.") || strings.HasSuffix(before, "secrets['") || strings.HasSuffix(before, `secrets["`)) &&
				!strings.HasPrefix(after, "_") && (after == "" || !isNameByte(after[0])) {
				return true
			}
			rest = after
		}
	}
	return false
}

func isNameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z'
}
