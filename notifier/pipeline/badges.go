package pipeline

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
)

// InboxBadges answers the inbox's half of badges.
type InboxBadges interface {
	Badges(ctx context.Context, seqs []int64) ([]notifier.Badge, error)
}

// BoardBadges answers the announcements' half of badges.
type BoardBadges interface {
	Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error)
}

// Badges is the number on the bell, made of its two halves.
type Badges struct {
	Inbox InboxBadges
	Board BoardBadges
}

// Badges answers the badge of each reader, in order. Each half is right by
// itself; both are asked at the same time.
func (b Badges) Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	seqs := make([]int64, len(readers))
	for i, r := range readers {
		seqs[i] = r.Seq
	}
	var badges, board []notifier.Badge
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		badges, err = b.Inbox.Badges(ctx, seqs)
		return err
	})
	group.Go(func() (err error) {
		board, err = b.Board.Badges(ctx, readers)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range badges {
		badges[i].Announcements, badges[i].AVer = board[i].Announcements, board[i].AVer
		badges[i].Unread = badges[i].Inbox + badges[i].Announcements
	}
	return badges, nil
}
