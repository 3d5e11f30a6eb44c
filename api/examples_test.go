package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// calls returns all calls in the order of their registration.
func calls(t testing.TB, w *world) []call {
	t.Helper()
	if len(w.calls) < 10 {
		t.Fatalf("%d calls", len(w.calls))
	}
	return w.calls
}

// demonstrate sends the notices of the demonstration that the examples need: the first one,
// and one that bob has not read.
func (w *world) demonstrate(t *testing.T) {
	t.Helper()
	for i, body := range []string{
		`{"target":{"users":["alice","bob"]},"type":"welcome","title":"Welcome"}`,
		`{"target":{"users":["bob"]},"type":"comment","subject":"photo_id:1","title":"Carol says something about your photo"}`,
		`{"target":{"audiences":["user"]},"type":"news","title":"The office is closed on Friday"}`,
	} {
		var sent acceptedNotice
		w.call(t, w.admin, "POST", "/notices", body).is(t, http.StatusAccepted).into(t, &sent)
		if sent.ID != int64(i+1) {
			t.Fatalf("notice %d has the number %d", i+1, sent.ID)
		}
	}
	bob, err := w.store.UserByName(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "bob has both notices", func() bool {
		badges, err := w.inbox.Badges(t.Context(), []int64{bob.Seq})
		return err == nil && badges[0].Unread == 2
	})
	testkit.Eventually(t, "bob sees the announcement", func() bool {
		open, err := w.announcements.List(t.Context(), notifier.Reader{Seq: bob.Seq, Audience: bob.Audience})
		return err == nil && len(open.Items) == 1
	})
	if err := w.topics.SaveType(t.Context(), notifier.Actor{}, notifier.NoticeType{Slug: "news", Open: true}); err != nil {
		t.Fatal(err)
	}
}

// The examples are sent in the order of the page, as by a reader who tries one after the
// other on a fresh demonstration.
func TestEveryExampleInTheDocumentWorks(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		w.demonstrate(t)
		for _, c := range calls(t, w) {
			if len(c.examples) == 0 {
				t.Errorf("%s has no example", c.id)
			}
			for _, e := range c.examples {
				w.sendExample(t, c, e)
			}
		}
	})
}

// sendExample sends an example and compares the answer with its description.
func (w *world) sendExample(t *testing.T, c call, e example) {
	t.Helper()
	op := w.operation(c.method, prefix+c.path)
	path, query, headers := c.path, url.Values{}, []string(nil)
	for _, p := range op.Parameters {
		value, given := e.params[p.Name]
		if !given {
			continue
		}
		if documented, ok := p.Examples[e.name]; !ok || fmt.Sprint(documented.Value) != value {
			t.Errorf("%s: %s of the example %s is not in the document", c.id, p.Name, e.name)
		}
		switch p.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case "query":
			query.Set(p.Name, value)
		case "header":
			headers = append(headers, p.Name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	var body any
	if e.body != "" {
		body = e.body
	}
	status := c.status
	if e.status != 0 {
		status = e.status
	}
	if c.id == "me-events" {
		if got := w.follow(t, w.bob, path).next(t).name; got != "badge" {
			t.Errorf("the stream begins with %s", got)
		}
		return
	}
	res := w.call(t, w.keyOf(c), c.method, path, body, headers...)
	if res.StatusCode != status {
		t.Errorf("%s, example %s: status %d, want %d: %s", c.id, e.name, res.StatusCode, status, res.text)
		return
	}
	w.checkAnswer(t, op, res)
}

// checkAnswer compares the media type and the body of an answer with the document.
func (w *world) checkAnswer(t *testing.T, op *huma.Operation, res reply) {
	t.Helper()
	described := op.Responses[strconv.Itoa(res.StatusCode)]
	if described == nil {
		t.Errorf("%s: the document lacks status %d", op.OperationID, res.StatusCode)
		return
	}
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	if res.text == "" {
		return
	}
	media := described.Content[kind]
	if media == nil {
		t.Errorf("%s: the document lacks the media type %[3]q for status %[2]d", op.OperationID, res.StatusCode, kind)
		return
	}
	if !strings.HasSuffix(kind, "json") {
		return
	}
	var document any
	decoder := json.NewDecoder(bytes.NewReader([]byte(res.text)))
	if err := decoder.Decode(&document); err != nil {
		t.Fatal(err)
	}
	var found huma.ValidateResult
	huma.Validate(w.api.OpenAPI().Components.Schemas, media.Schema, huma.NewPathBuffer(nil, 0), huma.ModeReadFromServer, document, &found)
	for _, err := range found.Errors {
		t.Errorf("%s: the answer differs from the document: %v in %s", op.OperationID, err, res.text)
	}
}
