package announcement

import (
	"context"
	"errors"
	"fmt"
	"math/bits"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Finish records the final count of announcements that are over (retracted, removed from an
// audience, or ended by the clock of Redis), and removes their bitmaps from Redis once all their
// segments are in SQL. It returns how many parts it finished, and whether all that are over are
// now finished.
func (b *Announcements) Finish(ctx context.Context) (n int, all bool, err error) {
	current, err := b.store.CurrentAnnouncements(ctx)
	if err != nil {
		return 0, false, fmt.Errorf("read the announcements: %w", err)
	}
	rooms := b.roomsOf(current)
	if _, err = b.flush(ctx, rooms); err != nil {
		return 0, false, err
	}
	parts, cmds, err := b.drop(ctx, rooms, current)
	if err != nil {
		return 0, false, fmt.Errorf("drop bitmaps that are over: %w", script.MarkAway(err))
	}
	all = true
	for i, k := range parts {
		rep, err := script.ParseReply(cmds[i])
		if err != nil {
			return n, false, err
		}
		switch rep.Code {
		case codeOld:
			continue
		case codeDirty: // changed after the flush: retry next time
			all = false
			continue
		}
		switch err := b.finish(ctx, k, rep.Code); {
		case errors.Is(err, notifier.ErrConflict): // because of an earlier edit, or the clock of SQL's machine is slow
			all = false
		case errors.Is(err, notifier.ErrNotFound): // it was deleted
		case err != nil:
			return n, false, fmt.Errorf("finish announcement %d in audience %d: %w", k.ID, k.Audience, err)
		default:
			n++
		}
	}
	return n, all, nil
}

// Forget removes the bitmaps of deleted announcements from Redis.
func (b *Announcements) Forget(ctx context.Context, parts []notifier.PartKey) error {
	pipe := b.rdb.Pipeline()
	for _, p := range parts {
		pipe.Unlink(ctx, b.k.Bits(p.Audience, p.ID))
		pipe.ZRem(ctx, b.k.DirtyBits(p.Audience), p.ID)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("forget %d bitmaps: %w", len(parts), script.MarkAway(err))
	}
	return nil
}

// drop checks in Redis whether each part is over, and removes its bitmap if it is. If this process stops right after
// that, the segments in SQL are counted.
func (b *Announcements) drop(ctx context.Context, rooms []*room, all []notifier.Announcement) ([]notifier.Counting, []*redis.Cmd, error) {
	by := map[notifier.Audience]*room{}
	for _, r := range rooms {
		by[r.audience] = r
	}
	var parts []notifier.Counting
	var cmds []*redis.Cmd
	pipe := script.NewPipe(b.rdb, len(all))
	for i := range all {
		n := &all[i]
		for _, p := range n.Parts {
			if p.Finished {
				continue
			}
			ends := n.EndsAt.UnixMilli()
			if p.Left || n.State == notifier.StateRetracted || n.State == notifier.StateRetracting {
				ends = 0
			}
			r := by[p.Audience]
			part := n.Counting(p)
			parts = append(parts, part)
			cmds = append(cmds, pipe.Add(ctx, dropBits, 3, r.windows, r.dirty, b.k.Bits(p.Audience, n.ID), n.ID, ends, part.Top, part.From))
		}
	}
	if len(cmds) == 0 {
		return nil, nil, nil
	}
	return parts, cmds, pipe.Exec(ctx)
}

// finish records a final count. A negative count means that Redis has no bitmap, so the segments in
// SQL are counted.
func (b *Announcements) finish(ctx context.Context, p notifier.Counting, reads int64) error {
	if reads < 0 {
		segments, err := b.store.Reads(ctx, p.PartKey)
		if err != nil {
			return err
		}
		reads = countedBits(segments, p.Top)
	}
	return b.store.FinishPart(ctx, p.PartKey, reads)
}

// countedBits counts bits like count_bits, in the segments of a bitmap.
func countedBits(segments []notifier.ReadSegment, top int64) (n int64) {
	for _, g := range segments {
		first := int64(g.Segment) * notifier.SegmentBytes * 8
		for i, eight := range g.Bits {
			if at := first + int64(i)*8; top > 0 && at+7 > top {
				eight &= ^byte(0) << min(at+7-top, 8) // bits are numbered from the left
			}
			n += int64(bits.OnesCount8(eight))
		}
		if g.Segment == 0 && len(g.Bits) > 0 {
			n -= int64(g.Bits[0] >> 7) // bit 0 belongs to no user
		}
	}
	return n
}
