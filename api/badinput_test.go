package api

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// worse returns faulty versions of any valid body.
func worse(body string) map[string]string {
	return map[string]string{
		"nothing":                    " ",
		"not JSON":                   "title=A",
		"cut off":                    body[:len(body)-1],
		"two documents":              body + body,
		"a list":                     "[" + body + "]",
		"a text":                     `"x"`,
		"a number":                   "7",
		"null":                       "null",
		"an unknown field":           strings.Replace(body, "{", `{"no_such_field":1,`, 1),
		"an unknown field, twice":    strings.Replace(body, "{", `{"x":1,"x":1,`, 1),
		"a field in another case":    strings.Replace(body, `{"`, `{"X`, 1),
		"invalid UTF-8":              strings.Replace(body, `{"`, "{\"\xff", 1),
		"half a surrogate":           strings.Replace(body, `{"`, `{"\udc00`, 1),
		"a raw NUL":                  strings.Replace(body, "{", "{\x00", 1),
		"a byte order mark":          "\ufeff" + body,
		"a comment":                  body + "// x",
		"deep lists":                 strings.Repeat("[", 30_000),
		"deep lists in a field":      `{"x":` + strings.Repeat("[", 15_000) + strings.Repeat("]", 15_000) + "}",
		"deep objects":               strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
		"NaN":                        `{"x":NaN}`,
		"a number without end":       `{"x":1` + strings.Repeat("0", 50_000) + `}`,
		"a thousand unknown fields":  strings.Replace(body, "{", "{"+unknownFields(1000), 1),
		"an empty name of a field":   strings.Replace(body, "{", `{"":1,`, 1),
		"a name that is no property": strings.Replace(body, "{", `{"__proto__":{},`, 1),
	}
}

func unknownFields(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`"f` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + `":0,`)
	}
	return b.String()
}

func TestEveryCallRefusesMalformedBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, briefStreams)
	bodies := 0
	for _, c := range calls(t, w) {
		body, ok := c.sample().(string)
		if !ok {
			continue
		}
		bodies++
		for name, bad := range worse(body) {
			res := w.call(t, w.keyOf(c), c.method, c.address(), bad)
			if res.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s, %s: status %d: %.300s", c.id, name, res.StatusCode, res.text)
				continue
			}
			if len(res.is(t, http.StatusUnprocessableEntity).faults(t)) == 0 || len(res.text) > 16<<10 {
				t.Errorf("%s, %s: %.300s", c.id, name, res.text)
			}
		}
		w.wrongTypes(t, c, body)
		limit := maxBody
		if c.maxBody > 0 {
			limit = int(c.maxBody)
		}
		w.call(t, w.keyOf(c), c.method, c.address(), body+strings.Repeat(" ", limit)).is(t, http.StatusRequestEntityTooLarge)
		w.call(t, w.keyOf(c), c.method, c.address(), body, "Content-Type", "text/xml").is(t, http.StatusUnsupportedMediaType)
	}
	if bodies < 5 {
		t.Errorf("%d calls have a body", bodies)
	}
	w.untouched(t)
}

// wrongTypes sends, for each field of the body, a value of every wrong type.
func (w *world) wrongTypes(t *testing.T, c call, body string) {
	t.Helper()
	op := w.operation(c.method, prefix+c.path)
	for _, f := range w.members("", op.RequestBody.Content["application/json"].Schema) {
		if strings.ContainsAny(f.Name, ".[") {
			continue
		}
		for kind, value := range map[string]string{
			"string": `"x"`, "integer": "7", "number": "7.5", "boolean": "true", "object": `{"zz":1}`, "list": `[[["x"]]]`,
		} {
			if strings.Contains(f.Kind, kind) || f.Kind == "number" && kind == "integer" {
				continue
			}
			bad := `{"` + f.Name + `":` + value + "}"
			res := w.call(t, w.keyOf(c), c.method, c.address(), bad)
			if res.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s: %s for %s: status %d: %s", c.id, value, f.Name, res.StatusCode, res.text)
				continue
			}
			if !slices.ContainsFunc(res.faults(t), func(at string) bool { return strings.HasPrefix(at, "body."+f.Name) }) {
				t.Errorf("%s: %s for %s: %s", c.id, value, f.Name, res.text)
			}
		}
	}
}

