package api

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestAnUnknownAddressIsAnsweredWithAProblem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, path := range []string{
		"/nothing", "/notices/", "/notices/1/2", "/user", "/users/", "/users//notices", "/notices//1", "/notices/../notices/1", "/./notices", "/openapi.xml", "/docs/", "//docs",
	} {
		if res := w.call(t, w.admin, "GET", path, nil).is(t, http.StatusNotFound); res.Header.Get("Location") != "" {
			t.Errorf("%s leads to %s", path, res.Header.Get("Location"))
		}
	}
}

func TestAnUnsupportedMethodIsAnsweredWithTheSupportedOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path, allowed := range map[string]string{
		"/notices": "GET, HEAD, POST", "/users": "GET, HEAD", "/notices/batch": "DELETE, GET, HEAD, PATCH, POST", "/notices/1": "DELETE, GET, HEAD, PATCH", "/subjects/x": "DELETE", "/docs": "GET, HEAD",
	} {
		for _, method := range []string{"PUT", "TRACE", "OPTIONS", "CONNECT", "BREW"} {
			res := w.call(t, w.admin, method, path, nil).is(t, http.StatusMethodNotAllowed)
			if got := res.Header.Get("Allow"); got != allowed {
				t.Errorf("%s %s: Allow: %s, want %s", method, path, got, allowed)
			}
		}
	}
}

func TestHEADIsGETWithoutItsBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	for path, key := range map[string]string{"/docs": "", "/openapi.json": "", "/users/alice/badge": w.read} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, server.URL+prefix+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		res, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", path, res.StatusCode)
		}
	}
}

func TestEveryAnswerHasARequestIDAndIsNotStored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := map[string]bool{}
	for _, path := range []string{"/notices/1", "/nothing", "/users/alice/badge"} {
		res := w.call(t, w.admin, "GET", path, nil)
		id := res.Header.Get("X-Request-Id")
		if res.Header.Get("Cache-Control") != "no-store" || res.Header.Get("X-Content-Type-Options") != "nosniff" || len(id) != 16 || seen[id] {
			t.Errorf("%s: %v", path, res.Header)
		}
		seen[id] = true
	}
}

// brokenStream panics.
type brokenStream struct{ reason any }

func (b brokenStream) Serve(http.ResponseWriter, *http.Request, notifier.Reader, notifier.StreamOf) error {
	panic(b.reason)
}

// lines is a log in memory.
type lines struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestAPanicIsLoggedAndItsReasonIsNotSent(t *testing.T) {
	t.Parallel()
	var log lines
	w := newWorld(t, func(c *Config) {
		c.Stream, c.Log = brokenStream{"password hunter2"}, slog.New(slog.NewTextHandler(&log, nil))
	})
	res := w.call(t, w.bob, "GET", "/me/events", nil).is(t, http.StatusInternalServerError)
	if strings.Contains(res.text, "hunter2") || !strings.Contains(log.String(), "hunter2") || !strings.Contains(log.String(), res.Header.Get("X-Request-Id")) {
		t.Errorf("sent %s, logged %s", res.text, log.String())
	}
	if strings.Contains(log.String(), w.bob) {
		t.Error("the token is in the log")
	}
}

func TestRefusedCallsAreLoggedAndSuccessfulOnesAreNot(t *testing.T) {
	t.Parallel()
	var log lines
	w := newWorld(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"like","title":"Secret title"}`)
	if log.String() != "" {
		t.Errorf("logged: %s", log.String())
	}
	w.call(t, w.send, "GET", "/notices/999", nil).is(t, http.StatusNotFound)
	got := strings.Fields(log.String())
	for _, want := range []string{"method=GET", "path=/api/v1/notices/999", "status=404", "address=192.0.2.1"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not in the log: %s", want, log.String())
		}
	}
	if strings.Contains(log.String(), w.send) {
		t.Error("the key is in the log")
	}
}
