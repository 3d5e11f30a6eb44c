package notices

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// Badges computes the badge on the bell from its two halves.
type Badges struct {
	Inbox         *inbox.Inbox
	Announcements *announcement.Announcements
}

// Badges returns the badge of each reader, in order. Each half is consistent in itself; both are
// read concurrently.
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
		board, err = b.Announcements.Badges(ctx, readers)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range badges {
		badges[i].SetAnnouncements(board[i].Announcements, board[i].AVer)
	}
	return badges, nil
}
