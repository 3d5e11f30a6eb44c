package api

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// many returns a list of n equal elements.
func many(element string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

// overlong returns bodies with lists that are too long, each with the place of its fault.
func overlong() map[string]struct{ method, path, body, at string } {
	notice := `{"target":{"users":%s},"type":"like","title":"A title"}`
	type c = struct{ method, path, body, at string }
	return map[string]c{
		"notices":                {"POST", "/notices/batch", `{"notices":` + many(`{}`, maxBatch+1) + `}`, "body.notices"},
		"a list of millions":     {"POST", "/notices/batch", `{"notices":` + many(`{}`, 2_790_000) + `}`, "body.notices"},
		"millions, then a null":  {"POST", "/notices/batch", `{"notices":` + many(`{}`, 2_790_000) + `,"x":null}`, "body.notices"},
		"a fault, then millions": {"POST", "/notices/batch", `{"x":1,"notices":` + many(`{}`, 2_790_000) + `}`, "body.notices"},
		"millions of nulls":      {"POST", "/notices/batch", `{"notices":` + many(`null`, 1_600_000) + `}`, ""},
		"names of one notice": {
			"POST", "/notices/batch",
			`{"notices":[` + fmt.Sprintf(notice, many(`"a"`, 2_000_000)) + `]}`, "body.notices[0].target.users",
		},
		"names of all notices": {
			"POST", "/notices/batch",
			`{"notices":` + many(fmt.Sprintf(notice, many(`"a"`, 9_000)), 200) + `}`, "body.notices",
		},
		"audiences of one notice": {
			"POST", "/notices/batch",
			`{"notices":[{"title":"A title","target":{"audiences":` + many(`"a"`, 2_000_000) + `}}]}`, "body.notices[0].target.audiences",
		},
		"an unknown list":   {"POST", "/notices/batch", `{"notices":[{"x":` + many(`0`, 4_000_000) + `}]}`, ""},
		"an unknown object": {"POST", "/notices/batch", `{"notices":[{"x":{` + unalike(500_000) + `}}]}`, ""},
		"unknown fields":    {"POST", "/notices/batch", `{"notices":[{` + unalike(500_000) + `}]}`, ""},
		"a list for a text": {"POST", "/notices/batch", `{"notices":[{"title":` + many(`0`, 4_000_000) + `}]}`, ""},
		"wrong names":       {"POST", "/notices/batch", `{"notices":` + many(fmt.Sprintf(notice, many(`0`, 4_000)), 900) + `}`, ""},
		"users":             {"POST", "/notices", fmt.Sprintf(notice, many(`"a"`, notifier.MaxNames+1)), "body.target.users"},
		"audiences":         {"POST", "/notices", `{"target":{"audiences":` + many(`"a"`, maxAudiences+1) + `}}`, "body.target.audiences"},
		"users of a toast":  {"POST", "/toasts", fmt.Sprintf(notice, many(`"a"`, notifier.MaxNames+1)), "body.target.users"},
		"roles":             {"PUT", "/users/bob", `{"roles":` + many(`"a"`, maxRoles+1) + `}`, "body.roles"},
		"keys":              {"POST", "/users/bob/read", `{"keys":` + many(`"a"`, maxReadKeys+1) + `}`, "body.keys"},
	}
}

// unalike returns n members of an object, with different names.
func unalike(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"f%d":0,`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

// It is not parallel, because it measures the allocations of the process.
func TestListsThatAreTooLongCostLittle(t *testing.T) {
	w := newWorld(t)
	for name, c := range overlong() {
		t.Run(name, func(t *testing.T) {
			if len(c.body) > maxBatchBody {
				t.Fatalf("a body of %d bytes is never read", len(c.body))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res := w.call(t, w.admin, c.method, c.path, c.body)
			runtime.ReadMemStats(&after)
			res.is(t, http.StatusUnprocessableEntity)
			if got := res.faults(t); len(got) == 0 || c.at != "" && !slices.Equal(got, []string{c.at}) {
				t.Errorf("faults at %q, want %s: %.300s", got, c.at, res.text)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > 20<<20 {
				t.Errorf("a body of %d KiB allocated %d MiB", len(c.body)>>10, took>>20)
			}
			if len(res.text) > 16<<10 {
				t.Errorf("an answer of %d bytes", len(res.text))
			}
		})
	}
}

func TestListsOfMaximumLengthAreAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	notice := `{"target":{"users":["alice"]},"type":"like","title":"A title"}`
	w.call(t, w.send, "POST", "/notices/batch", `{"notices":`+many(notice, maxBatch)+`}`).is(t, http.StatusAccepted)
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":`+many(`"bob"`, notifier.MaxNames)+`},"type":"like","title":"A title"}`).is(t, http.StatusAccepted)
	w.call(t, w.admin, "PUT", "/users/bob", `{"roles":`+many(`"picker"`, maxRoles)+`}`).is(t, http.StatusOK)
	res := w.call(t, w.admin, "POST", "/users/bob/read", `{"keys":`+many(`"like:none"`, maxReadKeys)+`}`)
	res.is(t, http.StatusNotFound)
}

// The test reads the document, so that it includes every call that is added.
func TestEveryListInARequestIsBounded(t *testing.T) {
	t.Parallel()
	s, err := newServer(Config{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	var look func(at string, schema *huma.Schema)
	look = func(at string, schema *huma.Schema) {
		for schema.Ref != "" {
			schema = s.api.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
		}
		for name, of := range schema.Properties {
			look(at+"."+name, of)
		}
		if schema.Type != huma.TypeArray {
			return
		}
		found++
		if schema.MaxItems == nil {
			t.Errorf("%s: a list without a bound", at)
		}
		look(at+"[]", schema.Items)
	}
	for path, item := range s.api.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Put, item.Post, item.Patch, item.Delete} {
			if op != nil && op.RequestBody != nil {
				look(op.Method+" "+path, op.RequestBody.Content["application/json"].Schema)
			}
		}
	}
	if found < 7 {
		t.Errorf("found only %d lists in the document", found)
	}
}

// FuzzBounded decodes any input as a batch and checks the bounds of the result.
func FuzzBounded(f *testing.F) {
	for _, seed := range []string{
		`{"notices":[]}`, `{"notices":null}`, `{"notices":[{"target":{"users":["a","b"]},"title":"x"}]}`, `{"notices":[{"target":{"users":[null,1]}}]}`,
		`{"notices":[{}` + strings.Repeat(`,{}`, maxBatch) + `]}`, `{"notices":[`, `{"notices":[{"target":{"users":{}}}]}`, `[[[[`, `{"notices":{},"notices":[]}`,
		`{"notices":[{"title":[[]],"Title":{}}],"x":[{"y":null}]}`, "{\"notices\":[\"\xff\"]}", `{"notices":[{"target":{"audiences":["a"],"topic":{"type":"x"}}}]}`,
	} {
		f.Add([]byte(seed))
	}
	s, err := newServer(Config{})
	if err != nil {
		f.Fatal(err)
	}
	op := s.operation(http.MethodPost, prefix+"/notices/batch")
	f.Fuzz(func(t *testing.T, raw []byte) {
		var body batchBody
		faults := decode(raw, &body, op)
		if len(body.Notices) > maxBatch {
			t.Errorf("%d notices", len(body.Notices))
		}
		names := 0
		for i := range body.Notices {
			names += len(body.Notices[i].Target.Users)
		}
		if names > maxBatchNames {
			t.Errorf("%d names", names)
		}
		for _, fault := range faults {
			if fault.Error() == "" {
				t.Errorf("%#v has no message", fault)
			}
		}
	})
}
