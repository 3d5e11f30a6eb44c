package instance

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/push"
	"github.com/carillonhq/carillon/notifier/reach"
)

func TestADeviceWhoseServiceRefusesTheKeyForThreeDaysIsDeleted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	refused := push.Outcome{Verdict: push.Paused, Status: 403, After: 10 * time.Minute}
	resting := push.Outcome{Verdict: push.Paused, After: time.Minute} // another device was refused
	for _, c := range []struct {
		out   push.Outcome
		since time.Duration // 0: it worked until now
		want  reach.Verdict
	}{
		{refused, 0, reach.Later},
		{refused, 71 * time.Hour, reach.Later},
		{refused, 73 * time.Hour, reach.Gone},
		{resting, 73 * time.Hour, reach.Later},
	} {
		target := notifier.ReachTarget{}
		if c.since > 0 {
			target.FailingSince = now.Add(-c.since)
		}
		if got := pushOutcome(c.out, &target, now); got.Verdict != c.want {
			t.Errorf("%+v after %s: %s, want %s", c.out, c.since, got.Verdict, c.want)
		}
	}
}
