package api

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// explained returns the messages of the faults of a problem, by location.
func (r reply) explained(t testing.TB) map[string]string {
	t.Helper()
	var p struct {
		Errors []struct{ Location, Message string }
	}
	r.is(t, http.StatusUnprocessableEntity).into(t, &p)
	all := map[string]string{}
	for _, e := range p.Errors {
		all[e.Location] = e.Message
	}
	return all
}

func TestAnUnknownFieldIsExplainedByTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const start = `"target":{"users":["alice"]},"title":"A"`
	unknown := func(near string) string { return "unknown field; did you mean " + near + "?" }
	for body, want := range map[string]map[string]string{
		`{` + start + `,"text":"x"}`:                           {"body.text": unknown("body")},
		`{` + start + `,"message":"x"}`:                        {"body.message": unknown("body")},
		`{` + start + `,"url":"/x","href":"/x"}`:               {"body.url": unknown("link"), "body.href": unknown("link")},
		`{` + start + `,"subjcet":"x","exprs_in":1}`:           {"body.subjcet": unknown("subject"), "body.exprs_in": unknown("expires_in")},
		`{` + start + `,"expirs_n":"72h"}`:                     {"body.expirs_n": unknown("expires_in")},
		`{` + start + `,"exprsn":"72h"}`:                       {"body.exprsn": "unknown field"}, // four letters
		`{"target":{"user":["alice"]},"title":"A"}`:            {"body.target.user": unknown("users")},
		`{"target":{"users":["alice"]},"Title":"A"}`:           {"body.Title": unknown("title")},
		`{` + start + `,"actor":{"name":"A","url":1}}`:         {"body.actor.url": "unknown field"}, // an actor has no link
		`{` + start + `,"image":{"href":"/","alt":"A"}}`:       {"body.image.href": "unknown field", "body.image": "expected required property url to be present"},
		`{` + start + `,"actions":[{"label":"A","url":"/x"}]}`: {"body.actions[0].url": unknown("link"), "body.actions[0]": "expected required property link to be present"},
		`{` + start + `,"colour":"red","zz":1}`:                {"body.colour": "unknown field", "body.zz": "unknown field"},
		`{` + start + `,"` + strings.Repeat("e", 41) + `":1}`:  {"body." + strings.Repeat("e", 41): "unknown field"},
	} {
		if d := cmp.Diff(want, w.call(t, w.send, "POST", "/notices", body).explained(t)); d != "" {
			t.Errorf("%s (-want +got):\n%s", body, d)
		}
	}
	got := w.call(t, w.send, "POST", "/notices/batch", `{"notices":[{`+start+`},{`+start+`,"typo":"like"}]}`).explained(t)
	if d := cmp.Diff(map[string]string{"body.notices[1].typo": unknown("type")}, got); d != "" {
		t.Error(d)
	}
	if sent := w.titles(t, "alice"); len(sent) > 0 {
		t.Errorf("sent %q", sent)
	}
}

func TestAnUnknownParameterIsExplainedByTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	got := w.call(t, w.admin, "GET", "/users/alice/notices?sinc=0&limits=3&colour=red", nil).explained(t)
	want := map[string]string{
		"query.sinc": "unknown query parameter; did you mean since?", "query.limits": "unknown query parameter; did you mean limit?",
		"query.colour": "unknown query parameter",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestOnlyTheFirstUnknownFieldsAreCompared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var fields []string
	for i := range 1000 {
		fields = append(fields, fmt.Sprintf(`"titl%03d":1`, i))
	}
	got := w.call(t, w.send, "POST", "/notices", `{"target":{"users":["alice"]},`+strings.Join(fields, ",")+`}`).explained(t)
	if len(got) > maxFaults || slices.Contains(slices.Collect(maps.Values(got)), "") {
		t.Errorf("%d faults: %v", len(got), got)
	}
}
