package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// AnnouncementStore keeps announcements for good.
type AnnouncementStore interface {
	// AnnounceOnce stores n and gives it its id; replayed: that of the same request,
	// which came before. once may be nil. It refuses what would be one open
	// announcement too many, with a *notifier.InvalidError.
	AnnounceOnce(ctx context.Context, n *notifier.Notice, once *notifier.Once) (replayed bool, err error)
	// EditAnnouncement gives the announcement with n's id n's content, window and
	// audiences. It is notifier.ErrConflict when n's revision is not the present
	// one, or the announcement is over.
	EditAnnouncement(ctx context.Context, n *notifier.Notice) error
	RetractAnnouncement(ctx context.Context, id int64) error
	DeleteAnnouncement(ctx context.Context, id int64) error
	Announcements(ctx context.Context, ids []int64) ([]notifier.Announcement, error)
	// AudienceSize counts users with a seq of at most top; 0: all.
	AudienceSize(ctx context.Context, audiences []notifier.Audience, top int64) (map[notifier.Audience]int64, error)
}

// Board shows announcements; see notifier/announcement.
type Board interface {
	Runner
	// Sync brings what is shown to what is stored, and to what the time demands.
	Sync(ctx context.Context) error
	// Reads answers how many have read each, in order; -1 where that is not known.
	Reads(ctx context.Context, parts []notifier.Counting) ([]int64, error)
	// Forget lets go of all that is held of what was deleted.
	Forget(ctx context.Context, parts []notifier.PartKey) error
}

// announce accepts a draft for audiences. It is shown by whichever instance gets
// to it first: usually this one, before it returns. One that came before is answered
// as it stands now; it was shown then, or the board does it by itself.
func (p *Pipeline) announce(ctx context.Context, d notifier.Draft, once *notifier.Once, now time.Time) notifier.Result {
	n := notifier.Notice{Draft: d, CreatedAt: now, ExpiresAt: d.EndsAt}
	replayed, err := p.c.Store.AnnounceOnce(ctx, &n, once)
	if err != nil {
		return notifier.Result{Err: fmt.Errorf("accept an announcement: %w", err)}
	}
	if !replayed {
		p.show(ctx, n.ID)
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

// Delete forgets an announcement that is over or was retracted, with all that is
// known of who has read it; else it is notifier.ErrConflict.
func (p *Pipeline) Delete(ctx context.Context, id int64) error {
	stored, err := p.c.Store.Announcements(ctx, []int64{id})
	if err == nil {
		err = p.c.Store.DeleteAnnouncement(ctx, id)
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
	p.show(ctx, id)
	p.tell(ctx, id, func(ctx context.Context) error { return p.c.Board.Forget(ctx, parts) })
	return nil
}

// show brings the board up to date. What it does not get done the board does by
// itself.
func (p *Pipeline) show(ctx context.Context, id int64) {
	p.tell(ctx, id, func(ctx context.Context) error { return p.c.Board.Sync(ctx) })
}

// tell has the board do something while the sender waits, for Config.Wait at most.
// A client of Redis may outlast its context, so it has a goroutine of its own, which
// Close waits for.
func (p *Pipeline) tell(ctx context.Context, id int64, do func(context.Context) error) {
	if p.c.Board == nil || p.redisAway() {
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
		p.c.Log.WarnContext(ctx, "announcement left to the board", "stage", "announcement", "notice_id", id, "err", err)
	}
}

// limits is what drafts are measured by at this moment.
func (p *Pipeline) limits() (notifier.Limits, time.Time) {
	l := p.c.Limits
	l.Now = p.c.Now().UTC().Truncate(time.Millisecond)
	return l, l.Now
}
