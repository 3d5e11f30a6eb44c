package api

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/carillonhq/carillon/notifier"
)

// object is a JSON object in the document.
type object = map[string]any

// at returns the object under a name, or nil.
func at(o object, name string) object {
	inner, _ := o[name].(object)
	return inner
}

func (w *world) readDocument(t *testing.T) object {
	t.Helper()
	res := w.call(t, "", "GET", "/openapi.json", nil).is(t, http.StatusOK)
	if kind := res.Header.Get("Content-Type"); kind != "application/openapi+json" {
		t.Errorf("Content-Type %q", kind)
	}
	var doc object
	res.into(t, &doc)
	return doc
}

func TestTheDocumentIsValidOpenAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc := w.readDocument(t)
	if version, _ := doc["openapi"].(string); !regexp.MustCompile(`\A3\.1\.\d+\z`).MatchString(version) {
		t.Errorf("openapi: %v", doc["openapi"])
	}
	if info := at(doc, "info"); info["title"] == "" || info["title"] == nil || info["version"] == nil || info["version"] == "" {
		t.Errorf("info: %v", info)
	}
	only(t, "the document", doc, "openapi", "info", "servers", "paths", "components", "security", "tags", "externalDocs", "webhooks", "jsonSchemaDialect")
	ids := map[string]string{}
	for path, item := range at(doc, "paths") {
		if !strings.HasPrefix(path, prefix+"/") || strings.HasSuffix(path, "/") {
			t.Errorf("a path %q", path)
		}
		for method, op := range item.(object) {
			if !slices.Contains([]string{"get", "put", "post", "patch", "delete"}, method) {
				t.Errorf("%s: a method %q", path, method)
				continue
			}
			checkOperation(t, doc, method+" "+path, path, op.(object), ids)
		}
	}
	if len(ids) != len(w.calls) {
		t.Errorf("%d operations for %d calls", len(ids), len(w.calls))
	}
	if at(at(doc, "info"), "license")["identifier"] != "Apache-2.0" {
		t.Errorf("no licence: %v", doc["info"])
	}
	for name, schema := range at(at(doc, "components"), "schemas") {
		if !regexp.MustCompile(`\A[A-Za-z0-9._-]+\z`).MatchString(name) {
			t.Errorf("a schema named %q", name)
		}
		checkSchema(t, doc, name, schema)
	}
}

func only(t *testing.T, what string, o object, allowed ...string) {
	t.Helper()
	for name := range o {
		if !slices.Contains(allowed, name) && !strings.HasPrefix(name, "x-") {
			t.Errorf("%s has a field %q", what, name)
		}
	}
}

func checkOperation(t *testing.T, doc object, where, path string, op object, ids map[string]string) {
	t.Helper()
	only(t, where, op, "operationId", "summary", "description", "tags", "parameters", "requestBody", "responses", "security", "deprecated")
	id, _ := op["operationId"].(string)
	if id == "" || ids[id] != "" {
		t.Errorf("%s: operationId %q, which %q also has", where, id, ids[id])
	}
	ids[id] = where
	for _, text := range []string{"summary", "description"} {
		if op[text] == nil || op[text] == "" {
			t.Errorf("%s has no %s", where, text)
		}
	}
	for _, tag := range list(op["tags"]) {
		if !slices.ContainsFunc(list(doc["tags"]), func(declared any) bool { return declared.(object)["name"] == tag }) {
			t.Errorf("%s: the tag %v is not declared", where, tag)
		}
	}
	inPath := map[string]bool{}
	for _, p := range list(op["parameters"]) {
		p := p.(object)
		name, _ := p["name"].(string)
		what := where + ", parameter " + name
		only(t, what, p, "name", "in", "description", "required", "schema", "style", "explode", "example", "examples", "deprecated")
		switch p["in"] {
		case "path":
			inPath[name] = true
			if p["required"] != true {
				t.Errorf("%s is not required", what)
			}
		case "query", "header":
		default:
			t.Errorf("%s is in %v", what, p["in"])
		}
		if p["example"] != nil && p["examples"] != nil {
			t.Errorf("%s has both example and examples", what)
		}
		if text, _ := p["description"].(string); text == "" {
			t.Errorf("%s has no description", what)
		}
		checkSchema(t, doc, what, p["schema"])
		for example := range at(p, "examples") {
			_, isNumber := at(at(p, "examples"), example)["value"].(float64)
			if wants := at(p, "schema")["type"] == "integer"; wants != isNumber {
				t.Errorf("%s: example %s is not of type %v", what, example, at(p, "schema")["type"])
			}
		}
	}
	for _, m := range regexp.MustCompile(`\{([^}]*)\}`).FindAllStringSubmatch(path, -1) {
		if !inPath[m[1]] {
			t.Errorf("%s: the parameter %s is not described", where, m[1])
		}
		delete(inPath, m[1])
	}
	if len(inPath) > 0 {
		t.Errorf("%s: %v are not in the path", where, inPath)
	}
	if body := at(op, "requestBody"); body != nil {
		only(t, where+", body", body, "description", "content", "required")
		checkContent(t, doc, where+", body", at(body, "content"))
	}
	checkResponses(t, doc, where, at(op, "responses"))
	for _, need := range list(op["security"]) {
		for name, scopes := range need.(object) {
			if len(list(scopes)) > 0 {
				t.Errorf("%s: a key of type http has scopes", where)
			}
			if at(at(at(doc, "components"), "securitySchemes"), name) == nil {
				t.Errorf("%s: the security scheme %q is not declared", where, name)
			}
		}
	}
	if len(list(op["security"])) != 1 {
		t.Errorf("%s does not require exactly one security scheme", where)
	}
}

