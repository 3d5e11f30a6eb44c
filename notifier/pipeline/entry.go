package pipeline

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// enqueue gives accepted notices to the intake. It never blocks; the relay adds those that do not
// get there.
func (p *Pipeline) enqueue(accepted []*notifier.Acceptance) {
	for _, a := range accepted {
		e, err := p.entry(a, false)
		if err != nil {
			p.c.Log.Error("notice left to the relay", "stage", "intake", "notice_id", a.Notice.ID, "err", err)
			continue
		}
		p.intake.Add(e)
	}
}

// entry returns the intake entry of a notice. It holds the complete notice if it has few recipients
// and all of them see the same content. Otherwise it is a baton that starts at the notice's
// progress. An edited notice is always a baton, because there may be rows to change.
func (p *Pipeline) entry(a *notifier.Acceptance, again bool) (intake.Entry, error) {
	n := a.Notice
	e := baton(n, again)
	if !again {
		e.From = n.Done
	}
	if e.Kind != intake.Deliver || n.Revision > 0 || a.To == nil || a.To.IsEmpty() || a.To.GetCardinality() > uint64(p.c.Chunk) { //nolint:gosec // a Chunk of 0 or less is made 500 by New
		return e, nil
	}
	all, err := n.Deliveries(after(a.To, 0, 0, p.c.Chunk))
	if err != nil {
		return e, fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	if len(all) > 1 {
		return e, nil
	}
	return intake.Entry{Kind: intake.Whole, NoticeID: n.ID, Revision: n.Revision, Delivery: &all[0], Again: again, Had: e.Had}, nil
}

// baton returns a baton for the work that a notice needs, or that it needs again because Redis lost
// data.
func baton(n *notifier.Notice, again bool) intake.Entry {
	e := intake.Entry{Kind: intake.Deliver, NoticeID: n.ID, Revision: n.Revision, Again: again}
	switch {
	case takenBack(n.State):
		e.Kind = intake.Retract
	case wasSent(n) && again:
		e.Had = true
	case wasSent(n):
		e.Kind = intake.Edit
	}
	return e
}

// entries returns the intake entry of each of these notices, starting at its progress, or at the
// beginning if again is set.
func (p *Pipeline) entries(ctx context.Context, ids []int64, again bool) ([]intake.Entry, error) {
	known, err := p.c.Store.Contents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d notices: %w", len(ids), err)
	}
	entries := make([]intake.Entry, 0, len(ids))
	var small []int64
	for _, id := range ids {
		n, ok := known[id]
		switch {
		case !ok, n.Announces(): // deleted, or not a notice to inboxes
		case n.Routed && n.Recipients > 0 && n.Recipients <= int64(p.c.Chunk) && !takenBack(n.State):
			small = append(small, id)
		default:
			e, err := p.entry(&notifier.Acceptance{Notice: &n}, again)
			if err != nil {
				return nil, err
			}
			entries = append(entries, e)
		}
	}
	whole, err := p.c.Store.Accepted(ctx, small)
	if err != nil {
		return nil, fmt.Errorf("read %d notices with their recipients: %w", len(small), err)
	}
	for i := range whole {
		e, err := p.entry(&whole[i], again)
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// takenBack reports whether a notice is being removed from inboxes, or has been.
func takenBack(s notifier.State) bool {
	return s == notifier.StateRetracting || s == notifier.StateRetracted
}
