package contract

import "embed"

// The schemas are written by hand beside the types; tests prove that both
// accept and refuse the same messages. docs/schemas holds copies for readers.
//
//go:embed schemas/*.schema.json
var schemas embed.FS

// SchemaName names an embedded JSON Schema (draft 2020-12) by its file name.
type SchemaName string

// The closed set of schemas. They refer to each other by file name.
const (
	SessionBriefSchema     SchemaName = "session-brief.schema.json"      // nested policy
	SessionBriefFlatSchema SchemaName = "session-brief-flat.schema.json" // flat policy
	MemoryPolicySchema     SchemaName = "memory-policy.schema.json"      // nested policy alone
	ResultSchema           SchemaName = "result.schema.json"
	MemoryUsedSchema       SchemaName = "memory-used.schema.json"
)

// SchemaNames lists the schemas.
func SchemaNames() []SchemaName {
	return []SchemaName{SessionBriefSchema, SessionBriefFlatSchema, MemoryPolicySchema, ResultSchema, MemoryUsedSchema}
}

// Schema returns the text of a schema, nil for a name outside the set. The
// caller may change it.
func Schema(name SchemaName) []byte {
	data, err := schemas.ReadFile("schemas/" + string(name))
	if err != nil {
		return nil
	}
	return data
}
