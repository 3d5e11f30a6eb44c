package api

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"path/filepath"
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
	for _, name := range []string{"Max", "Min", "Count", "Char", "Host", "Name", "Names", "Audience", "Titles", "Allowed", "Type"} {
		params[name] = "<" + name + ">"
	}
	for code := range codes(t) {
		if got := sentence(code, params); strings.ContainsAny(strings.ReplaceAll(got, "{0,6", ""), "{|") {
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
		var p *huma.ErrorModel
		if !errors.As(err, &p) || p.Status != c.status || p.Title != http.StatusText(c.status) || p.Detail == "" {
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

func TestAProblemIsNotConvertedAgain(t *testing.T) {
	t.Parallel()
	s := &server{Config: Config{Log: slog.New(slog.DiscardHandler)}}
	given := invalidAt("query.since", codeBadTime, nil)
	if got := s.problem(t.Context(), given); !errors.Is(got, error(given)) {
		t.Errorf("%v became %v", given, got)
	}
}
