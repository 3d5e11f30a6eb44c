package notices

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// Receipts returns the recipients of a notice: users who have not read it first, then by name. It returns none for an
// announcement, for a notice whose recipients are not determined yet or are more than most, and while Redis is
// unavailable.
func (p *Notices) Receipts(ctx context.Context, n *notifier.Notice, most int64) ([]notifier.Receipt, error) {
	if n.Announces() || !n.Routed || n.Recipients == 0 || n.Recipients > most || p.Unavailable() {
		return nil, nil
	}
	who, err := p.c.Store.Recipients(ctx, n.ID)
	if err != nil {
		return nil, fmt.Errorf("list the recipients of notice %d: %w", n.ID, err)
	}
	names, err := p.c.Store.UserNames(ctx, who)
	if err != nil {
		return nil, fmt.Errorf("name the recipients of notice %d: %w", n.ID, err)
	}
	receipts := make([]notifier.Receipt, 0, len(names))
	singles := make([]notifier.Single, 0, len(names))
	for seq, name := range names {
		receipts = append(receipts, notifier.Receipt{User: name})
		singles = append(singles, notifier.Single{NoticeID: n.ID, Seq: seq, Key: n.Key()})
	}
	ctx, cancel := context.WithTimeout(ctx, redisWait)
	defer cancel()
	statuses, err := p.c.Inbox.Statuses(ctx, singles)
	if err != nil {
		p.c.Log.WarnContext(ctx, "could not read who has read a notice", "notice", n.ID, "err", err)
		return nil, nil
	}
	for i, s := range statuses {
		r := &receipts[i]
		r.Delivered, r.Read, r.Unknown = s.Delivered > 0, s.Read > 0, s.ReadUnknown
	}
	slices.SortFunc(receipts, func(a, b notifier.Receipt) int {
		if a.Read != b.Read {
			return cmp.Compare(truth(a.Read), truth(b.Read))
		}
		return cmp.Compare(a.User.Name, b.User.Name)
	})
	return receipts, nil
}

func truth(is bool) int {
	if is {
		return 1
	}
	return 0
}
