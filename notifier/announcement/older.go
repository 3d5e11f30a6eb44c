package announcement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// unknown stands for how far SQL has seen as long as nobody has asked it.
const unknown = -1

// follow sees to it that the bitmaps of an audience are not older than what SQL has
// of them: Redis may have come back from an old file, or be a replica that lagged.
// Redis says how far SQL had seen; when SQL has seen more, its pieces are the newer.
// Nothing may be written behind before, or old pieces would replace new ones.
func (b *Board) follow(ctx context.Context, r *room) error {
	seen, err := b.seen(ctx, r)
	if err != nil {
		return err
	}
	latest := r.latest.Load()
	if latest == unknown {
		if latest, err = b.store.LatestReads(ctx, r.audience); err != nil {
			return err
		}
	}
	if seen < latest {
		if err := b.bringBack(ctx, r, seen, latest); err != nil {
			return fmt.Errorf("bring back what redis has lost of audience %d: %w", r.audience, err)
		}
	}
	r.latest.Store(max(seen, latest))
	return nil
}

// seen is how far SQL has seen, as Redis knows it.
func (b *Board) seen(ctx context.Context, r *room) (int64, error) {
	score, err := b.rdb.ZScore(ctx, r.dirty, "0").Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, away(err)
	}
	return int64(score), nil
}

// bringBack puts into the bitmaps of an audience what SQL has seen since.
func (b *Board) bringBack(ctx context.Context, r *room, since, latest int64) error {
	current, err := b.store.CurrentAnnouncements(ctx)
	if err != nil {
		return err
	}
	var merged int64
	for i := range current {
		for _, p := range current[i].Parts {
			if p.Audience != r.audience || p.Finished {
				continue
			}
			n, err := b.merge(ctx, r, notifier.PartKey{ID: current[i].ID, Audience: p.Audience}, since)
			if err != nil {
				return err
			}
			merged += n
		}
	}
	_, err = parseReply(renewIndex.Run(ctx, b.rdb, []string{r.scheduled, r.dirty}, latest, merged))
	if err != nil || merged == 0 {
		return err
	}
	return b.Sync(ctx)
}

// merge answers how many pieces of a bitmap were older than SQL's.
func (b *Board) merge(ctx context.Context, r *room, k notifier.PartKey, since int64) (int64, error) {
	segments, err := b.store.Reads(ctx, k)
	if err != nil {
		return 0, err
	}
	segments = slices.DeleteFunc(segments, func(g notifier.ReadSegment) bool { return g.Ver <= since })
	if len(segments) == 0 {
		return 0, nil
	}
	args := []any{k.ID}
	for _, g := range segments {
		whole := make([]byte, notifier.SegmentBytes)
		copy(whole, g.Bits)
		args = append(args, strconv.Itoa(g.Segment), g.Ver, whole)
	}
	keys := []string{b.k.Bits(k.Audience, k.ID), r.dirty, b.k.Bits(k.Audience, 0)} // no announcement is 0
	rep, err := parseReply(mergeBits.Run(ctx, b.rdb, keys, args...))
	return rep.code, err
}
