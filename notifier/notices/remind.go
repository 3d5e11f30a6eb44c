package notices

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Remind sends a notice again to the recipients who still have it unread in their inboxes: a new notice with the same
// text, key and expiry replaces it at the top. Those who have muted its type since, or are no longer in its roles or
// subscribed to its topic, are left out.
//
// It returns the number of users that the reminder goes to. If there are none, or r.Sure rejects their number,
// nothing is sent and the notice has no ID. A repeated request returns the first reminder. The errors are
// notifier.ErrConflict for an announcement, for a question, for a task and for a notice that is not sent yet, retracted or expired,
// notifier.ErrNotFound, and the errors of Send.
func (p *Notices) Remind(ctx context.Context, by notifier.Actor, r notifier.Reminder) (notifier.Notice, int64, error) {
	if earlier, err := p.reminded(ctx, r.Once); err != nil || earlier.ID > 0 {
		return earlier, earlier.Recipients, err
	}
	n, err := p.c.Store.Notice(ctx, r.NoticeID)
	if err != nil {
		return notifier.Notice{}, 0, fmt.Errorf("remind of notice %d: %w", r.NoticeID, err)
	}
	_, now := p.limits()
	left := n.ExpiresAt.Sub(now).Truncate(time.Millisecond)
	if n.Announces() || n.Extras.Ask != nil || n.Extras.Take != nil || !n.Routed || n.State.TakenBack() || n.State == notifier.StateScheduled || left < time.Second {
		return notifier.Notice{}, 0, fmt.Errorf("remind of notice %d: %w", n.ID, notifier.ErrConflict)
	}
	s, err := p.reminder(ctx, &n)
	if err != nil {
		return notifier.Notice{}, 0, err
	}
	s.Draft.Sender, s.Draft.ExpiresIn = by.Ref, left
	if s.Recipients == 0 || r.Sure != nil && !r.Sure(s.Recipients) {
		return notifier.Notice{}, s.Recipients, nil
	}
	sent, err := p.send(ctx, notifier.Deed{By: by, Action: "notice.remind", Object: notifier.NoticeRef(n.ID)}, s.Confirmed, r.Once)
	return sent, s.Recipients, err
}

// reminder finds the users who still have a notice unread, and creates the draft for them.
func (p *Notices) reminder(ctx context.Context, n *notifier.Notice) (*submission, error) {
	to, err := p.c.Store.Recipients(ctx, n.ID)
	if err == nil {
		to, err = p.c.Inbox.UnreadOf(ctx, n, to)
	}
	if err != nil {
		return nil, fmt.Errorf("remind of notice %d: %w", n.ID, err)
	}
	d := n.Draft
	d.Subject, d.SendAt = n.ReminderSubject(), time.Time{}
	s := &submission{Confirmed: notifier.Confirmed{Draft: d}}
	p.route(ctx, s)
	var gone *notifier.InvalidError // a user or role no longer exists
	if s.err != nil && !errors.As(s.err, &gone) {
		return nil, s.err
	}
	s.To = roaring.And(to, s.To)
	s.Recipients = int64(s.To.GetCardinality()) //nolint:gosec // at most 2^32
	return s, nil
}

// reminded returns the notice that the same request sent before; without ID if there is none.
func (p *Notices) reminded(ctx context.Context, once *notifier.Once) (notifier.Notice, error) {
	if once == nil {
		return notifier.Notice{}, nil
	}
	id, err := p.c.Store.Earlier(ctx, *once)
	if errors.Is(err, notifier.ErrNotFound) {
		return notifier.Notice{}, nil
	}
	var n notifier.Notice
	if err == nil {
		n, err = p.c.Store.Notice(ctx, id)
	}
	if err != nil {
		return notifier.Notice{}, fmt.Errorf("find an earlier reminder: %w", err)
	}
	return n, nil
}
