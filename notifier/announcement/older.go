package announcement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// unknown means that the latest change in SQL has not been read yet.
const unknown = -1

// follow ensures that the bitmaps of an audience are not older than in SQL: Redis may have been restored from an old
// file, or be a replica that lagged. Redis records the latest change that reached SQL; if SQL has later ones, its
// segments are newer. This must happen before reads are written to SQL; otherwise old segments would replace new
// ones.
func (b *Announcements) follow(ctx context.Context, r *room) error {
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
			return fmt.Errorf("restore the lost reads of audience %d: %w", r.audience, err)
		}
	}
	r.latest.Store(max(seen, latest))
	return nil
}

// seen returns the latest change in SQL, according to Redis.
func (b *Announcements) seen(ctx context.Context, r *room) (int64, error) {
	score, err := b.rdb.ZScore(ctx, r.dirty, "0").Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, script.MarkAway(err)
	}
	return int64(score), nil
}

// bringBack merges the later changes in SQL into the bitmaps of an audience.
func (b *Announcements) bringBack(ctx context.Context, r *room, since, latest int64) error {
	current, err := b.store.CurrentAnnouncements(ctx)
	if err != nil {
		return err
	}
	merged, behind, err := b.mergeAll(ctx, r, current, since)
	if err == nil && behind {
		// Redis has missed an edit that marked an announcement as unread for all users. Sync applies it.
		// A bitmap that still differs after that belongs to an announcement that is not in the index;
		// Finish counts its reads in SQL.
		if err = b.Sync(ctx); err == nil {
			var more int64
			more, _, err = b.mergeAll(ctx, r, current, since)
			merged += more
		}
	}
	if err != nil {
		return err
	}
	_, err = script.ParseReply(renewIndex.Run(ctx, b.rdb, []string{r.scheduled, r.dirty}, latest, merged))
	if err != nil || merged == 0 {
		return err
	}
	return b.Sync(ctx)
}

// mergeAll merges the segments in SQL into the bitmaps of an audience. It returns how many segments
// were older in Redis, and whether a bitmap counts reads since a different edit than SQL.
func (b *Announcements) mergeAll(ctx context.Context, r *room, current []notifier.Announcement, since int64) (merged int64, behind bool, err error) {
	for i := range current {
		for _, p := range current[i].Parts {
			if p.Audience != r.audience || p.Finished {
				continue
			}
			n, err := b.merge(ctx, r, notifier.PartKey{ID: current[i].ID, Audience: p.Audience}, since)
			if err != nil {
				return merged, behind, err
			}
			merged, behind = merged+max(n, 0), behind || n == codeOld
		}
	}
	return merged, behind, nil
}

// merge returns how many segments of a bitmap were older than in SQL, or codeOld if the bitmap counts
// reads since a different edit.
func (b *Announcements) merge(ctx context.Context, r *room, k notifier.PartKey, since int64) (int64, error) {
	segments, err := b.store.Reads(ctx, k)
	if err != nil {
		return 0, err
	}
	segments = slices.DeleteFunc(segments, func(g notifier.ReadSegment) bool { return g.Ver <= since })
	if len(segments) == 0 {
		return 0, nil
	}
	args := []any{k.ID, segments[0].From}
	for _, g := range segments {
		whole := make([]byte, notifier.SegmentBytes)
		copy(whole, g.Bits)
		args = append(args, strconv.Itoa(g.Segment), g.Ver, whole)
	}
	keys := []string{b.k.Bits(k.Audience, k.ID), r.dirty, b.k.Bits(k.Audience, 0)} // no announcement has the id 0
	rep, err := script.ParseReply(mergeBits.Run(ctx, b.rdb, keys, args...))
	return rep.Code, err
}
