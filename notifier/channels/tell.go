package channels

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxReason = 300             // bytes of a reason that are stored
	grace     = 3 * time.Second // for messages on their way when the instance stops
)

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
	out := Outcome{Verdict: Away, After: w.judge.wait(w.service(&c.target))}
	if out.After <= 0 {
		out = w.send(ctx, c)
	}
	w.settle(context.WithoutCancel(ctx), step, c.due.DueAt, out)
	return step
}

// send sends one claimed message. A claim that would lapse meanwhile is given back: another instance could
// send the message at the same time. One that is no longer held, because the user has unsubscribed or has
// another address, is dropped.
func (w *way) send(ctx context.Context, c *claim) Outcome {
	if err := w.limit.Wait(ctx); err != nil || w.s.c.Now().Add(tellWait).After(c.target.DueAt) {
		return Outcome{Verdict: Away, After: every, Reason: "no time left"}
	}
	page, err := w.s.unread(ctx, c.target.Seq, max(c.target.Told, c.due.Since))
	if err != nil {
		return Outcome{Verdict: Away, After: every, Reason: err.Error()}
	}
	open, urgent := w.s.open(c.due, &c.target, page.Entries)
	if c.target.Urgent {
		open = urgent
	}
	if len(open) == 0 {
		return Outcome{Verdict: Told, Reason: NothingLeft}
	}
	held, err := w.s.c.Store.Holds(ctx, &c.target)
	if err != nil {
		return Outcome{Verdict: Away, After: every, Reason: err.Error()}
	}
	if !held {
		return Outcome{Verdict: Told, Reason: NothingLeft}
	}
	m := Message{Target: &c.target, User: c.due.User, App: c.due.App, Zone: notifier.Location(c.due.Zone), Entries: open, Badge: page.Unread}
	ctx, cancel := finishing(ctx)
	defer cancel()
	out := w.Teller.Tell(ctx, &m)
	if out.Reason != NothingLeft && (ctx.Err() == nil || out.Verdict != Away) { // a message that is called off says nothing about the service
		out = w.judge.decide(ctx, w.service(&c.target), c.target.Seq, out)
	}
	if out.Verdict == Told && out.Reason != NothingLeft {
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
