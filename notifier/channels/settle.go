package channels

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// A target is given up after refusals on this many days, which are UTC days and apart from each other.
const (
	deadDays = 3
	apart    = 20 * time.Hour
)

// NothingLeft is the reason of a message that was not sent because everything in it has been read or has expired.
// Its verdict is Told.
const NothingLeft = "nothing is unread"

// waits are the times between the tries of a message, each ±20 %. The last one repeats: a message is tried
// until it arrives or has been read.
func waits() []time.Duration {
	return []time.Duration{
		time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour,
		6 * time.Hour, 6 * time.Hour, 6 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	}
}

// settle writes an outcome into a step of a target that has been due since due.
func (w *way) settle(ctx context.Context, step *notifier.ReachStep, due time.Time, out Outcome) {
	t, now := &step.To, w.s.c.Now()
	if len(out.Reason) > maxReason {
		out.Reason = strings.ToValidUTF8(out.Reason[:maxReason], "")
	}
	switch out.Verdict {
	case Told:
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

// hold lets a message wait for its service. That says nothing about the target, so what its earlier tries
// seemed to say is forgotten.
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
	t.DueAt = now.Add(wait + rand.N(wait/8)) //nolint:gosec // spreads retries, so that others come first after a pause; nobody gains by guessing it
	t.Tries--
}

// tryAgain has a message tried again. A dead target stays dead until a message arrives.
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

// deny counts a day on which the target was refused. On the last one a device is deleted, and an address is
// dead: it rests for weeks, and is then tried again with everything that is unread then.
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
			w.s.c.Log.InfoContext(ctx, "nobody at the address; it is tried again in four weeks", "stage", "channels", "kind", w.Kind, "user_id", t.Seq, "err", out.Reason)
		}
		t.State, t.Tries, t.DueAt = notifier.ReachDead, 0, now.Add(notifier.DeadRest)
	}
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// backOff is how long a message waits after so many tries.
func backOff(tries int) time.Duration {
	all := waits()
	wait := all[min(max(tries, 1), len(all))-1]
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64())) //nolint:gosec // spreads retries; nobody gains by guessing it
}
