package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// handler does what the intake hands out.
type handler struct{ p *Pipeline }

// Deliver puts whole small notices into inboxes, and has those pop up that ask for it. It does not ask SQL how they
// stand: what was retracted meanwhile is kept out by the inboxes, and Confirm sees
// what was edited: no row stays in an old revision.
func (h handler) Deliver(ctx context.Context, entries []intake.Entry) []error {
	all := make([]notifier.Delivery, len(entries))
	for i, e := range entries {
		all[i] = *e.Delivery
		all[i].Again = e.Had
	}
	return h.p.raise(ctx, all, h.p.c.Inbox.DeliverAll(ctx, all), func(i int) int64 { return entries[i].Tries })
}

// Confirm says in SQL that notices are sent. One that is in another revision by
// now is delivered anew, as whoever edited it may have been there before: in whichever
// state it is, inboxes got an old text just now.
func (h handler) Confirm(ctx context.Context, entries []intake.Entry) error {
	done := make([]notifier.Revised, len(entries))
	for i, e := range entries {
		done[i] = notifier.Revised{ID: e.NoticeID, Revision: e.Delivery.Revision}
	}
	moved, err := h.p.c.Store.Confirm(ctx, done)
	if err != nil {
		return fmt.Errorf("confirm %d notices: %w", len(entries), err)
	}
	var anew []intake.Entry
	for _, id := range moved {
		n, err := h.p.c.Store.Notice(ctx, id)
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return fmt.Errorf("look at notice %d, which was moved: %w", id, err)
		}
		switch {
		case err != nil || takenBack(n.State):
		case n.State == notifier.StateAccepted:
			anew = append(anew, intake.Entry{NoticeID: id, Revision: n.Revision})
		case n.Revision > 0:
			anew = append(anew, intake.Entry{NoticeID: id, Revision: n.Revision, To: lastOf(entries, id)})
		}
	}
	if len(anew) > 0 {
		if err := h.p.intake.Put(ctx, anew...); err != nil {
			return fmt.Errorf("deliver %d edited notices anew: %w", len(anew), err)
		}
	}
	for _, e := range entries {
		h.p.waiting.tell(e.NoticeID)
	}
	return nil
}

// Range serves up to Config.Chunk recipients behind e.From and passes the baton
// on. How the notice stands is looked at before and after: a baton whose notice was
// moved or edited ends, as who did that has sent another.
func (h handler) Range(ctx context.Context, e intake.Entry) ([]intake.Entry, error) {
	if e.NoticeID == 0 {
		return h.p.resend(ctx, e)
	}
	n, err := h.p.c.Store.Notice(ctx, e.NoticeID)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return nil, nil // deleted
	case err != nil:
		return nil, fmt.Errorf("look at notice %d: %w", e.NoticeID, err)
	}
	if !due(&n, e) || overtaken(&n, e) {
		return nil, nil
	}
	s, err := h.p.stretch(ctx, &n, e)
	if err != nil {
		return nil, err
	}
	return h.p.serve(ctx, &n, e, s)
}

// due says whether an entry has work to do on a notice that stands so.
func due(n *notifier.Notice, e intake.Entry) bool {
	switch n.State {
	case notifier.StateAccepted, notifier.StateSending:
		return !e.Retract
	case notifier.StateSent:
		return !e.Retract && (e.Again || e.To > 0)
	case notifier.StateRetracting:
		return e.Retract
	case notifier.StateRetracted:
		return e.Retract && (e.Again || e.To > 0)
	}
	return false
}

// overtaken says that a baton began with an older revision: who edited the notice has
// sent another, which begins at the first recipient, or the relay will. One that sends
// again, or ends at some recipient, has its own work to do, in whichever revision.
func overtaken(n *notifier.Notice, e intake.Entry) bool {
	return e.Revision != n.Revision && !e.Retract && !e.Again && e.To == 0
}

// lastOf is the last recipient of a notice in these entries.
func lastOf(entries []intake.Entry, id int64) (last int64) {
	for _, e := range entries {
		if e.NoticeID == id {
			last = max(last, slices.Max(e.Delivery.Seqs))
		}
	}
	return last
}
