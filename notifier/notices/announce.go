package notices

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// announce accepts a draft for audiences. The first instance to process it shows it, usually this one before announce
// returns. A replayed request returns the announcement in its current state; it has already been shown, or will be
// without further action.
func (p *Notices) announce(ctx context.Context, of notifier.Deed, s *submission, now time.Time) notifier.Result {
	n := notifier.Notice{Draft: s.Draft, CreatedAt: now, ExpiresAt: s.Draft.EndsAt}
	replayed, err := p.c.Store.AnnounceOnce(ctx, of, &n, s.once)
	if err != nil {
		return notifier.Result{Err: fmt.Errorf("accept an announcement: %w", err)}
	}
	if !replayed {
		p.syncAnnouncements(ctx, n.ID)
		return notifier.Result{Notice: n}
	}
	known, err := p.c.Store.Contents(ctx, []int64{n.ID})
	if err != nil {
		return notifier.Result{Err: fmt.Errorf("look up an announcement that was accepted before: %w", err)}
	}
	if then, ok := known[n.ID]; ok {
		n = then
	}
	return notifier.Result{Notice: n, Replayed: true}
}

// Delete deletes an announcement that is over or retracted, with all its read marks. It returns notifier.ErrConflict
// for any other announcement.
func (p *Notices) Delete(ctx context.Context, by notifier.Actor, id int64) error {
	stored, err := p.c.Store.Announcements(ctx, []int64{id})
	if err == nil {
		err = p.c.Store.DeleteAnnouncement(ctx, by, id)
	}
	if err != nil {
		return fmt.Errorf("delete announcement %d: %w", id, err)
	}
	var parts []notifier.PartKey
	for _, n := range stored {
		for _, part := range n.Parts {
			parts = append(parts, notifier.PartKey{ID: id, Audience: part.Audience})
		}
	}
	p.syncAnnouncements(ctx, id)
	p.callAnnouncements(ctx, id, func(ctx context.Context) error { return p.c.Announcements.Forget(ctx, parts) })
	return nil
}

// syncAnnouncements brings the announcements up to date. If that fails, the announcements package catches up by
// itself.
func (p *Notices) syncAnnouncements(ctx context.Context, id int64) {
	p.callAnnouncements(ctx, id, func(ctx context.Context) error { return p.c.Announcements.Sync(ctx) })
}

// callAnnouncements runs do while the sender waits, for Config.Wait at most. A Redis call may outlast its context, so
// it runs in a separate goroutine, which Close waits for.
func (p *Notices) callAnnouncements(ctx context.Context, id int64, do func(context.Context) error) {
	if p.c.Announcements == nil || p.Unavailable() {
		return
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), max(p.c.Wait, redisWait))
	patience := time.NewTimer(p.c.Wait)
	defer patience.Stop()
	done := make(chan error, 1)
	p.wg.Go(func() {
		defer cancel()
		done <- do(work)
	})
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	case <-patience.C:
	}
	if err != nil {
		p.c.Log.WarnContext(ctx, "the announcements in Redis are behind; they catch up by themselves", "stage", "announcement", "notice_id", id, "err", err)
	}
}

// limits returns the limits for drafts and the current time.
func (p *Notices) limits() (notifier.Limits, time.Time) {
	l := p.c.Limits
	l.Now = p.c.Now().UTC().Truncate(time.Millisecond)
	return l, l.Now
}
