package notifier_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestAStreamThatBeginsInAPauseShowsNoToastsAndEndsWithIt(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(1_700_000_000_000)
	for _, test := range []struct {
		paused, until time.Time
		off           bool
		want          time.Time
	}{
		{},
		{paused: now},
		{paused: now.Add(time.Hour), off: true, want: now.Add(time.Hour)},
		{paused: now.Add(time.Hour), until: now.Add(time.Minute), off: true, want: now.Add(time.Minute)},
		{paused: now.Add(time.Minute), until: now.Add(time.Hour), off: true, want: now.Add(time.Minute)},
		{until: now.Add(time.Hour), want: now.Add(time.Hour)},
	} {
		a := notifier.Asker{Until: test.until}
		if !test.paused.IsZero() {
			a.User.Paused = test.paused.UnixMilli()
		}
		if of := a.Stream(true, true, now); of.ToastsOff != test.off || !of.Until.Equal(test.want) {
			t.Errorf("paused until %v, until %v: %+v", test.paused, test.until, of)
		}
	}
}
