package channels

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	maxReason = 300             // bytes of a stored reason
	grace     = 3 * time.Second // for messages in progress when the instance stops
)

// sendAll sends the claimed messages, a few at a time, and records each result when it arrives, including the
// results of messages still in progress when ctx ends.
func (w *way) sendAll(ctx context.Context, claimed []claim) error {
	ended := make(chan *notifier.ReachStep, len(claimed))
	stored := make(chan error, 1)
	go func() { stored <- w.record(context.WithoutCancel(ctx), ended) }()
	var work errgroup.Group
	work.SetLimit(max(w.Parallel, 1))
	for i := range claimed {
		work.Go(func() error {
			ended <- w.sendClaim(ctx, &claimed[i])
			return nil
		})
	}
	_ = work.Wait()
	close(ended)
	return <-stored
}

// record stores steps until the channel is closed.
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

// sendClaim sends one claimed message with the entries that are still unread, and returns the next step of the target.
func (w *way) sendClaim(ctx context.Context, c *claim) *notifier.ReachStep {
	step := &notifier.ReachStep{Was: &c.target, To: c.target}
	ctx, cancel := context.WithTimeout(ctx, sendWait)
	defer cancel()
	out := Outcome{Verdict: Away, After: w.judge.wait(w.service(&c.target), c.target.Seq)}
	if out.After <= 0 {
		out = w.send(ctx, c)
	}
	w.settle(context.WithoutCancel(ctx), step, c.due.DueAt, out)
	return step
}

// send sends one claimed message. If the claim would expire first, send returns it, because another instance could
// send the message concurrently. If the claim is no longer held, because the user has unsubscribed or changed the
// address, the message is dropped.
func (w *way) send(ctx context.Context, c *claim) Outcome {
	if err := w.limit.Wait(ctx); err != nil || w.s.c.Now().Add(sendWait).After(c.target.DueAt) {
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
		return Outcome{Verdict: Sent, Reason: NothingLeft}
	}
	held, err := w.s.c.Store.Holds(ctx, &c.target)
	if err != nil {
		return Outcome{Verdict: Away, After: every, Reason: err.Error()}
	}
	if !held {
		return Outcome{Verdict: Sent, Reason: NothingLeft}
	}
	m := Message{Target: &c.target, User: c.due.User, App: c.due.App, Zone: notifier.Location(c.due.Zone), Entries: open, Badge: page.Unread}
	end, _ := ctx.Deadline() // set by sendClaim
	ctx, cancel := lease.Finishing(ctx, end, grace)
	defer cancel()
	out := w.Sender.Send(ctx, &m)
	if out.Reason != NothingLeft && (ctx.Err() == nil || out.Verdict != Away) { // a cancelled message is no evidence about the service
		out = w.judge.decide(ctx, w.service(&c.target), c.target.Seq, out)
	}
	if out.Verdict == Sent && out.Reason != NothingLeft {
		w.sent.Add(1)
	}
	return out
}
