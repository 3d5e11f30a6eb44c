package notifier_test

import (
	"errors"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestATimeThatDaylightSavingSkipsIsRefused(t *testing.T) {
	t.Parallel()
	forms := []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04:05"}
	for _, test := range []struct {
		text, zone, want string
		err              error
	}{
		{"2026-03-29T02:30", "Europe/Berlin", "", notifier.ErrSkippedHour},
		{"2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59:00Z", nil},
		{" 2026-03-29 03:00:00 ", "Europe/Berlin", "2026-03-29T01:00:00Z", nil},
		{"2026-03-29T02:30:00Z", "Europe/Berlin", "2026-03-29T02:30:00Z", nil},      // it names its zone
		{"2026-10-04 02:15:00", "Australia/Lord_Howe", "", notifier.ErrSkippedHour}, // half an hour
		{"2026-03-08T02:30", "UTC", "2026-03-08T02:30:00Z", nil},
		{"tomorrow", "UTC", "", notifier.ErrNoMoment},
		{"", "UTC", "", notifier.ErrNoMoment},
	} {
		at, err := notifier.ParseMoment(test.text, notifier.Location(test.zone), forms)
		if !errors.Is(err, test.err) || err == nil && at.UTC().Format(time.RFC3339) != test.want {
			t.Errorf("%q in %s: %v, %v", test.text, test.zone, at, err)
		}
	}
}
