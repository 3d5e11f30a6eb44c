package inbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Badges returns the inbox half of each user's badge, in order. Cold inboxes are restored or
// started, so Ver is above 0, except for unknown users and users with a damaged snapshot.
func (b *Inbox) Badges(ctx context.Context, seqs []int64) ([]notifier.Badge, error) {
	badges := make([]notifier.Badge, len(seqs))
	read := b.readBadges
	switch {
	case len(seqs) == 1: // a page or an application
		read = b.readBadge
	case len(seqs) > badgeBatch:
		read = b.readManyBadges
	}
	if err := read(ctx, seqs, badges); err != nil {
		return nil, fmt.Errorf("read the badges of %d users: %w", len(seqs), script.MarkAway(err))
	}
	return badges, nil
}

func (b *Inbox) readBadge(ctx context.Context, seqs []int64, into []notifier.Badge) error {
	numbers, err := b.shared.Do(ctx, "HMGET", b.k.State(seqs[0]), "unread", "ver").Slice()
	if err != nil {
		return err
	}
	return b.fillBadges(ctx, seqs, [][]any{numbers}, into)
}

func (b *Inbox) readManyBadges(ctx context.Context, seqs []int64, into []notifier.Badge) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	for chunk := range slices.Chunk(seqs, badgeBatch) {
		part := into[:len(chunk)]
		into = into[len(chunk):]
		group.Go(func() error { return b.readBadges(ctx, chunk, part) })
	}
	return group.Wait()
}

func (b *Inbox) readBadges(ctx context.Context, seqs []int64, into []notifier.Badge) error {
	pipe := b.rdb.Pipeline()
	cmds := make([]*redis.SliceCmd, len(seqs))
	for i, seq := range seqs {
		cmds[i] = pipe.HMGet(ctx, b.k.State(seq), "unread", "ver")
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return err
	}
	numbers := make([][]any, len(seqs))
	for i, cmd := range cmds {
		numbers[i] = cmd.Val()
	}
	return b.fillBadges(ctx, seqs, numbers, into)
}

// fillBadges sets badges from the unread and ver of their inboxes, and restores cold inboxes.
func (b *Inbox) fillBadges(ctx context.Context, seqs []int64, numbers [][]any, into []notifier.Badge) error {
	var cold []int64
	var at []int
	for i, pair := range numbers {
		unread, ver := integer(pair[0]), integer(pair[1])
		if ver == 0 {
			cold, at = append(cold, seqs[i]), append(at, i)
			continue
		}
		into[i] = newBadge(unread, ver)
	}
	if len(cold) == 0 {
		return nil
	}
	answers, err := b.warm(ctx, cold, b.millis())
	for i, a := range answers {
		if a.err == nil {
			into[at[i]] = badgeOf(a.reply)
		}
	}
	return err
}

// integer parses a number of a hash; missing or malformed values count as 0.
func integer(v any) int64 {
	s, _ := v.(string)
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}