func checkResponses(t *testing.T, doc object, where string, all object) {
	t.Helper()
	for _, needed := range []string{"401", "403", "429", "503"} {
		if all[needed] == nil {
			t.Errorf("%s: status %s is not described", where, needed)
		}
	}
	good := 0
	for status, response := range all {
		n, err := strconv.Atoi(status)
		if err != nil || n < 200 || n > 599 {
			t.Errorf("%s: a status %q", where, status)
		}
		if n < 300 {
			good++
		}
		r := response.(object)
		what := where + ", " + status
		only(t, what, r, "description", "headers", "content", "links")
		if text, _ := r["description"].(string); text == "" {
			t.Errorf("%s has no description", what)
		}
		for name, header := range at(r, "headers") {
			if strings.EqualFold(name, "Content-Type") {
				t.Errorf("%s describes the header Content-Type, which is ignored", what)
			}
			only(t, what+", header "+name, header.(object), "description", "required", "schema", "deprecated", "example", "examples", "style", "explode")
			checkSchema(t, doc, what+", header "+name, at(header.(object), "schema"))
		}
		if content := at(r, "content"); content != nil {
			checkContent(t, doc, what, content)
		}
		if n >= 400 && at(r, "content")["application/problem+json"] == nil {
			t.Errorf("%s is not a problem: %v", what, slices.Sorted(maps.Keys(at(r, "content"))))
		}
	}
	if good == 0 {
		t.Errorf("%s has no successful status", where)
	}
}

func checkContent(t *testing.T, doc object, where string, content object) {
	t.Helper()
	if len(content) == 0 {
		t.Errorf("%s has no content", where)
	}
	for kind, media := range content {
		if strings.Count(kind, "/") != 1 {
			t.Errorf("%s: a media type %q", where, kind)
		}
		m := media.(object)
		only(t, where+", "+kind, m, "schema", "example", "examples", "encoding")
		if m["example"] != nil && m["examples"] != nil {
			t.Errorf("%s, %s has both example and examples", where, kind)
		}
		checkSchema(t, doc, where+", "+kind, m["schema"])
	}
}

