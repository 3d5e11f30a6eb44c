package instance

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
	"github.com/carillonhq/carillon/notifier/guard"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/live"
	"github.com/carillonhq/carillon/notifier/toast"
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

// storedBacklog is the backlog in SQL.
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

// quietSources are those of an instance on which nothing happens.
func quietSources(sql backlogger) sources {
	return sources{
		hub: func() live.Stats { return live.Stats{} }, toasts: func() toast.Stats { return toast.Stats{} }, behind: func() behind.Stats { return behind.Stats{} },
		intake: func() delivery.Stats { return delivery.Stats{} }, redis: func() guard.State { return guard.Open }, clock: func() (time.Duration, bool) { return 0, true }, sql: sql,
		signIns: func() session.SignInStats { return session.SignInStats{Right: 5, Wrong: 3, Limited: 2} },
		times:   newHistograms(), pool: func() *redis.PoolStats { return &redis.PoolStats{} },
	}
}

// scrape returns the page of metrics.
func scrape(t *testing.T, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

func TestTheBacklogIsThatOfSQL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sql    storedBacklog
		n      float64
		oldest float64
	}{
		"nothing": {},
		"some":    {sql: storedBacklog{n: 4, since: time.Now().Add(-time.Hour)}, n: 4, oldest: 3600},
	} {
		from := quietSources(test.sql)
		page := scrape(t, admin(from))
		if n := metric(t, page, "carillon_intake_backlog"); n != test.n {
			t.Errorf("%s: %v wait; want %v", name, n, test.n)
		}
		if oldest := metric(t, page, "carillon_intake_oldest_seconds"); oldest < test.oldest || oldest > test.oldest+10 {
			t.Errorf("%s: the oldest for %v s; want %v", name, oldest, test.oldest)
		}
		if n := metric(t, page, "carillon_sql_refused_total"); n != 7 {
			t.Errorf("%s: %v refused", name, n)
		}
		for name, want := range map[string]float64{"carillon_sign_ins_total": 5, "carillon_sign_ins_failed_total": 3, "carillon_sign_ins_limited_total": 2} {
			if n := metric(t, page, name); n != want {
				t.Errorf("%s is %v; want %v", name, n, want)
			}
		}
	}
}

func TestWhatCannotBeMeasuredIsNotZero(t *testing.T) {
	t.Parallel()
	from := quietSources(storedBacklog{err: errors.New("away")})
	from.redis = func() guard.State { return guard.Away }
	from.clock = func() (time.Duration, bool) { return 0, false }
	page := scrape(t, admin(from))
	for _, name := range []string{"carillon_intake_backlog", "carillon_intake_oldest_seconds", "carillon_dead_letters", "carillon_notices_unfinished"} {
		if found := regexp.MustCompile(`(?m)^` + name + `[ {].*$`).FindString(page); found != "" {
			t.Errorf("the page has %s", found)
		}
	}
	if offset := metric(t, page, "carillon_clock_offset_seconds"); !math.IsNaN(offset) {
		t.Errorf("the offset is %v", offset)
	}
	if state := metric(t, page, "carillon_redis_state"); state != 0 {
		t.Errorf("the state of Redis is %v", state)
	}
}
