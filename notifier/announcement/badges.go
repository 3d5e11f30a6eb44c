package announcement

import (
	"context"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
)

// Badges returns the announcements half of each reader's badge, in order. A reader without a bit,
// or in no known audience, gets a zero badge.
func (b *Board) Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	badges := make([]notifier.Badge, len(readers))
	if len(readers) == 1 { // a page: it may share its call with other pages
		r := b.roomOf(readers[0])
		if r == nil {
			return badges, nil
		}
		l, err := b.lookFor(ctx, r, readers[0].Seq)
		if err != nil {
			return nil, fmt.Errorf("count the announcements of user %d: %w", readers[0].Seq, err)
		}
		badges[0] = l.badge()
		return badges, nil
	}
	places := map[*room][]int{}
	for i, reader := range readers {
		if r := b.roomOf(reader); r != nil {
			places[r] = append(places[r], i)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	for r, all := range places {
		for part := range slices.Chunk(all, badgeBatch) {
			group.Go(func() error { return b.countPart(ctx, r, readers, part, badges) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("count the announcements of %d users: %w", len(readers), err)
	}
	return badges, nil
}

// countPart counts for the readers at the given places, who are all in one audience.
func (b *Board) countPart(ctx context.Context, r *room, readers []notifier.Reader, places []int, into []notifier.Badge) error {
	seqs := make([]int64, len(places))
	for i, place := range places {
		seqs[i] = readers[place].Seq
	}
	badges, err := b.count(ctx, r, seqs)
	if err != nil {
		return err
	}
	for i, place := range places {
		into[place] = badges[i]
	}
	return nil
}

// count counts for at most badgeBatch readers of one audience, in one call.
func (b *Board) count(ctx context.Context, r *room, seqs []int64) ([]notifier.Badge, error) {
	_, rep, err := b.ask(ctx, r, func(x *index) *redis.Cmd {
		args := make([]any, 2, 2+len(seqs))
		args[0], args[1] = x.version, x.tops
		for _, seq := range seqs {
			args = append(args, seq)
		}
		return countReaders.Run(ctx, b.rdb, x.count, args...)
	})
	if err != nil {
		return nil, err
	}
	badges := make([]notifier.Badge, len(seqs))
	for i := range badges {
		badges[i] = badgeOf(rep, 3*i)
	}
	return badges, nil
}
