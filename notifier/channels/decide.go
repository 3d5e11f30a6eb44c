package channels

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
)

// viewingWait is the delay before a push that waits because its user is viewing a page is decided again.
const viewingWait = time.Minute

// claim is a message that this instance sends.
type claim struct {
	due    *notifier.ReachDue
	target notifier.ReachTarget // as stored by the claim
}

// decideAll decides what each target must send, and returns the claimed messages.
func (w *way) decideAll(ctx context.Context, due []notifier.ReachDue) ([]claim, error) {
	viewing, err := w.viewing(ctx, due)
	if err != nil {
		return nil, err
	}
	steps := make([]*notifier.ReachStep, len(due))
	var work errgroup.Group
	work.SetLimit(polls)
	for i := range due {
		work.Go(func() (err error) {
			steps[i], err = w.decideOne(ctx, &due[i], viewing[due[i].Seq])
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	if err := w.s.c.Store.Step(ctx, steps); err != nil {
		return nil, err
	}
	var claimed []claim
	for i, step := range steps {
		if step.Done && step.To.Tries > step.Was.Tries {
			claimed = append(claimed, claim{&due[i], step.To})
		}
	}
	return claimed, nil
}

// viewing returns the users who are viewing a page. Only push waits for that.
func (w *way) viewing(ctx context.Context, due []notifier.ReachDue) (map[int64]bool, error) {
	if w.Kind != notifier.ReachPush || w.s.c.Viewing == nil {
		return nil, nil
	}
	seqs := make([]int64, len(due))
	for i := range due {
		seqs[i] = due[i].Seq
	}
	return w.s.c.Viewing(ctx, seqs)
}

// decideOne decides for one target. An error that affects only this user postpones the decision.
func (w *way) decideOne(ctx context.Context, d *notifier.ReachDue, viewing bool) (*notifier.ReachStep, error) {
	page, err := w.s.unread(ctx, d.Seq, max(d.Told, d.Since))
	now := w.s.c.Now()
	step := &notifier.ReachStep{Was: &d.ReachTarget, To: d.ReachTarget}
	switch {
	case errors.Is(err, notifier.ErrUnavailable) || err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		w.s.c.Log.WarnContext(ctx, "could not read an inbox; retrying", "stage", "channels", "user_id", d.Seq, "err", err)
		step.To.DueAt = now.Add(claimLife)
		return step, nil
	}
	w.s.decide(d, page, now, viewing, &step.To)
	return step, nil
}

// unread returns the unread entries above since. An open question counts as unread.
func (s *Stage) unread(ctx context.Context, seq, since int64) (all notifier.Poll, err error) {
	for q := (notifier.PollQuery{Since: since, Limit: batchSize}); ; {
		page, err := s.c.Inbox.Poll(ctx, seq, q)
		if err != nil {
			return all, err
		}
		if q.After == 0 {
			all = page
			all.Entries = nil
		}
		for _, e := range page.Entries {
			if !e.Read || e.Ask.Open() {
				all.Entries = append(all.Entries, e)
			}
		}
		if page.Next == 0 {
			return all, nil
		}
		q.After = page.Next
	}
}

// open returns the entries that the target must send: entries of wanted types that were not already sent as
// urgent, and for a claimed message only those up to its end.
func (s *Stage) open(d *notifier.ReachDue, t *notifier.ReachTarget, entries []notifier.Entry) (open, urgent []notifier.Entry) {
	for _, e := range entries {
		typ, _ := s.c.Types.Type(e.Type)
		if t.UpTo > 0 && e.At > t.UpTo || typ.Urgent && e.At <= t.ToldUrgent || !wanted(d, &typ, e.Type) {
			continue
		}
		if typ.Urgent {
			urgent = append(urgent, e)
		}
		open = append(open, e)
	}
	return open, urgent
}

// wanted reports whether the user wants notices of a type through the target's kind.
func wanted(d *notifier.ReachDue, typ *notifier.NoticeType, slug string) bool {
	if want, chosen := d.Wants[slug]; chosen {
		return want
	}
	if d.Kind == notifier.ReachPush {
		return !typ.NoPush
	}
	return !typ.NoMail
}

// decide changes t, a copy of the target: it claims a message, postpones the decision, or finds nothing to
// send. page contains the unread entries above Told.
func (s *Stage) decide(d *notifier.ReachDue, page notifier.Poll, now time.Time, viewing bool, t *notifier.ReachTarget) {
	open, urgent := s.open(d, t, page.Entries)
	zone := notifier.Location(d.Zone)
	held := heldUntil(d, now, zone, viewing)
	switch {
	case d.Off:
		upto := max(t.Told, t.Newest, page.Newest)
		finish(t)
		t.Told = max(t.Told, upto)
	case t.UpTo > 0 && t.Urgent:
		if len(urgent) == 0 {
			finish(t)
			return
		}
		claimUpTo(t, t.UpTo, true, now)
	case len(open) == 0 && t.UpTo > 0:
		finish(t)
	case len(open) == 0:
		t.Told, t.DueAt, t.Tries, t.HeldSince = max(t.Told, page.Newest), time.Time{}, 0, time.Time{}
	case t.UpTo > 0 && held.IsZero():
		claimUpTo(t, t.UpTo, false, now)
	case t.UpTo > 0:
		t.DueAt = held
	default:
		t.HeldSince = time.Time{}
		s.plan(t, open, urgent, now, held, zone)
	}
}

// plan decides about entries that do not belong to a claimed message. Entries are sorted newest first.
func (s *Stage) plan(t *notifier.ReachTarget, open, urgent []notifier.Entry, now, held time.Time, zone *time.Location) {
	at := func(e notifier.Entry) time.Time { return time.UnixMilli(e.At) }
	due := at(open[len(open)-1]).Add(t.Wait)
	if t.Daily >= 0 {
		due = notifier.Next(t.Daily, at(open[len(open)-1]), zone)
	}
	if held.After(due) {
		due = held
	}
	if !due.After(now) {
		claimUpTo(t, open[0].At, false, now)
		return
	}
	t.DueAt = due
	if len(urgent) == 0 {
		return
	}
	switch soon := at(urgent[len(urgent)-1]).Add(t.Wait); {
	case !soon.After(now):
		claimUpTo(t, urgent[0].At, true, now)
	case soon.Before(due):
		t.DueAt = soon
	}
}

// heldUntil returns when the user may be notified of notices that are not urgent; zero: now.
func heldUntil(d *notifier.ReachDue, now time.Time, zone *time.Location, viewing bool) (until time.Time) {
	later := func(t time.Time) {
		if t.After(now) && t.After(until) {
			until = t
		}
	}
	later(d.User.PausedUntil(now))
	later(d.Quiet.Until(now, zone))
	if viewing {
		later(now.Add(viewingWait))
	}
	return until
}

// claimUpTo claims the message that ends with this entry.
func claimUpTo(t *notifier.ReachTarget, upto int64, urgent bool, now time.Time) {
	t.UpTo, t.Urgent, t.DueAt = upto, urgent, now.Add(claimLife)
	t.Tries++
}

// finish records that the claimed message is decided.
func finish(t *notifier.ReachTarget) {
	if t.Urgent {
		t.ToldUrgent = t.UpTo
	} else {
		t.Told = t.UpTo
	}
	t.UpTo, t.Urgent, t.DueAt, t.Tries, t.FailingSince, t.HeldSince = 0, false, time.Time{}, 0, time.Time{}, time.Time{}
}

// release drops a claimed message that the service has permanently refused, so that the next message contains
// everything that is unread then.
func release(t *notifier.ReachTarget) { t.UpTo, t.Urgent = 0, false }
