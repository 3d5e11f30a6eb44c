package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// serve answers one GET with a handler, and returns the response and the log.
func serve(t *testing.T, change func(*web.Site), handler http.HandlerFunc) (*httptest.ResponseRecorder, string) {
	t.Helper()
	var log bytes.Buffer
	s := web.Site{
		Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now,
		Level: func(*http.Request, int) slog.Level { return slog.LevelInfo },
		Fail: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.WriteHeader(http.StatusInternalServerError)
		},
	}
	if change != nil {
		change(&s)
	}
	w := httptest.NewRecorder()
	s.Wrap(handler).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/a?secret=1", http.NoBody))
	return w, log.String()
}

func wants(t *testing.T, log string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(log, part) {
			t.Errorf("the log lacks %s:\n%s", part, log)
		}
	}
	if strings.Contains(log, "secret=") {
		t.Errorf("the log has the query:\n%s", log)
	}
}

func TestAccessLogDescribesTheExchange(t *testing.T) {
	t.Parallel()
	type key struct{}
	var id string
	w, log := serve(t, func(s *web.Site) {
		s.Begin = func(ctx context.Context, x *web.Exchange) context.Context {
			id = x.ID
			return context.WithValue(ctx, key{}, "begun")
		}
		s.Attrs = func(ctx context.Context) []slog.Attr { return []slog.Attr{slog.Any("also", ctx.Value(key{}))} }
	}, func(w http.ResponseWriter, r *http.Request) {
		if x := web.Of(r.Context()); x.ID != id || x.Length != 0 || x.Status != 0 {
			t.Errorf("the handler sees %+v", x)
		}
		w.WriteHeader(http.StatusTeapot)
		w.WriteHeader(http.StatusOK) // has no effect
		_, _ = io.WriteString(w, "12345")
		_, _ = io.WriteString(w, "678")
	})
	if w.Code != http.StatusTeapot || len(id) != 16 || w.Header().Get("X-Request-Id") != id {
		t.Errorf("status %d, id %q, headers %v", w.Code, id, w.Header())
	}
	wants(t, log, "level=INFO", "method=GET", "path=/a ", "status=418", "bytes=8", "duration=", "request_id="+id, "address=192.0.2.1", "also=begun")
}

func TestLevelDecidesWhatIsLogged(t *testing.T) {
	t.Parallel()
	quiet := func(s *web.Site) {
		s.Level = func(_ *http.Request, status int) slog.Level {
			if status == http.StatusOK {
				return slog.LevelDebug
			}
			return slog.LevelInfo
		}
	}
	if _, log := serve(t, quiet, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }); log != "" {
		t.Errorf("logged: %s", log)
	}
	_, log := serve(t, quiet, http.NotFound)
	wants(t, log, "status=404")
}

func TestPanicIsLoggedAndAnswered(t *testing.T) {
	t.Parallel()
	w, log := serve(t, nil, func(http.ResponseWriter, *http.Request) { panic("detail") })
	if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "detail") {
		t.Errorf("status %d, body %q", w.Code, w.Body)
	}
	wants(t, log, "level=ERROR", "err=detail", "stack=", "status=500", "request_id="+w.Header().Get("X-Request-Id"))

	w, log = serve(t, nil, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begun")
		panic("detail")
	})
	if w.Code != http.StatusOK || w.Body.String() != "begun" {
		t.Errorf("a response that had begun became %d %q", w.Code, w.Body)
	}
	wants(t, log, "err=detail")
}

func TestAbortCutsTheConnection(t *testing.T) {
	t.Parallel()
	for _, abort := range []error{http.ErrAbortHandler, fmt.Errorf("copy a file: %w", http.ErrAbortHandler)} {
		func() {
			defer func() {
				got, _ := recover().(error)
				if got != http.ErrAbortHandler { //nolint:errorlint // the server compares the value itself
					t.Errorf("%v: the server sees %v", abort, got)
				}
			}()
			_, log := serve(t, nil, func(http.ResponseWriter, *http.Request) { panic(abort) })
			t.Errorf("%v: no panic; logged %s", abort, log)
		}()
	}
}

func TestOnlyTrustedProxiesSetTheClientAddress(t *testing.T) {
	t.Parallel()
	proxies := web.Proxies{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct{ remote, forwarded, want string }{
		{"192.0.2.1:99", "", "192.0.2.1"},
		{"192.0.2.1:99", "203.0.113.5", "192.0.2.1"},
		{"10.0.0.2:99", "203.0.113.5", "203.0.113.5"},
		{"10.0.0.2:99", "6.6.6.6, 203.0.113.5, 10.1.1.1", "203.0.113.5"},
		{"10.0.0.2:99", "nonsense", "10.0.0.2"},
		{"10.0.0.2:99", "", "10.0.0.2"},
		{"[::ffff:10.0.0.2]:99", "2001:db8::1", "2001:db8::1"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = test.remote
		r.Header.Set("X-Forwarded-For", test.forwarded)
		if got := proxies.Address(r); got != test.want {
			t.Errorf("%s for %q counts as %s, want %s", test.remote, test.forwarded, got, test.want)
		}
	}
}

// diary is an audit log.
type diary struct {
	entry notifier.AuditEntry
	err   error
}

func (d *diary) Audit(_ context.Context, e notifier.AuditEntry) error {
	d.entry = e
	return d.err
}

func TestRecordAddsTheAddressAndLogsFailures(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, errors.New("disk full")} {
		d := &diary{err: failure}
		var log bytes.Buffer
		w, _ := serve(t, nil, func(_ http.ResponseWriter, r *http.Request) {
			web.Record(r.Context(), d, slog.New(slog.NewTextHandler(&log, nil)), notifier.AuditEntry{
				Actor: notifier.KeyRef("shop"), Action: "notice.send", Object: notifier.NoticeRef(7),
			})
		})
		if d.entry.Address != "192.0.2.1" || d.entry.Action != "notice.send" {
			t.Errorf("recorded %+v", d.entry)
		}
		if failure == nil {
			if log.Len() > 0 {
				t.Errorf("logged: %s", log.String())
			}
			continue
		}
		wants(t, log.String(), "level=WARN", "disk full", "action=notice.send", "request_id="+w.Header().Get("X-Request-Id"))
	}
}

func TestATokenInThePathIsNotLogged(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{token}", func(http.ResponseWriter, *http.Request) { panic("now") })
	_, log := serve(t, nil, web.Routed(mux).ServeHTTP)
	wants(t, log, "handler panicked\" path=/{token} ", "request served\" method=GET path=/{token} ")
}
