package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

func TestTheDoctorFindsNoFaultInAHealthyServer(t *testing.T) {
	t.Parallel()
	c := in(filepath.Join(t.TempDir(), "data")) // the server creates it, readable by its owner only
	s := serve(t, c)
	r := must(t, c.run(t.Context(), "doctor", "--silence", "0", "--public-url", s.URL))
	wantWords(t, r.out, "append-only file", "nothing is evicted", "a round trip takes", "off ours",
		"ok    intake", "the VAPID key signs", "SQL is 0s behind", "dead letters none", "SQLite", "1 session key of 32 bytes", "readable by its owner only", "arrives line by line", "forms through")
	if strings.Contains(r.out, "FAIL") || strings.Contains(r.out, "note") {
		t.Errorf("it reports a fault:\n%s", r.out)
	}
}

func TestTheDoctorFindsWorkThatIsNotDone(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+server.Socket)
	rdb, space, long := server.Client(t), keys.New("carillon:"), time.Now().Add(-time.Hour).UnixMilli()
	pipe := rdb.Pipeline()
	pipe.ZAdd(t.Context(), space.Dirty(7), redis.Z{Score: float64(long), Member: 7})
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	must(t, c.run(t.Context(), "migrate"))
	db, err := store.Open(t.Context(), store.Config{DataDir: c.env["CARILLON_DATA_DIR"]})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	waits := notifier.Acceptance{Notice: &notifier.Notice{Draft: notifier.Draft{Type: "news", Title: "Waits"}, CreatedAt: time.UnixMilli(long)}}
	if err = errors.Join(db.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{&waits}), waits.Err); err != nil {
		t.Fatal(err)
	}
	if _, err = db.Bury(t.Context(), 0, 0, notifier.DeadLetter{NoticeID: 1, Entry: "{}", Reason: "why", Tries: 5, CreatedAt: time.Now()}); err != nil {
		t.Fatal(err)
	}
	r := c.run(t.Context(), "doctor")
	wantWords(t, r.out, "undelivered notice came 1h0m", "SQL is 1h0m", "1 dead letter", "→ check that a server runs", "→ see /staff/deadletters")
}

func TestTheDoctorExaminesPostgreSQL(t *testing.T) {
	t.Parallel()
	r := shared(t).run(t.Context(), "doctor")
	// The test servers trade durability for speed, which the doctor reports.
	wantWords(t, r.out, "PostgreSQL 1", "fsync is off", "there is no append-only file", "→ switch it on", "→ set appendonly yes")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.errors, "checks failed")
}

func TestTheDoctorGivesAdvice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config.KeyFile(dir), []byte("no key\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	nowhere := "http://" + testkit.Address()
	r := in(dir).with("CARILLON_REDIS_URL", "redis://"+testkit.Address()).run(t.Context(), "doctor", "--silence", "0", "--public-url", nowhere)
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.out, "correct --redis-url", "chmod 0700 "+dir, "chmod 0600 "+config.KeyFile(dir), "put 64 hex digits into it")
	if err := os.WriteFile(config.KeyFile(dir), []byte(strings.Repeat("ab", config.KeyBytes)), 0o600); err != nil {
		t.Fatal(err)
	}
	r = in(dir).run(t.Context(), "doctor", "--silence", "0", "--public-url", nowhere)
	wantWords(t, r.out, "→ start the proxy")
	if strings.Contains(r.out, "doctor=1") {
		t.Errorf("a token is in\n%s", r.out)
	}
}

func TestTheDoctorFindsARedisThatRefusesChanges(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+server.Socket)
	rdb := server.Client(t)
	for _, state := range []struct {
		command []any
		words   []string
	}{
		{[]any{"config", "set", "maxmemory", "1"}, []string{"of 1B used", "→ raise maxmemory"}},
		{[]any{"config", "set", "maxmemory-policy", "allkeys-lru"}, []string{"→ set it to noeviction"}},
		{[]any{"replicaof", "127.0.0.1", "1"}, []string{"is a replica", "→ correct --redis-url"}},
	} {
		if err := rdb.Do(t.Context(), state.command...).Err(); err != nil {
			t.Fatal(err)
		}
		r := c.run(t.Context(), "doctor")
		if r.status != exitFailed {
			t.Errorf("%v: status %d", state.command, r.status)
		}
		wantWords(t, r.out, state.words...)
	}
}

func TestTheDoctorFindsAProxyThatBuffers(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c)
	for name, p := range map[string]struct {
		handler http.HandlerFunc
		word    string
	}{
		"a proxy that forwards": {passing(t, s.URL), "arrives line by line"},
		"a proxy that buffers":  {buffering(s.URL), "it is buffered"},
		"a proxy that passes on another host to a server without a public URL": {otherHost(t, s.URL), "→ have the proxy pass on the host"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := httptest.NewServer(p.handler)
			defer proxy.Close()
			r := c.run(t.Context(), "doctor", "--silence", "0", "--public-url", proxy.URL)
			wantWords(t, r.out, p.word)
		})
	}
}

func passing(t *testing.T, to string) http.HandlerFunc {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return (&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }}).ServeHTTP
}

// otherHost is nginx without proxy_set_header Host.
func otherHost(t *testing.T, to string) http.HandlerFunc {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return (&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(u)
		r.Out.Host = "upstream"
	}}).ServeHTTP
}

func buffering(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, to+r.URL.String(), nil)
		if err != nil {
			panic(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		w.Header().Set("Content-Type", res.Header.Get("Content-Type"))
		body, _ := io.ReadAll(res.Body) // a short body fails the test anyway
		_, _ = w.Write(body)
	}
}
