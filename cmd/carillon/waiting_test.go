package main

import (
	"context"
	"errors"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/epoch"
	"github.com/carillonhq/carillon/notifier/intake"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/notifier/unread"
)

// metric reads one number of a page of metrics.
func metric(t *testing.T, page, name string) float64 {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no %s in:\n%s", name, page)
	}
	value, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestWhatRedisDoesNotTakeIsToldToWait(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	proxy := faulty.Listen(t, "unix", server.Socket)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", proxy.URL("redis"))
	s := serve(t, c, "--demo", "--admin-addr", "127.0.0.1:0")
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-demo")
	rdb := server.Client(t)
	maxmemory := func(limit string) {
		if err := rdb.ConfigSet(t.Context(), "maxmemory", limit).Err(); err != nil {
			t.Fatal(err)
		}
	}
	waiting := func() (n, oldest float64) {
		_, page := text(t, s.Admin+"/metrics")
		return metric(t, page, "carillon_intake_backlog"), metric(t, page, "carillon_intake_oldest_seconds")
	}
	for _, fault := range []struct {
		name         string
		begin, end   func()
		alsoByDoctor string
	}{
		{"redis is full", func() { maxmemory("1") }, func() { maxmemory("0") }, "raise maxmemory"},
		{"redis is away", func() { proxy.Refuse(true) }, func() { proxy.Refuse(false) }, "start it, or correct --redis-url"},
	} {
		eventually(t, "nothing waits before "+fault.name, func() bool { n, _ := waiting(); return n == 0 })
		fault.begin()
		sent := time.Now()
		for range 3 {
			alice.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"bob"}, "type": {"order"}, "title": {"Your order left"}})
		}
		eventually(t, fault.name+": all three are told, and for how long", func() bool {
			n, oldest := waiting()
			return n == 3 && oldest > 0.5 && oldest <= time.Since(sent).Seconds()
		})
		r := c.run(t.Context(), "doctor")
		wantWords(t, r.out, "waits to be delivered came", "(3 notices)", fault.alsoByDoctor)
		fault.end()
	}
	eventually(t, "all is delivered", func() bool { n, oldest := waiting(); return n == 0 && oldest == 0 })
	if r := c.run(t.Context(), "doctor"); !strings.Contains(r.out, "nothing waits to be delivered") {
		t.Errorf("the doctor:\n%s", r.out)
	}
}

// storedBacklog is what SQL knows.
type storedBacklog struct {
	n     int64
	since time.Time
	err   error
}

func (b storedBacklog) Waiting(context.Context) (int64, time.Time, error) { return b.n, b.since, b.err }
func (b storedBacklog) CountDeadLetters(context.Context) (int64, error)   { return 0, b.err }
func (b storedBacklog) Refused() int64                                    { return 7 }
func (b storedBacklog) Backlog(context.Context) (map[notifier.State]int64, error) {
	return nil, b.err
}

func TestTheLargerOfWhatTheStreamAndSQLKnowIsTold(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	for name, test := range map[string]struct {
		stream intake.Stats
		sql    storedBacklog
		n      float64
		oldest float64
	}{
		"nothing":              {},
		"in SQL alone":         {sql: storedBacklog{n: 4, since: ago(time.Hour)}, n: 4, oldest: 3600},
		"in the stream alone":  {stream: intake.Stats{Backlog: 3, Oldest: time.Minute}, n: 3, oldest: 60},
		"more in the stream":   {stream: intake.Stats{Backlog: 3, Oldest: time.Minute}, sql: storedBacklog{n: 1, since: ago(time.Hour)}, n: 3, oldest: 3600},
		"longer in the stream": {stream: intake.Stats{Backlog: 1, Oldest: time.Hour}, sql: storedBacklog{n: 2, since: ago(time.Minute)}, n: 2, oldest: 3600},
		"SQL is away":          {stream: intake.Stats{Backlog: 3, Oldest: time.Minute}, sql: storedBacklog{n: 9, since: ago(time.Hour), err: errors.New("away")}, n: 3, oldest: 60},
	} {
		w := httptest.NewRecorder()
		admin(sources{
			hub: func() live.Stats { return live.Stats{} }, toasts: func() toast.Stats { return toast.Stats{} }, behind: func() unread.Stats { return unread.Stats{} },
			intake: func() intake.Stats { return test.stream }, redis: func() epoch.State { return epoch.Open }, sql: test.sql,
		}).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
		page := w.Body.String()
		if n := metric(t, page, "carillon_intake_backlog"); n != test.n {
			t.Errorf("%s: %v wait; want %v", name, n, test.n)
		}
		if oldest := metric(t, page, "carillon_intake_oldest_seconds"); oldest < test.oldest || oldest > test.oldest+10 {
			t.Errorf("%s: the oldest for %v s; want %v", name, oldest, test.oldest)
		}
		if n := metric(t, page, "carillon_sql_refused_total"); n != 7 {
			t.Errorf("%s: %v refused", name, n)
		}
	}
}
