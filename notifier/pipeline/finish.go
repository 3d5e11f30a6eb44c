package pipeline

import (
	"context"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// errMoved ends work on a notice whose state somebody else has changed: it was
// retracted, or another instance has finished it.
var errMoved = errors.New("the notice is in another state by now")

// errLost ends work on a notice that another instance has taken over.
var errLost = errors.New("another instance holds the notice")

// holder is asked between chunks whether to go on.
type holder interface {
	Hold(ctx context.Context) (bool, error)
}

// noLease is for work that is over before a lease would save anything.
type noLease struct{}

func (noLease) Hold(context.Context) (bool, error) { return true, nil }

// finish takes a notice from where it stands to the end of sending or of
// retracting, and leaves n as it then is. All of it may be repeated, and done
// by two at the same time: inboxes know what they have had.
func (p *Pipeline) finish(ctx context.Context, n *notifier.Notice, hold holder) error {
	switch n.State {
	case notifier.StateAccepted, notifier.StateSending:
		return p.deliver(ctx, n, hold)
	case notifier.StateRetracting:
		return p.takeBack(ctx, n, hold)
	case notifier.StateSent, notifier.StateRetracted:
	}
	return nil
}

func (p *Pipeline) deliver(ctx context.Context, n *notifier.Notice, hold holder) error {
	to, err := p.recipients(ctx, n)
	if err != nil {
		return err
	}
	// One chunk needs no cursor, and so no state in which to keep one.
	if n.State == notifier.StateAccepted && n.Recipients > int64(p.c.Chunk) {
		if err := p.move(ctx, n, notifier.StateSending); err != nil {
			return err
		}
	}
	err = p.each(ctx, n, to, hold, func(seqs []int64) error {
		_, err := p.c.Inbox.Deliver(ctx, n, seqs)
		return err
	})
	if err != nil {
		return fmt.Errorf("deliver notice %d: %w", n.ID, err)
	}
	return p.move(ctx, n, notifier.StateSent)
}

// takeBack also visits recipients who did not get the notice yet: a delivery
// that comes late finds it gone there.
func (p *Pipeline) takeBack(ctx context.Context, n *notifier.Notice, hold holder) error {
	to, err := p.reached(ctx, n)
	if err != nil {
		return err
	}
	key := n.Key()
	err = p.each(ctx, n, to, hold, func(seqs []int64) error {
		return p.c.Inbox.Retract(ctx, n.ID, key, seqs)
	})
	if err != nil {
		return fmt.Errorf("retract notice %d: %w", n.ID, err)
	}
	return p.move(ctx, n, notifier.StateRetracted)
}

// recipients returns whom a notice goes to, and settles it when nobody has.
// Who left the directory since it was accepted is left out.
func (p *Pipeline) recipients(ctx context.Context, n *notifier.Notice) (*roaring.Bitmap, error) {
	if n.Routed {
		return p.stored(ctx, n)
	}
	to, err := p.c.Router.Recipients(ctx, n.Draft)
	var unknown *notifier.InvalidError
	if errors.As(err, &unknown) && to != nil {
		p.c.Log.WarnContext(ctx, "recipients left since the notice was accepted", "stage", "route", "notice_id", n.ID, "err", err)
		err = nil
	}
	if err != nil {
		return nil, fmt.Errorf("route notice %d: %w", n.ID, err)
	}
	return p.setRecipients(ctx, n, to)
}

// reached returns who can have got a notice. Where nobody was settled it
// settles nobody, so that a router who comes later delivers to nobody.
func (p *Pipeline) reached(ctx context.Context, n *notifier.Notice) (*roaring.Bitmap, error) {
	if n.Routed {
		return p.stored(ctx, n)
	}
	return p.setRecipients(ctx, n, roaring.New())
}

func (p *Pipeline) stored(ctx context.Context, n *notifier.Notice) (*roaring.Bitmap, error) {
	to, err := p.c.Store.Recipients(ctx, n.ID)
	if err != nil {
		return nil, fmt.Errorf("read the recipients of notice %d: %w", n.ID, err)
	}
	return to, nil
}

// setRecipients settles the recipients, unless somebody has: then theirs count.
func (p *Pipeline) setRecipients(ctx context.Context, n *notifier.Notice, to *roaring.Bitmap) (*roaring.Bitmap, error) {
	to, err := p.c.Store.SetRecipients(ctx, n.ID, to)
	if err != nil {
		return nil, fmt.Errorf("settle the recipients of notice %d: %w", n.ID, err)
	}
	n.Recipients, n.Routed = int64(to.GetCardinality()), true //nolint:gosec // at most 2^32
	return to, nil
}

// move brings the notice into another state, or fails with errMoved when it is
// not any more in the one that n says.
func (p *Pipeline) move(ctx context.Context, n *notifier.Notice, to notifier.State) error {
	ok, err := p.c.Store.SetState(ctx, n.ID, n.State, to)
	if err != nil {
		return fmt.Errorf("bring notice %d from %s to %s: %w", n.ID, n.State, to, err)
	}
	if !ok {
		return errMoved
	}
	n.State, n.Done = to, 0
	return nil
}
