package notifier_test

import (
	"errors"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestPresetsAreTimesInTheZoneOfTheUser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, now, preset, want string }{
		{"Europe/Berlin", "2026-11-27 17:30", "3h", "2026-11-27 20:30"},
		{"Europe/Berlin", "2026-11-27 17:30", "1h", "2026-11-27 18:30"},
		{"Europe/Berlin", "2026-11-27 17:30", "tomorrow", "2026-11-28 09:00"},
		{"Europe/Berlin", "2026-11-27 17:30", "monday", "2026-11-30 09:00"},
		{"Asia/Tokyo", "2026-11-30 00:10", "monday", "2026-12-07 09:00"}, // a Monday: the next one
		{"Asia/Tokyo", "2026-11-29 23:50", "monday", "2026-11-30 09:00"},
		{"Asia/Tokyo", "2026-12-31 08:00", "tomorrow", "2027-01-01 09:00"},
		{"Europe/Berlin", "2026-03-28 22:00", "tomorrow", "2026-03-29 09:00"}, // 10 hours later: one is skipped
		{"Europe/Berlin", "2026-03-29 00:30", "3h", "2026-03-29 04:30"},
		{"Europe/Berlin", "2026-10-24 22:00", "tomorrow", "2026-10-25 09:00"}, // 12 hours later: one comes twice
		{"Europe/Berlin", "2026-10-25 00:30", "3h", "2026-10-25 02:30"},
		{"America/New_York", "2026-10-31 12:00", "monday", "2026-11-02 09:00"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.ParseInLocation("2006-01-02 15:04", c.now, zone)
		if err != nil {
			t.Fatal(err)
		}
		at, ok := notifier.PresetEnd(c.preset, now)
		if got := at.Format("2006-01-02 15:04"); !ok || got != c.want {
			t.Errorf("%s at %s in %s is %s, want %s", c.preset, c.now, c.zone, got, c.want)
		}
		if err := notifier.CheckSnooze(at, now); err != nil {
			t.Errorf("%s at %s in %s: %v", c.preset, c.now, c.zone, err)
		}
	}
	if at, ok := notifier.PresetEnd("tuesday", time.Now()); ok {
		t.Errorf("an unknown preset is %v", at)
	}
}

func TestSnoozingEndsInTheFutureAndWithinNinetyDays(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_790_000_000_000)
	for d, want := range map[time.Duration]string{
		-time.Hour: notifier.CodeSnoozePast, 0: notifier.CodeSnoozePast, time.Millisecond: "", 90 * 24 * time.Hour: "", 90*24*time.Hour + time.Millisecond: notifier.CodeSnoozeLate,
	} {
		err := notifier.CheckSnooze(now.Add(d), now)
		var bad *notifier.InvalidError
		if errors.As(err, &bad); want == "" && err != nil || want != "" && (bad == nil || bad.Fields[0].Field != "until" || bad.Fields[0].Code != want) {
			t.Errorf("%v: %v, want %s", d, err, want)
		}
	}
}
