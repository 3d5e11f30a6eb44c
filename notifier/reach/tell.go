package reach

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
)

const (
	giveUp      = 72 * time.Hour  // a message that cannot be sent for so long is given up
	maxRefusals = 3               // messages refused in a row
	maxReason   = 300             // characters of a reason that are stored
	grace       = 3 * time.Second // for messages on their way when the instance stops
)

// waits are the times between the tries of a message, each ±20 %. The last one repeats.
func waits() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour}
}

// tellAll sends the claimed messages and records how each fared, a few at a time, as they end. It also
// records those that have ended when ctx does.
func (w *way) tellAll(ctx context.Context, claimed []claim) error {
	ended := make(chan *notifier.ReachStep, len(claimed))
	stored := make(chan error, 1)
	go func() { stored <- w.record(context.WithoutCancel(ctx), ended) }()
	var work errgroup.Group
	work.SetLimit(max(w.Parallel, 1))
	for i := range claimed {
		work.Go(func() error {
			ended <- w.tell(ctx, &claimed[i])
			return nil
		})
	}
	_ = work.Wait()
	close(ended)
	return <-stored
}

// record stores steps until there are no more.
func (w *way) record(ctx context.Context, ended <-chan *notifier.ReachStep) (err error) {
	for first := range ended {
		some := []*notifier.ReachStep{first}
		for more := true; more; {
			select {
			case step, ok := <-ended:
				if more = ok; ok {
					some = append(some, step)
				}
			default:
				more = false
			}
		}
		err = errors.Join(err, w.s.c.Store.Step(ctx, some))
	}
	return err
}

// tell sends one claimed message, of the entries that are still unread, and returns how the target goes on.
func (w *way) tell(ctx context.Context, c *claim) *notifier.ReachStep {
	step := &notifier.ReachStep{Was: &c.target, To: c.target}
	ctx, cancel := context.WithTimeout(ctx, tellWait)
	defer cancel()
	out := Outcome{Verdict: Away, After: w.paused()}
	if out.After <= 0 {
		out = w.send(ctx, c)
	}
	w.settle(context.WithoutCancel(ctx), step, out)
	return step
}

// send sends one claimed message. A claim that would lapse meanwhile is given back: another instance could
// send the message at the same time. One that is no longer held, because the user has unsubscribed or has
// another address, is dropped.
func (w *way) send(ctx context.Context, c *claim) Outcome {
	if err := w.limit.Wait(ctx); err != nil || w.s.c.Now().Add(tellWait).After(c.target.DueAt) {
		return Outcome{Verdict: Away, After: every, Reason: "no time left"}
	}
	page, err := w.s.unread(ctx, &c.target)
	if err != nil {
		return Outcome{Verdict: Away, After: every, Reason: err.Error()}
	}
	open, urgent := w.s.open(c.due, &c.target, page.Entries)
	if c.target.Urgent {
		open = urgent
	}
	if len(open) == 0 {
		return Outcome{Verdict: Told, Reason: nothingLeft}
	}
	held, err := w.s.c.Store.Holds(ctx, &c.target)
	if err != nil {
		return Outcome{Verdict: Away, After: every, Reason: err.Error()}
	}
	if !held {
		return Outcome{Verdict: Told, Reason: nothingLeft}
	}
	m := Message{Target: &c.target, User: c.due.User, Zone: notifier.Location(c.due.Zone), Entries: open, Badge: page.Unread}
	ctx, cancel := finishing(ctx)
	defer cancel()
	out := w.Teller.Tell(ctx, &m)
	switch out.Verdict {
	case Away:
		out.After = w.away(ctx, out.Reason)
	case Told, Later, Refused, Dead, Gone:
		w.answered(ctx)
	}
	if out.Verdict == Told {
		w.told.Add(1)
	}
	return out
}

// finishing returns a context for a message that is on its way: when the instance stops, there is a little
// time to get the answer. Without it, each stop would send some messages twice.
func finishing(ctx context.Context) (context.Context, context.CancelFunc) {
	end, _ := ctx.Deadline() // tell has set one
	going, cancel := context.WithDeadline(context.WithoutCancel(ctx), end)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(grace):
			cancel()
		case <-going.Done():
		}
	})
	return going, func() { stop(); cancel() }
}

// nothingLeft is the reason of a message that was not sent because everything in it has been read.
const nothingLeft = "nothing is unread"

// settle writes an outcome into a step.
func (w *way) settle(ctx context.Context, step *notifier.ReachStep, out Outcome) {
	t, now := &step.To, w.s.c.Now()
	reason := out.Reason
	if len(reason) > maxReason {
		reason = reason[:maxReason]
	}
	switch out.Verdict {
	case Told:
		finish(t)
		if out.Reason != nothingLeft {
			t.State, t.Refusals, t.FailingSince, t.Error = notifier.ReachOn, 0, time.Time{}, ""
		}
	case Away:
		t.DueAt = now.Add(max(out.After, every))
		t.Tries--
	case Later:
		w.failed.Add(1)
		if t.FailingSince.IsZero() {
			t.FailingSince = now
		}
		t.State, t.Error = notifier.ReachFailing, reason
		t.DueAt = now.Add(max(out.After, backOff(t.Tries)))
		if out.After > 0 {
			t.DueAt = now.Add(out.After)
		}
		if now.Sub(t.FailingSince) > giveUp {
			finish(t)
			t.FailingSince = time.Time{}
		}
	case Refused:
		w.failed.Add(1)
		t.Refusals++
		if t.Refusals >= maxRefusals {
			w.end(ctx, t, reason)
			return
		}
		finish(t)
		t.State, t.Error = notifier.ReachFailing, reason
	case Dead:
		w.end(ctx, t, reason)
	case Gone:
		w.dead.Add(1)
		step.Gone = true
	}
}

// end stops the telling of an address.
func (w *way) end(ctx context.Context, t *notifier.ReachTarget, reason string) {
	w.dead.Add(1)
	w.s.c.Log.InfoContext(ctx, "nobody at the address; no more is sent there", "stage", "reach", "kind", w.Kind, "user_id", t.Seq, "err", reason)
	finish(t)
	t.State, t.Error = notifier.ReachDead, reason
}

// backOff is how long a message waits after so many tries.
func backOff(tries int) time.Duration {
	all := waits()
	wait := all[min(max(tries, 1), len(all))-1]
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64())) //nolint:gosec // not a secret
}

// String names a verdict in logs.
func (v Verdict) String() string {
	switch v {
	case Told:
		return "told"
	case Later:
		return "later"
	case Refused:
		return "refused"
	case Dead:
		return "dead"
	case Gone:
		return "gone"
	case Away:
		return "away"
	}
	return fmt.Sprintf("Verdict(%d)", int(v))
}