// checkSchema checks a schema and those within it against the rules of JSON Schema. It checks
// that references lead to a schema of the document.
func checkSchema(t *testing.T, doc object, where string, schema any) {
	t.Helper()
	s, ok := schema.(object)
	if !ok {
		t.Errorf("%s has no schema", where)
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		name, ours := strings.CutPrefix(ref, "#/components/schemas/")
		if !ours || at(at(at(doc, "components"), "schemas"), name) == nil {
			t.Errorf("%s refers to %q, which does not exist", where, ref)
		}
		return
	}
	only(t, where, s, "$schema", "type", "description", "default", "examples", "enum", "const", "format", "pattern", "minimum", "maximum", "minLength",
		"maxLength", "items", "minItems", "maxItems", "maxProperties", "uniqueItems", "properties", "required", "additionalProperties", "oneOf", "anyOf", "allOf",
		"readOnly", "writeOnly", "deprecated", "contentEncoding")
	types := list(s["type"])
	if one, ok := s["type"].(string); ok {
		types = []any{one}
	}
	for _, kind := range types {
		if !slices.Contains([]any{"null", "boolean", "object", "array", "number", "string", "integer"}, kind) {
			t.Errorf("%s is of type %v", where, kind)
		}
	}
	if pattern, ok := s["pattern"].(string); ok {
		if _, err := regexp.Compile(pattern); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	properties := at(s, "properties")
	for _, name := range list(s["required"]) {
		if properties[fmt.Sprint(name)] == nil {
			t.Errorf("%s requires %v, which is not described", where, name)
		}
	}
	for name, inner := range properties {
		checkSchema(t, doc, where+"."+name, inner)
		if text, _ := inner.(object)["description"].(string); text == "" && inner.(object)["$ref"] == nil {
			t.Errorf("%s.%s has no description", where, name)
		}
	}
	if slices.Contains(types, "array") {
		checkSchema(t, doc, where+"[]", s["items"])
	}
	for _, how := range []string{"oneOf", "anyOf", "allOf"} {
		for i, inner := range list(s[how]) {
			checkSchema(t, doc, fmt.Sprintf("%s.%s[%d]", where, how, i), inner)
		}
	}
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// Every test of this package looks up the statuses that it gets in the document. These are the
// statuses that any call can answer with.
func TestTheDocumentListsTheErrorsOfEveryCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range calls(t, w) {
		method, path := c.method, c.address()
		w.call(t, "", method, path, c.sample()).is(t, http.StatusUnauthorized)
		other, origin := w.read, ""
		switch {
		case c.user:
			other, origin = w.bob, "https://elsewhere.example.com"
		case c.scope == notifier.ScopeRead:
			other = w.send
		}
		w.call(t, other, method, path, c.sample(), "Origin", origin).is(t, http.StatusForbidden)
		plain, _, _ := strings.Cut(path, "?")
		w.call(t, w.keyOf(c), method, plain+"?zz=1", c.sample()).is(t, http.StatusUnprocessableEntity)
		w.described(t, httptest.NewRequestWithContext(t.Context(), method, prefix+plain, http.NoBody), http.StatusInternalServerError)
		body, ok := c.sample().(string)
		if !ok {
			continue
		}
		w.call(t, w.keyOf(c), method, path, `{"zz":1}`).is(t, http.StatusUnprocessableEntity)
		w.call(t, w.keyOf(c), method, path, body, "Content-Type", "text/plain").is(t, http.StatusUnsupportedMediaType)
		w.call(t, w.keyOf(c), method, path, body+strings.Repeat(" ", int(w.operation(method, prefix+c.path).MaxBodyBytes))).
			is(t, http.StatusRequestEntityTooLarge)
		cut := httptest.NewRequestWithContext(t.Context(), method, prefix+path, iotest.ErrReader(io.ErrUnexpectedEOF))
		cut.Header.Set("Authorization", "Bearer "+w.keyOf(c))
		rec := httptest.NewRecorder()
		w.handler.ServeHTTP(rec, cut)
		if w.described(t, cut, rec.Code); rec.Code != http.StatusRequestTimeout {
			t.Errorf("%s: an incomplete body: status %d", c.id, rec.Code)
		}
	}
}

func TestTheDocumentIsServedAsYAMLAndCacheable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	yaml := w.call(t, "", "GET", "/openapi.yaml", nil).is(t, http.StatusOK)
	for _, c := range w.calls {
		if !strings.Contains(yaml.text, prefix+c.path+":") || !strings.Contains(yaml.text, "operationId: "+c.id) {
			t.Errorf("%s is not in the YAML", c.id)
		}
	}
	for _, path := range []string{"/openapi.json", "/openapi.yaml", "/docs.css"} {
		res := w.call(t, "", "GET", path, nil).is(t, http.StatusOK)
		again := w.call(t, "", "GET", path, nil, "If-None-Match", res.Header.Get("Etag")).is(t, http.StatusNotModified)
		if again.text != "" || res.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", path, again.Header)
		}
	}
}

func TestTheDocumentContainsTheExamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	doc := w.readDocument(t)
	for _, c := range w.calls {
		op := at(at(at(doc, "paths"), prefix+c.path), strings.ToLower(c.method))
		for _, e := range c.examples {
			if e.body == "" {
				continue
			}
			got := at(at(at(at(at(op, "requestBody"), "content"), "application/json"), "examples"), e.name)["value"]
			var want any
			if err := json.Unmarshal([]byte(e.body), &want); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s: %v", c.id, e.name, got)
			}
		}
	}
}

// A client that is generated from the document passes the id of an answer on as it is, and reads the JSON of a poll as JSON.
func TestAnIDHasOneTypeAndEachMediaTypeItsOwnSchema(t *testing.T) {
	t.Parallel()
	doc := newWorld(t).readDocument(t)
	seen := 0
	for path, item := range at(doc, "paths") {
		if !strings.HasPrefix(path, prefix+"/notices/{id}") {
			continue
		}
		for method, op := range item.(object) {
			for _, p := range list(op.(object)["parameters"]) {
				if p := p.(object); p["name"] == "id" {
					seen++
					if kind := at(p, "schema")["type"]; kind != "integer" {
						t.Errorf("%s %s: the id is of type %v", method, path, kind)
					}
				}
			}
		}
	}
	if seen < 3 {
		t.Errorf("%d ids", seen)
	}
	content := at(at(at(at(at(at(doc, "paths"), prefix+userPath+"/notices"), "get"), "responses"), "200"), "content")
	if ref := at(at(content, typeJSON), "schema")["$ref"]; ref == nil {
		t.Errorf("JSON is %v", at(content, typeJSON))
	}
	if kind := at(at(content, typeXML), "schema")["type"]; kind != "string" || len(content) != 2 {
		t.Errorf("XML is %v of %d", kind, len(content))
	}
}

// The document itself has no descriptions of patterns: see forgetPatterns.
func TestAFaultNamesItsPatternInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	res := w.call(t, w.admin, "GET", "/subscriptions?type=A!", nil).is(t, http.StatusUnprocessableEntity)
	if !strings.Contains(res.text, "a type") {
		t.Error(res.text)
	}
}
