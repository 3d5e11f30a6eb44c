package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// codes returns the names of all constants Code… of package notifier and code… of this
// package, by value.
func codes(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, dir := range []string{"../notifier", "../internal/session", "."} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok || len(spec.Values) != 1 || !strings.HasPrefix(strings.ToLower(spec.Names[0].Name), "code") {
					return true
				}
				if text, ok := spec.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
					value, err := strconv.Unquote(text.Value)
					if err != nil {
						t.Fatal(err)
					}
					found[value] = spec.Names[0].Name
				}
				return true
			})
		}
	}
	return found
}

func TestEveryFaultCodeHasASentence(t *testing.T) {
	t.Parallel()
	known := codes(t)
	for code, name := range known {
		if strings.Contains(sentence(code, nil), code+")") {
			t.Errorf("%s (%s) has no sentence", name, code)
		}
	}
	for code := range sentences {
		if known[code] == "" {
			t.Errorf("there is a sentence for %s, which does not exist", code)
		}
	}
}

func TestASentenceContainsItsParameters(t *testing.T) {
	t.Parallel()
	params := map[string]any{}
	for _, name := range []string{"Max", "Min", "Count", "Char", "Host", "Name", "Names", "Audience", "Titles", "Allowed", "Type", "Days"} {
		params[name] = "<" + name + ">"
	}
	for code := range codes(t) {
		if got := sentence(code, params); regexp.MustCompile(`\{[A-Z]|\|`).MatchString(got) {
			t.Errorf("%s: %q has an unknown parameter", code, got)
		}
	}
	for want, count := range map[string]int{"unknown user: bob": 1, "2 unknown users: bob": 2} {
		if got := sentence(notifier.CodeUnknownUsers, map[string]any{"Count": count, "Names": "bob"}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := sentence("never_heard_of", nil); !strings.Contains(got, "never_heard_of") {
		t.Errorf("an unknown code: %q", got)
	}
}

func TestAnErrorIsSentAsAStatusAndAFixedSentence(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := &server{Config: Config{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	secret := errors.New("dial tcp 10.0.0.7: password is hunter2")
	for _, c := range []struct {
		err    error
		status int
		retry  string
	}{
		{notifier.ErrNotFound, 404, ""},
		{notifier.ErrUnauthenticated, 401, ""},
		{notifier.ErrForbidden, 403, ""},
		{notifier.ErrConflict, 409, ""},
		{notifier.ErrOtherRequest, 422, ""},
		{notifier.ErrTooLarge, 413, ""},
		{notifier.ErrTooMany, 429, "5"},
		{&notifier.TooManyError{RetryAfter: 1500 * time.Millisecond}, 429, "2"},
		{notifier.ErrUnavailable, 503, "5"},
		{context.DeadlineExceeded, 503, "5"},
		{context.Canceled, 503, "5"},
		{secret, 500, ""},
		{&notifier.InvalidError{Fields: []notifier.FieldError{{Field: "title", Code: notifier.CodeRequired}}}, 422, ""},
	} {
		err := s.problem(t.Context(), fmt.Errorf("send: %w (%w)", c.err, secret))
		var p *problem
		if !errors.As(err, &p) || p.Code == "" || p.Status != c.status || p.Title != http.StatusText(c.status) || p.Detail == "" {
			t.Errorf("%v is %+v", c.err, p)
			continue
		}
		if strings.Contains(fmt.Sprintf("%+v", p), "hunter2") {
			t.Errorf("%v reveals its text: %+v", c.err, p)
		}
		var headers huma.HeadersError
		retry := ""
		if errors.As(err, &headers) {
			retry = headers.GetHeaders().Get("Retry-After")
		}
		if retry != c.retry {
			t.Errorf("%v: Retry-After %q, want %q", c.err, retry, c.retry)
		}
	}
	if n := strings.Count(log.String(), "call failed"); n != 3 {
		t.Errorf("%d errors are logged, want three (the internal one and two of unavailability):\n%s", n, log.String())
	}
	for _, o := range outcomes {
		if !strings.HasSuffix(o.detail, ".") && !strings.HasSuffix(o.detail, "…") {
			t.Errorf("%q is not a sentence", o.detail)
		}
	}
}

// Programs branch on the code, so each kind of refusal has one, whoever makes it: the API, Huma, or the router.
func TestEveryProblemHasACode(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	names := make([]string, notifier.MaxNames+1)
	for i := range names {
		names[i] = strings.Repeat("n", 150) + strconv.Itoa(i)
	}
	many, err := json.Marshal(map[string]any{"target": map[string]any{"users": names}, "type": "like", "title": "Many"})
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		key, method, path, body string
		status                  int
		code, detail            string
	}{
		"no key":             {"", "GET", "/users/bob/badge", "", 401, "unauthenticated", ""},
		"another scope":      {w.read, "POST", "/notices", "{}", 403, "scope_missing", "the scope send or admin. This one has read."},
		"the scope admin":    {w.send, "PUT", "/users/bob", "{}", 403, "scope_missing", "the scope admin. This one has send."},
		"a key of the API":   {w.admin, "GET", "/me/badge", "", 401, "key_not_token", "API key"},
		"nothing there":      {w.send, "GET", "/notices/404", "", 404, "not_found", ""},
		"no address":         {w.send, "GET", "/nowhere", "", 404, "not_found", ""},
		"no method":          {w.send, "TRACE", "/notices", "", 405, "method_not_allowed", ""},
		"a parameter":        {w.read, "GET", "/users/bob/badge?what=1", "", 422, "invalid", ""},
		"a body":             {w.send, "POST", "/notices", "[", 422, "invalid", ""},
		"a field":            {w.send, "POST", "/notices", `{"target":{"users":["bob"]},"type":"like","title":""}`, 422, "invalid", ""},
		"too many names":     {w.send, "POST", "/notices", string(many), 422, "invalid", ""},
		"too many of toasts": {w.send, "POST", "/toasts", strings.Replace(string(many), `"type":"like",`, "", 1), 422, "invalid", ""},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		res := w.call(t, c.key, c.method, c.path, body).is(t, c.status)
		var p problem
		if err := json.Unmarshal([]byte(res.text), &p); err != nil || p.Code != c.code || p.Status != c.status || !strings.Contains(p.Detail, c.detail) {
			t.Errorf("%s: %s; want the code %s", what, res.text, c.code)
		}
		if what == "a field" && (len(p.Errors) != 1 || p.Errors[0].Code != notifier.CodeRequired || p.Errors[0].Location != "body.title") {
			t.Errorf("%s: %s; want the code of the field", what, res.text)
		}
	}
}

func TestAProblemIsNotConvertedAgain(t *testing.T) {
	t.Parallel()
	s := &server{Config: Config{Log: slog.New(slog.DiscardHandler)}}
	given := invalidAt("query.since", codeBadTime, nil)
	if got := s.problem(t.Context(), given); !errors.Is(got, error(given)) {
		t.Errorf("%v became %v", given, got)
	}
}
