package config

import "encoding/json"

// SchemaURL is where the published schema of the configuration lies; editors
// that are told of it complete keys and mark mistakes.
const SchemaURL = "https://raw.githubusercontent.com/familiarhq/familiar/main/docs/schemas/familiar.schema.json"

// JSONSchema returns the JSON Schema (draft 2020-12) of the configuration,
// from the table that the parser uses. What it accepts the parser accepts,
// except what a schema cannot say: globs with something left open, texts of
// more than 512 bytes, and one repository under two spellings.
func JSONSchema() ([]byte, error) {
	c := Defaults()
	root := object(sectionSchemas(&c))
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = SchemaURL
	root["title"] = "familiar"
	root["description"] = "How familiar works in a repository: .github/familiar.toml. All of it is optional."
	data, err := json.MarshalIndent(root, "", "  ")
	return append(data, '\n'), err
}

func object(properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
}

func sectionSchemas(c *Config) map[string]any {
	out := map[string]any{}
	for _, section := range topSections() {
		out[section] = object(keySchemas(section, c))
	}
	labels := object(keySchemas("familiar.labels", c))
	labels["description"] = "names of the labels that command"
	out["familiar"].(map[string]any)["properties"].(map[string]any)["labels"] = labels
	out["memory"].(map[string]any)["properties"].(map[string]any)["repos"] = map[string]any{
		"type": "object", "additionalProperties": false,
		"description":       "settings of memory for single repositories, where many share one file",
		"patternProperties": map[string]any{repoName.String(): object(keySchemas("memory", nil))},
	}
	return out
}

// keySchemas are the schemas of a section's keys. Without a configuration to
// take them from, there are no defaults.
func keySchemas(section string, c *Config) map[string]any {
	out := map[string]any{}
	for _, s := range settings {
		if s.section != section {
			continue
		}
		one := s.schema()
		one["description"] = unlinked(s.about)
		if c != nil {
			one["default"] = s.get(c, &c.Memory.MemorySettings)
		}
		out[s.key] = one
	}
	return out
}

// visible is plain, as a regular expression that all dialects read alike: a
// character other than controls, formats and separators of lines.
const visible = `^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$`

// misplaced are the globs that do not start at the top of the repository, of
// those that memory.GlobProblem refuses.
const misplaced = `^!?(/|\./|\.\./)|/\.\./`

func (s setting) schema() map[string]any {
	switch s.kind {
	case boolean:
		return map[string]any{"type": "boolean"}
	case integer:
		return map[string]any{"type": "integer", "minimum": s.least, "maximum": s.most}
	case list:
		return map[string]any{"type": "array", "maxItems": maxListEntries, "items": s.textSchema()}
	}
	if len(s.allowed) > 0 {
		return map[string]any{"enum": s.allowed}
	}
	return s.textSchema()
}

func (s setting) textSchema() map[string]any {
	out := map[string]any{"type": "string", "minLength": 1, "maxLength": maxTextBytes, "pattern": visible}
	if s.form != nil && s.form.pattern != nil {
		out["pattern"] = s.form.pattern.String()
	}
	if s.form == globForm {
		out["not"] = map[string]any{"pattern": misplaced}
	}
	if s.form != nil && s.form.most > 0 {
		out["maxLength"] = s.form.most
	}
	return out
}
