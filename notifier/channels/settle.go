package channels

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// A target is given up after refusals on this many separate UTC days.
const (
	deadDays = 3
	apart    = 20 * time.Hour
)

// NothingLeft is the reason of a message that was not sent because everything in it has been read or has expired.
// Its verdict is Sent.
const NothingLeft = "nothing is unread"

// waits returns the delays between attempts of a message, each ±20 %. The last one repeats: a message is retried
// until it arrives or has been read.
func waits() []time.Duration {
	return []time.Duration{
		time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour,
		6 * time.Hour, 6 * time.Hour, 6 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	}
}

// settle writes an outcome into a step of a target that became due at due.
func (w *way) settle(ctx context.Context, step *notifier.ReachStep, due time.Time, out Outcome) {
	t, now := &step.To, w.s.c.Now()
	if len(out.Reason) > maxReason {
		out.Reason = strings.ToValidUTF8(out.Reason[:maxReason], "")
	}
	switch out.Verdict {
	case Sent:
		finish(t)
		if out.Reason != NothingLeft {
			t.State, t.Refusals, t.RefusedAt, t.Error, t.SeenAt = notifier.ReachOn, 0, time.Time{}, "", now
		}
	case Away:
		hold(t, due, now, out)
	case Later, Delayed:
		w.failed.Add(1)
		tryAgain(t, now, out)
	case Refused:
		w.failed.Add(1)
		release(t)
		tryAgain(t, now, out)
	case Denied:
		w.failed.Add(1)
		w.deny(ctx, step, now, out)
	case Gone:
		w.dead.Add(1)
		step.Gone = true
	}
}

// hold lets a message wait for its service. It discards the earlier attempts, which may have failed because of
// the service.
func hold(t *notifier.ReachTarget, due, now time.Time, out Outcome) {
	if t.HeldSince.IsZero() {
		if t.HeldSince = due; !t.FailingSince.IsZero() && t.FailingSince.Before(due) {
			t.HeldSince = t.FailingSince
		}
	}
	if t.State == notifier.ReachFailing && out.Fault {
		t.State, t.FailingSince, t.Error = notifier.ReachOn, time.Time{}, ""
	}
	wait := max(out.After, every)
	t.DueAt = now.Add(wait + rand.N(spread(wait))) //nolint:gosec // spreads retries; predicting it has no benefit
	t.Tries--
}

// spread is the interval over which messages with the same delay are spread.
func spread(wait time.Duration) time.Duration { return wait / 8 }

// tryAgain schedules a retry. A dead target stays dead until a message arrives.
func tryAgain(t *notifier.ReachTarget, now time.Time, out Outcome) {
	if t.FailingSince.IsZero() {
		t.FailingSince = now
	}
	if t.State != notifier.ReachDead {
		t.State = notifier.ReachFailing
	}
	t.Error, t.HeldSince = out.Reason, time.Time{}
	t.DueAt = now.Add(max(out.After, backOff(t.Tries)))
	if out.After > 0 {
		t.DueAt = now.Add(out.After)
	}
}

// deny counts a day on which the target was refused. On the last one a device is deleted, and an address becomes
// dead: after some weeks it is retried with everything that is unread then.
func (w *way) deny(ctx context.Context, step *notifier.ReachStep, now time.Time, out Outcome) {
	t := &step.To
	release(t)
	if now.Sub(t.RefusedAt) >= apart && day(now) != day(t.RefusedAt) {
		t.Refusals++
		t.RefusedAt = now
	}
	tryAgain(t, now, out)
	switch {
	case t.Refusals < deadDays && t.State != notifier.ReachDead:
	case w.Kind == notifier.ReachPush:
		w.dead.Add(1)
		step.Gone = true
	default:
		if t.State != notifier.ReachDead {
			w.dead.Add(1)
			w.s.c.Log.InfoContext(ctx, "address does not exist; retrying in four weeks", "stage", "channels", "kind", w.Kind, "user_id", t.Seq, "err", out.Reason)
		}
		t.State, t.Tries, t.DueAt = notifier.ReachDead, 0, now.Add(notifier.DeadRest)
	}
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// backOff returns the delay after this many attempts.
func backOff(tries int) time.Duration {
	all := waits()
	wait := all[min(max(tries, 1), len(all))-1]
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64())) //nolint:gosec // spreads retries; predicting it has no benefit
}
