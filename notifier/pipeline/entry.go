package pipeline

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/intake"
)

// hand gives accepted notices to the intake. It never blocks: what does not come
// to be there is the relay's.
func (p *Pipeline) hand(accepted []*notifier.Acceptance) {
	for _, a := range accepted {
		e, err := p.entry(a, false)
		if err != nil {
			p.c.Log.Error("notice left to the relay", "stage", "intake", "notice_id", a.Notice.ID, "err", err)
			continue
		}
		p.intake.Add(e)
	}
}

// entry is the way of a notice through the intake: whole when its recipients are
// few and all of them are shown the same, else as a baton that begins where it stands. What
// was edited is a baton too: there may be rows to change.
func (p *Pipeline) entry(a *notifier.Acceptance, again bool) (intake.Entry, error) {
	n := a.Notice
	e := intake.Entry{NoticeID: n.ID, Revision: n.Revision, Again: again, Had: wasSent(n)}
	if takenBack(n.State) {
		e.Retract = true
	}
	if !again {
		e.From = n.Done
	}
	if e.Retract || n.Revision > 0 || a.To == nil || a.To.IsEmpty() || a.To.GetCardinality() > uint64(p.c.Chunk) { //nolint:gosec // a Chunk of 0 or less is made 500 by New
		return e, nil
	}
	all, err := n.Deliveries(after(a.To, 0, 0, p.c.Chunk))
	if err != nil {
		return e, fmt.Errorf("encode notice %d: %w", n.ID, err)
	}
	if len(all) > 1 {
		return e, nil
	}
	e.Delivery = &all[0]
	e.From = 0
	return e, nil
}

// entries is the way of each of these notices through the intake: from where it
// stands, or all of it again.
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
		case !ok, n.Announces(): // deleted, or none that inboxes have
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

// takenBack says whether a notice leaves inboxes instead of coming into them.
func takenBack(s notifier.State) bool {
	return s == notifier.StateRetracting || s == notifier.StateRetracted
}
