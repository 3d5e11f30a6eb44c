package pipeline

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Progress returns a notice and how many got and read it. While Redis is away
// the two numbers are not known, and Counted is false. An unknown id is
// notifier.ErrNotFound.
func (p *Pipeline) Progress(ctx context.Context, id int64) (notifier.Progress, error) {
	n, err := p.c.Store.Notice(ctx, id)
	if err != nil {
		return notifier.Progress{}, fmt.Errorf("look at notice %d: %w", id, err)
	}
	progress := notifier.Progress{Notice: n}
	if p.away.Load() {
		return progress, nil // known already, so nobody waits for it
	}
	ctx, cancel := context.WithTimeout(ctx, p.c.InlineWait)
	defer cancel()
	progress.Delivered, progress.Read, err = p.counts(ctx, &n)
	if err != nil {
		p.c.Log.WarnContext(ctx, "counts not known", "notice_id", id, "err", err)
		return notifier.Progress{Notice: n}, nil
	}
	progress.Counted = true
	return progress, nil
}

// counts asks the inbox itself when there is only one: nobody keeps counts for it.
func (p *Pipeline) counts(ctx context.Context, n *notifier.Notice) (delivered, read int64, err error) {
	switch {
	case !n.Routed || n.Recipients == 0:
		return 0, 0, nil
	case n.Recipients > 1:
		return p.c.Inbox.Counts(ctx, n.ID)
	}
	to, err := p.stored(ctx, n)
	if err != nil || to.IsEmpty() {
		return 0, 0, err
	}
	got, seen, err := p.c.Inbox.Status(ctx, int64(to.Minimum()), n.ID, n.Key())
	return number(got), number(seen), err
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
