package rule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier/rule"
)

// scheduled returns a set with one rule that has this schedule.
func scheduled(t *testing.T, schedule string) *rule.Set {
	t.Helper()
	set, err := rule.Parse([]byte(strings.Replace(negative(), `every = "5m"`, schedule, 1)), environment)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	found, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestDueTimesAreTheSameOnEveryInstance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schedule, after, next string }{
		{`every = "5m"`, "2026-07-01T12:01:30Z", "2026-07-01T12:05:00Z"},
		{`every = "5m"`, "2026-07-01T12:05:00Z", "2026-07-01T12:10:00Z"},
		{`every = "1d"`, "2026-07-01T12:05:00+09:00", "2026-07-02T00:00:00Z"},
		{`cron = "CRON_TZ=Europe/Amsterdam 30 8 * * 1-5"`, "2026-07-03T06:30:00Z", "2026-07-06T06:30:00Z"},
		{`cron = "CRON_TZ=Europe/Amsterdam 30 8 * * *"`, "2026-10-24T12:00:00Z", "2026-10-25T07:30:00Z"},
		{`cron = "TZ=Asia/Tokyo @daily"`, "2026-07-01T12:00:00Z", "2026-07-01T15:00:00Z"},
	} {
		if got := scheduled(t, c.schedule).NextRun("negative-stock", at(t, c.after)); !got.Equal(at(t, c.next)) {
			t.Errorf("%s after %s: %s, want %s", c.schedule, c.after, got.UTC().Format(time.RFC3339), c.next)
		}
	}
}

func TestACrontabUsesTheServersTimeZone(t *testing.T) {
	t.Parallel()
	next := scheduled(t, `cron = "30 8 * * *"`).NextRun("negative-stock", at(t, "2026-07-01T12:00:00Z"))
	if local := next.In(time.Local); local.Hour() != 8 || local.Minute() != 30 {
		t.Errorf("due at %s", local)
	}
}

func TestRunsThatFellDueWhileNoInstanceRanAreMissed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schedule, last, now string
		want                bool
	}{
		{`every = "5m"`, "", "2026-07-01T12:01:00Z", true},
		{`every = "5m"`, "2026-07-01T12:00:01Z", "2026-07-01T12:04:59Z", false},
		{`every = "5m"`, "2026-07-01T11:59:59Z", "2026-07-01T12:00:00Z", true},
		{`every = "1d"`, "2026-07-01T12:00:00Z", "2026-07-01T23:59:59Z", false}, // a restart alone causes no run
		{`every = "1d"`, "2026-06-28T12:00:00Z", "2026-07-01T12:00:00Z", true},
		{`cron = "CRON_TZ=UTC 0 8 * * *"`, "", "2026-07-01T12:01:00Z", false},
		{`cron = "CRON_TZ=UTC 0 8 * * *"`, "2026-07-01T08:00:00Z", "2026-07-02T07:59:00Z", false},
		{`cron = "CRON_TZ=UTC 0 8 * * *"`, "2026-07-01T08:00:00Z", "2026-07-02T09:00:00Z", true},
	} {
		var last time.Time
		if c.last != "" {
			last = at(t, c.last)
		}
		if got := scheduled(t, c.schedule).Missed("negative-stock", last, at(t, c.now)); got != c.want {
			t.Errorf("%s, last run %q, now %s: missed %v", c.schedule, c.last, c.now, got)
		}
	}
}
