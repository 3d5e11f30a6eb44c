package notices

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Progress returns a notice with the numbers of users who received and who read it. While Redis is unavailable, these
// are the last ones written to SQL; if there are none, Counted is false. It returns notifier.ErrNotFound for an
// unknown id.
func (p *Notices) Progress(ctx context.Context, id int64) (notifier.Progress, error) {
	n, err := p.c.Store.Notice(ctx, id)
	if err != nil {
		return notifier.Progress{}, fmt.Errorf("read notice %d: %w", id, err)
	}
	progress, err := p.ProgressOf(ctx, []notifier.Notice{n})
	if err != nil {
		return notifier.Progress{}, err
	}
	return progress[0], nil
}

// ProgressOf returns the progress of each of these notices, in order, like Progress. For any number
// of notices it queries SQL once or twice and Redis twice, with a few more queries for
// announcements.
func (p *Notices) ProgressOf(ctx context.Context, notices []notifier.Notice) ([]notifier.Progress, error) {
	progress := make([]notifier.Progress, len(notices))
	var t tallies
	for i, n := range notices {
		progress[i].Notice = n
		t.add(&progress[i])
	}
	if err := p.addShares(ctx, progress); err != nil {
		return nil, err
	}
	counted, err := p.count(ctx, &t)
	if err != nil {
		return nil, err
	}
	if err := p.recall(ctx, &t); err != nil {
		return nil, err
	}
	for i := range progress {
		if n := &progress[i]; !n.Announces() {
			n.Counted = counted && !forgotten(n) || n.Recipients > 1 && n.Delivered > 0
			n.Delivered = min(n.Delivered, n.Recipients)
			n.Read = min(n.Read, n.Delivered)
		}
	}
	return progress, nil
}

// count reads the counts from Redis. It returns false if Redis does not answer.
func (p *Notices) count(ctx context.Context, t *tallies) (bool, error) {
	if p.Unavailable() {
		return false, nil // already detected, so do not wait for it
	}
	if err := p.findSingles(ctx, t); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, redisWait)
	defer cancel()
	if err := p.fill(ctx, t); err != nil {
		p.c.Log.WarnContext(ctx, "could not read counts", "notices", len(t.many)+len(t.one), "err", err)
		return false, nil
	}
	return true, nil
}

// recall reads from SQL the counts that are not in Redis: counts of old notices, or all of them while Redis is
// unavailable.
func (p *Notices) recall(ctx context.Context, t *tallies) error {
	var ids []int64
	of := map[int64]*notifier.Progress{}
	for _, n := range t.many {
		if n.Delivered == 0 {
			ids, of[n.ID] = append(ids, n.ID), n
		}
	}
	if len(ids) == 0 {
		return nil
	}
	counts, err := p.c.Store.CountsOf(ctx, ids)
	if err != nil {
		return fmt.Errorf("look up the counts of %d notices: %w", len(ids), err)
	}
	for _, c := range counts {
		if n := of[c.NoticeID]; n != nil {
			n.Delivered, n.Read = c.Delivered, c.Read
		}
	}
	return nil
}

// forgotten reports whether a notice reached its only recipient so long ago that the inbox no longer has a record of
// it.
func forgotten(n *notifier.Progress) bool {
	over := n.State == notifier.StateSent || n.State == notifier.StateRetracted
	return over && n.Routed && n.Recipients == 1 && n.Delivered == 0
}

// tallies groups notices by where their counts are: the counters of the partitions, or, for a notice with one
// recipient, which has no counter, the recipient's inbox.
type tallies struct {
	many, one []*notifier.Progress
	ids       []int64 // of many
	singles   []notifier.Single
}

func (t *tallies) add(n *notifier.Progress) {
	switch {
	case n.Announces(), !n.Routed, n.Recipients == 0:
	case n.Recipients == 1:
		t.one = append(t.one, n)
	default:
		t.many, t.ids = append(t.many, n), append(t.ids, n.ID)
	}
}

// findSingles looks up the recipient of each notice with only one.
func (p *Notices) findSingles(ctx context.Context, t *tallies) error {
	if len(t.one) == 0 {
		return nil
	}
	ids := make([]int64, len(t.one))
	for i, n := range t.one {
		ids[i] = n.ID
	}
	to, err := p.c.Store.FirstRecipients(ctx, ids)
	if err != nil {
		return fmt.Errorf("look up the recipients of %d notices: %w", len(ids), err)
	}
	for _, n := range t.one {
		t.singles = append(t.singles, notifier.Single{NoticeID: n.ID, Seq: to[n.ID], Key: n.Key()})
	}
	return nil
}

// fill sets the counts from Redis. On error it changes nothing.
func (p *Notices) fill(ctx context.Context, t *tallies) error {
	many, err := p.c.Inbox.Counts(ctx, t.ids)
	if err != nil {
		return err
	}
	one, err := p.c.Inbox.Statuses(ctx, t.singles)
	if err != nil {
		return err
	}
	for i, n := range t.many {
		n.Delivered, n.Read = many[i].Delivered, many[i].Read
	}
	for i, n := range t.one {
		n.Delivered, n.Read, n.ReadUnknown = one[i].Delivered, one[i].Read, one[i].ReadUnknown
	}
	return nil
}
