package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

type docsGroup struct {
	ID, Name string
	Calls    []docsCall
}

type docsCall struct {
	ID, Method, Path, Scope, Summary string

	About    [][]words // paragraphs
	Fields   []docsField
	Answers  []docsAnswer
	Examples []docsExample
}

// words is a run of plain text or of code.
type words struct {
	Text string
	Code bool
}

type docsField struct {
	Name, In, Kind, About string
	Required              bool
}

type docsAnswer struct{ Status, Text string }

type docsExample struct{ Summary, Command string }

func (s *server) docsCall(c call, base string) docsCall {
	op := s.operation(c.method, prefix+c.path)
	d := docsCall{
		ID: c.id, Method: c.method, Path: prefix + c.path, Scope: string(c.scope), Summary: c.summary,
		About: paragraphs(c.about), Fields: s.fields(op),
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		if status == strconv.Itoa(http.StatusInternalServerError) {
			continue
		}
		n, _ := strconv.Atoi(status) // always a number: Huma wrote it
		d.Answers = append(d.Answers, docsAnswer{status, http.StatusText(n)})
	}
	for _, e := range c.examples {
		d.Examples = append(d.Examples, docsExample{e.summary, command(base, op, c, e)})
	}
	return d
}

// paragraphs splits a text at blank lines, and each paragraph at the backticks around code.
func paragraphs(text string) [][]words {
	var all [][]words
	for p := range strings.SplitSeq(text, "\n\n") {
		var line []words
		code := false
		for part := range strings.SplitSeq(p, "`") {
			if part != "" {
				line = append(line, words{part, code})
			}
			code = !code
		}
		if line != nil {
			all = append(all, line)
		}
	}
	return all
}

// fields lists the parameters of an operation and the fields of its body.
func (s *server) fields(op *huma.Operation) []docsField {
	var all []docsField
	for _, p := range op.Parameters {
		all = append(all, docsField{Name: p.Name, In: p.In, Kind: s.kind(p.Schema), About: p.Description, Required: p.Required})
	}
	if op.RequestBody != nil {
		all = append(all, s.members("", op.RequestBody.Content["application/json"].Schema)...)
	}
	return all
}

// members lists the fields of an object and of the objects within it, required fields
// first.
func (s *server) members(path string, of *huma.Schema) []docsField {
	of = s.resolved(of)
	names := slices.Sorted(maps.Keys(of.Properties))
	slices.SortStableFunc(names, func(a, b string) int {
		return b2i(slices.Contains(of.Required, b)) - b2i(slices.Contains(of.Required, a))
	})
	var all []docsField
	for _, name := range names {
		field := of.Properties[name]
		all = append(all, docsField{
			Name: path + name, In: "body", Kind: s.kind(field), About: field.Description, Required: slices.Contains(of.Required, name),
		})
		switch inner := s.resolved(field); {
		case inner.Type == huma.TypeObject:
			all = append(all, s.members(path+name+".", inner)...)
		case inner.Type == huma.TypeArray && s.resolved(inner.Items).Type == huma.TypeObject:
			all = append(all, s.members(path+name+"[].", inner.Items)...)
		}
	}
	return all
}

func (s *server) resolved(of *huma.Schema) *huma.Schema {
	for of.Ref != "" {
		of = s.api.OpenAPI().Components.Schemas.SchemaFromRef(of.Ref)
	}
	return of
}

// kind returns the type of a field in words.
func (s *server) kind(of *huma.Schema) string {
	of = s.resolved(of)
	if of.Type == huma.TypeArray {
		return "list of " + s.kind(of.Items) + "s"
	}
	kinds := []string{of.Type}
	if one := slices.Concat(of.OneOf, of.AnyOf); len(one) > 0 {
		kinds = kinds[:0]
		for _, k := range one {
			kinds = append(kinds, s.kind(k))
		}
	}
	return strings.Join(kinds, " or ")
}

// variable is the variable of the shell that holds what a call is made with.
func (c *call) variable() string {
	if c.user {
		return "CARILLON_TOKEN"
	}
	return "CARILLON_KEY"
}

// command returns an example as a shell command that takes the key from CARILLON_KEY, or the token from
// CARILLON_TOKEN.
func command(base string, op *huma.Operation, c call, e example) string {
	path, query := prefix+c.path, url.Values{}
	var headers []string
	for _, p := range op.Parameters {
		value, given := e.params[p.Name]
		switch {
		case !given:
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case p.In == "query":
			query.Set(p.Name, value)
		case p.In == "header":
			headers = append(headers, p.Name+": "+value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var b strings.Builder
	b.WriteString("curl ")
	if c.method != http.MethodGet {
		b.WriteString("-X " + c.method + " ")
	}
	b.WriteString(quoted(base+path) + ` \` + "\n" + `  -H "Authorization: Bearer $` + c.variable() + `"`)
	if e.body != "" {
		headers = append(headers, "Content-Type: application/json")
	}
	for _, h := range headers {
		b.WriteString(" \\\n  -H " + quoted(h))
	}
	if e.body != "" {
		b.WriteString(" \\\n  -d " + quoted(indented(e.body)))
	}
	return b.String()
}

// quoted quotes a word for the shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func indented(body string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(body), "  ", "  ") != nil {
		return body
	}
	return b.String()
}