// untouched fails the test if anything was sent, created or subscribed to.
func (w *world) untouched(t *testing.T) {
	t.Helper()
	if sent, err := w.store.Notices(t.Context(), notifier.NoticeQuery{}); err != nil || len(sent) != 0 {
		t.Errorf("%d notices were sent, %v", len(sent), err)
	}
	if users, err := w.store.Users(t.Context(), notifier.UserQuery{}); err != nil || len(users) != 5 {
		t.Errorf("%d users, %v", len(users), err)
	}
	if all, err := w.store.Subscriptions(t.Context(), notifier.SubscriptionQuery{}); err != nil || len(all) != 0 {
		t.Errorf("%d subscriptions, %v", len(all), err)
	}
}

// nasty are hostile values for places where a name or a number is expected.
var nasty = []string{
	"0", "-1", "9223372036854775808", "1e3", "nobody", "%", "%zz", "..", ".", "/", "a/b", "//", "a//b", " ", "\x00", "a\x00b", "\n", "\u202e", "\u2028", "\ufeff",
	"\xff\xfe", "'", "'; DROP TABLE users; --", `"`, "{}", "{name}", "*", "user:1", "<script>", "ALICE", "alice ", strings.Repeat("a", 10_000), strings.Repeat("é", 150),
	strings.Repeat("/", 500), "a?b", "a#b", "a;b", "a&b=c",
}

func TestNoPathBreaksACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, briefStreams)
	for _, c := range calls(t, w) {
		for _, name := range []string{"id", "name", "subject"} {
			if !strings.Contains(c.path, "{"+name+"}") {
				continue
			}
			for _, bad := range nasty {
				if c.id == "put-user" && notifier.ValidName(bad) {
					continue // a valid name
				}
				res := w.call(t, w.keyOf(c), c.method, c.address(name, bad), c.sample())
				switch res.StatusCode {
				case http.StatusNotFound, http.StatusUnprocessableEntity:
					res.is(t, res.StatusCode)
				case http.StatusOK:
					if c.id != "withdraw-subject" {
						t.Errorf("%s with %.40q: %s", c.id, bad, res.text)
					}
				default:
					t.Errorf("%s with %.40q: status %d: %.300s", c.id, bad, res.StatusCode, res.text)
				}
			}
		}
	}
	w.untouched(t)
}

func TestNoQueryBreaksACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, briefStreams)
	for _, c := range calls(t, w) {
		op := w.operation(c.method, prefix+c.path)
		path, _, _ := strings.Cut(c.address(), "?")
		res := w.call(t, w.keyOf(c), c.method, path+"?no_such=1", c.sample()).is(t, http.StatusUnprocessableEntity)
		if got := res.faults(t); !slices.Contains(got, "query.no_such") {
			t.Errorf("%s: faults at %v", c.id, got)
		}
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			for _, bad := range nasty {
				res := w.call(t, w.keyOf(c), c.method, path+"?"+url.Values{p.Name: {bad}}.Encode(), c.sample())
				if res.StatusCode >= http.StatusInternalServerError {
					t.Errorf("%s with %s=%.40q: status %d: %.300s", c.id, p.Name, bad, res.StatusCode, res.text)
				}
			}
		}
	}
}

func TestNoHeaderBreaksACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, briefStreams)
	for _, c := range calls(t, w) {
		for _, name := range []string{"Accept", "If-None-Match", "Content-Type", "Accept-Language", onceHeader, "X-Request-Id", "Origin"} {
			for _, bad := range append(slices.Clone(nasty), "application/xml;q=0.x, */*", "W/", `"`, "a/b+c;d", "application/json;q=0", ";+", "+;") {
				r := httptest.NewRequestWithContext(t.Context(), c.method, prefix+c.address(), http.NoBody)
				r.Header.Set("Authorization", "Bearer "+w.keyOf(c))
				r.Header.Set(name, bad)
				rec := httptest.NewRecorder()
				w.handler.ServeHTTP(rec, r)
				if rec.Code >= http.StatusInternalServerError {
					t.Errorf("%s with %s: %.40q: status %d: %.300s", c.id, name, bad, rec.Code, rec.Body)
				}
			}
		}
	}
}
