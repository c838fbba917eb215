package githubtest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

//go:generate go run ./openapigen -in $OCTOKIT_OPENAPI/generated/api.github.com.json -version 23.0.2

//go:embed testdata/openapi/github.json
var descriptionFile []byte

// description is GitHub's own description of what we serve, loaded once a
// process.
var description = sync.OnceValues(func() (*openapi3.T, error) {
	return openapi3.NewLoader().LoadFromData(descriptionFile)
})

// conform holds a request against GitHub's description: parameters, body,
// and, stricter than GitHub, nothing that the description does not name.
func (s *Server) conform(q *request) (reply, bool) {
	in, err := q.described()
	if err != nil {
		s.violate("%s: %v", q.route.name(), err)
		return fail(http.StatusInternalServerError, err.Error()), false
	}
	op := in.Route.Operation
	for _, key := range slices.Sorted(maps.Keys(q.URL.Query())) {
		if op.Parameters.GetByInAndName("query", key) == nil {
			s.violate("%s: query parameter %q is none of this route's", q.route.name(), key)
		}
		if len(q.URL.Query()[key]) > 1 {
			s.violate("%s: query parameter %q twice", q.route.name(), key)
		}
	}
	if complaint := q.badBody(op); complaint != "" {
		s.violate("%s: %s", q.route.name(), complaint)
		return fail(http.StatusUnprocessableEntity, "Invalid request.\n\n"+complaint), false
	}
	if err := openapi3filter.ValidateRequest(q.Context(), in); err != nil {
		s.violate("%s: %v", q.route.name(), err)
		return fail(http.StatusUnprocessableEntity, "Invalid request.\n\n"+err.Error()), false
	}
	return reply{}, true
}

// described is the request in the validator's terms. The route is ours, since
// parameters that hold slashes are beyond the validator's own routers.
func (q *request) described() (*openapi3filter.RequestValidationInput, error) {
	doc, err := description()
	if err != nil {
		return nil, err
	}
	item := doc.Paths.Value(q.route.template)
	if item == nil || item.GetOperation(q.route.method) == nil {
		return nil, fmt.Errorf("the committed description lacks this route; run openapigen with it in its list")
	}
	r := q.Clone(context.WithoutCancel(q.Context()))
	r.Body = io.NopCloser(bytes.NewReader(q.form()))
	if len(q.body) == 0 {
		r.Body = http.NoBody
	}
	params := map[string]string{}
	for k, v := range q.p {
		if k != "repository_id" {
			params[k] = v
		}
	}
	if p, ok := params["path"]; ok && p == "" {
		params["path"] = "." // the root directory, which the validator takes for a missing value
	}
	return &openapi3filter.RequestValidationInput{
		Request: r, PathParams: params, QueryParams: q.URL.Query(),
		Route: &routers.Route{Spec: doc, Path: q.route.template, PathItem: item, Method: q.route.method,
			Operation: item.GetOperation(q.route.method)},
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}, nil
}

// form is the body in the form that the description knows. GitHub takes
// labels as a bare list too, although its description no longer says so.
func (q *request) form() []byte {
	if q.route.template == rp+"/issues/{issue_number}/labels" && bytes.HasPrefix(bytes.TrimSpace(q.body), []byte("[")) {
		return slices.Concat([]byte(`{"labels":`), q.body, []byte("}"))
	}
	return q.body
}

// badBody says what is wrong with a body beyond the schema: its type, a body
// where none belongs, a field that no form of the schema has.
func (q *request) badBody(op *openapi3.Operation) string {
	if len(bytes.TrimSpace(q.body)) == 0 {
		return ""
	}
	if op.RequestBody == nil {
		return "a body where none belongs"
	}
	if t, _, _ := mime.ParseMediaType(q.Header.Get("Content-Type")); t != "application/json" {
		return fmt.Sprintf("Content-Type %q where JSON is due", q.Header.Get("Content-Type"))
	}
	var v any
	if err := json.Unmarshal(q.form(), &v); err != nil {
		return "the body is not JSON"
	}
	media := op.RequestBody.Value.Content.Get("application/json")
	if media == nil || media.Schema == nil {
		return ""
	}
	return unknownField(media.Schema.Value, v, "body")
}

// unknownField names the first field that a schema does not have, or "".
func unknownField(schema *openapi3.Schema, v any, at string) string {
	if schema == nil {
		return ""
	}
	forms := slices.Concat(schema.OneOf, schema.AnyOf)
	if len(forms) > 0 && len(schema.Properties) == 0 {
		return noForm(forms, v, at)
	}
	switch v := v.(type) {
	case []any:
		if schema.Items == nil {
			return ""
		}
		for i, e := range v {
			if bad := unknownField(schema.Items.Value, e, fmt.Sprintf("%s[%d]", at, i)); bad != "" {
				return bad
			}
		}
	case map[string]any:
		props := properties(schema)
		if len(props) == 0 {
			return ""
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			ref, ok := props[k]
			if !ok {
				return fmt.Sprintf("field %s.%s is none of this route's", at, k)
			}
			if bad := unknownField(ref.Value, v[k], at+"."+k); bad != "" {
				return bad
			}
		}
	}
	return ""
}

// noForm is "" if one of the alternatives has all fields.
func noForm(forms openapi3.SchemaRefs, v any, at string) string {
	bad := ""
	for _, f := range forms {
		if bad = unknownField(f.Value, v, at); bad == "" {
			return ""
		}
	}
	return bad
}

func properties(schema *openapi3.Schema) openapi3.Schemas {
	all := maps.Clone(schema.Properties)
	for _, part := range schema.AllOf {
		if all == nil {
			all = openapi3.Schemas{}
		}
		maps.Copy(all, properties(part.Value))
	}
	return all
}

// conformAnswer holds our own answer against the description, for the tests
// of this package: every field that we give must be GitHub's, with its type.
func (s *Server) conformAnswer(q *request, a reply) {
	if a.status < 200 || a.status > 299 || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		return
	}
	in, err := q.described()
	if err != nil {
		return
	}
	resp := in.Route.Operation.Responses.Status(a.status)
	if resp == nil {
		s.violate("%s answered %d, which the description does not know", q.route.name(), a.status)
		return
	}
	media := resp.Value.Content.Get("application/json")
	if media == nil {
		return
	}
	var v any
	if err := json.Unmarshal(a.body, &v); err != nil {
		s.violate("%s answered no JSON: %v", q.route.name(), err)
		return
	}
	if bad := unknownField(media.Schema.Value, v, "answer"); bad != "" {
		s.violate("%s: %s", q.route.name(), bad)
	}
	if err := media.Schema.Value.VisitJSON(withoutNulls(v)); err != nil {
		s.violate("%s answered against the description: %v", q.route.name(), err)
	}
}

// withoutNulls leaves fields out that are null. GitHub answers null where its
// description allows none: for a deleted fork, for a line that is gone.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = withoutNulls(e)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if e != nil {
				out[k] = withoutNulls(e)
			}
		}
		return out
	}
	return v
}
