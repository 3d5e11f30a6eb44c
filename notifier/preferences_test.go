package notifier_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
)

// These are days on which clocks change, in five zones.
func TestTheNextMinuteOnDaysWhenClocksChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, minute, from, want string }{
		{"Europe/Berlin", "08:00", "2026-03-28T12:00:00+01:00", "2026-03-29T08:00:00+02:00"},
		{"Europe/Berlin", "02:30", "2026-03-28T12:00:00+01:00", "2026-03-29T03:30:00+02:00"}, // skipped
		{"Europe/Berlin", "02:30", "2026-10-24T12:00:00+02:00", "2026-10-25T02:30:00+02:00"}, // shown twice
		{"Europe/Berlin", "02:30", "2026-10-25T02:40:00+02:00", "2026-10-26T02:30:00+01:00"},
		{"America/New_York", "02:15", "2026-03-07T12:00:00-05:00", "2026-03-08T03:15:00-04:00"},
		{"America/New_York", "01:15", "2026-10-31T12:00:00-04:00", "2026-11-01T01:15:00-04:00"},
		{"Australia/Lord_Howe", "02:10", "2026-10-03T12:00:00+10:30", "2026-10-04T02:40:00+11:00"}, // by half an hour
		{"Asia/Tokyo", "00:00", "2026-03-28T12:00:00+09:00", "2026-03-29T00:00:00+09:00"},
		{"America/Santiago", "00:00", "2026-09-05T12:00:00-04:00", "2026-09-06T01:00:00-03:00"}, // midnight is skipped
	} {
		zone, minute := notifier.Location(test.zone), must(notifier.ParseMinute(test.minute))(t)
		from, want := at(t, test.from), at(t, test.want)
		if got := notifier.Next(minute, from, zone); !got.Equal(want) {
			t.Errorf("%s after %s in %s is %v, want %v", test.minute, test.from, test.zone, got, want)
		}
	}
}

func TestQuietHoursEndWhenClocksSaySo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ zone, from, to, now, want string }{
		{"Asia/Tokyo", "22:00", "07:00", "2026-05-01T23:00:00+09:00", "2026-05-02T07:00:00+09:00"},
		{"Asia/Tokyo", "22:00", "07:00", "2026-05-02T06:59:59+09:00", "2026-05-02T07:00:00+09:00"},
		{"Asia/Tokyo", "22:00", "07:00", "2026-05-02T07:00:00+09:00", ""},
		{"Asia/Tokyo", "09:00", "17:00", "2026-05-02T12:00:00+09:00", "2026-05-02T17:00:00+09:00"},
		{"Asia/Tokyo", "09:00", "17:00", "2026-05-02T08:59:00+09:00", ""},
		{"Europe/Berlin", "22:00", "07:00", "2026-03-29T01:00:00+01:00", "2026-03-29T07:00:00+02:00"},
		{"Europe/Berlin", "22:00", "02:30", "2026-10-25T02:10:00+01:00", "2026-10-25T02:30:00+01:00"}, // the second time
		{"America/New_York", "22:00", "02:30", "2026-03-08T01:00:00-05:00", "2026-03-08T03:30:00-04:00"},
	} {
		q := &notifier.Quiet{From: must(notifier.ParseMinute(test.from))(t), To: must(notifier.ParseMinute(test.to))(t)}
		var want time.Time
		if test.want != "" {
			want = at(t, test.want)
		}
		if got := q.Until(at(t, test.now), notifier.Location(test.zone)); !got.Equal(want) {
			t.Errorf("quiet from %s to %s at %s: until %v, want %v", test.from, test.to, test.now, got, want)
		}
	}
}

func TestQuietHoursAreOverAtTheirEnd(t *testing.T) {
	t.Parallel()
	zones := []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo", "America/Santiago"}
	rapid.Check(t, func(t *rapid.T) {
		minutes := rapid.IntRange(0, 24*60-1)
		q := &notifier.Quiet{From: minutes.Draw(t, "from"), To: minutes.Draw(t, "to")}
		zone := notifier.Location(rapid.SampledFrom(zones).Draw(t, "zone"))
		now := time.Unix(rapid.Int64Range(1_760_000_000, 1_800_000_000).Draw(t, "now"), 0)
		end := q.Until(now, zone)
		if end.IsZero() {
			return
		}
		if !end.After(now) || end.Sub(now) > 26*time.Hour {
			t.Fatalf("at %v, they end at %v", now.In(zone), end)
		}
		if q.From != q.To && q.Until(end, zone).After(end.Add(3*time.Hour)) {
			t.Fatalf("at their end, %v, they last until %v", end, q.Until(end, zone))
		}
	})
}

func TestWhenIsReadAndWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"off", "daily", "0s", "15s", "30m", "1h", "4h", "24h", "1h30m", "1m30s", "1h0m1s"} {
		if w, ok := notifier.ParseWhen(text); !ok || w.String() != text {
			t.Errorf("%q is read as %q, %v", text, w, ok)
		}
	}
	for _, text := range []string{"", "-1s", "24h0m1s", "25h", "weekly", "30", "1ns", "on"} {
		if w, ok := notifier.ParseWhen(text); ok {
			t.Errorf("%q is read as %q", text, w)
		}
	}
	for _, text := range []string{"", "24:00", "7:00", "07:60", "+7:00", "07:+5", "0700", "07:0a"} {
		if m, ok := notifier.ParseMinute(text); ok {
			t.Errorf("%q is read as minute %d", text, m)
		}
	}
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// must returns a function that returns v, or ends the test if ok is false.
func must[T any](v T, ok bool) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if !ok {
			t.Fatal("cannot be read")
		}
		return v
	}
}
