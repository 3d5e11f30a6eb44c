package guard

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	// pageSize is the number of inboxes or counts handled by one step.
	pageSize = 500
	// flushedParts is the number of parts in which inboxes are written behind.
	flushedParts = 8
	// resendMost limits how far back notices are sent again: inboxes keep records of removed notices for 7 days, and
	// older notices would reappear.
	resendMost = 6 * 24 * time.Hour
)

var (
	errLease  = errors.New("another instance has started healing")
	errMoving = errors.New("a partition is moving to another master")
)

// healing is one attempt to restore the data that Redis has lost.
type healing struct {
	*Guard
	sick
	seen     view
	began    time.Time
	held     time.Time     // when the lease was last renewed
	empty    bool          // SQL has no inbox, so Redis cannot lack one
	above    map[int]int64 // by partition with a mark: changes up to this version are not missing
	warm     []int         // partitions without a mark that have inboxes in Redis
	restored int
	erased   int
	refused  int
}

// heal restores the data that may be missing. It is safe to stop anywhere: the records that declare
// the data complete are written last, and every step can be repeated.
//
//  1. It reads the time of the last complete flush to SQL, before anything can move it forward.
//  2. It replaces inboxes that are older than in SQL, raises counts, and erases the inboxes of
//     users deleted since.
//  3. It redelivers notices from that time on.
//  4. It sets the marks, over connections that are verified to be in the same life.
//  5. It lists the lives in SQL, which opens the gates of all instances.
//
// It does nothing while another instance heals.
func (g *Guard) heal(ctx context.Context, seen view, lacking sick) error {
	h := &healing{Guard: g, sick: lacking, seen: seen, began: g.c.Now()}
	if lacking.moving {
		return unavailable("heal redis", errMoving)
	}
	if g.c.Inboxes == nil {
		return nil
	}
	mine, err := g.c.Lease.Hold(ctx)
	if err != nil {
		return unavailable("heal redis", err)
	}
	if !mine {
		return nil
	}
	defer lease.GiveUp(ctx, g.c.Lease)
	h.held = h.began
	if err := h.do(ctx); err != nil {
		return fmt.Errorf("heal redis: %w", err)
	}
	level := slog.LevelInfo
	if h.empty && h.erased == 0 { // a first start is not logged at the info level
		level = slog.LevelDebug
	}
	g.c.Log.Log(
		ctx, level, "the data in redis is complete", "stage", "epoch", "partitions", len(h.marks), "lives", len(h.lives),
		"restored", h.restored, "erased", h.erased, "refused", h.refused, "duration", g.c.Now().Sub(h.began),
	)
	return nil
}

func (h *healing) do(ctx context.Context) error {
	var since time.Time
	err := h.step(ctx, func(ctx context.Context) (err error) {
		since, err = h.c.Store.Flushed(ctx, flushedParts)
		return err
	})
	if err != nil {
		return err
	}
	if err := h.restore(ctx); err != nil {
		return err
	}
	if h.c.Resend != nil {
		if since = since.Add(-skew); since.Before(h.began.Add(-resendMost)) {
			since = h.began.Add(-resendMost)
		}
		if err := h.step(ctx, func(ctx context.Context) error { return h.c.Resend(ctx, since) }); err != nil {
			return fmt.Errorf("send the notices since %s again: %w", since.Format(time.RFC3339), err)
		}
	}
	if err := h.letSee(ctx); err != nil {
		return err
	}
	if err := h.step(ctx, func(ctx context.Context) error { return h.seal(ctx, h.seen, h.sick, h.began) }); err != nil {
		return err
	}
	for _, life := range h.lives {
		err := h.step(ctx, func(ctx context.Context) error { return h.c.Store.AddRun(ctx, life, h.c.Now()) })
		if err != nil {
			return err
		}
		h.learn(life)
	}
	return nil
}

// restore restores inboxes and counts if SQL has any, and erases the inboxes of deleted users.
func (h *healing) restore(ctx context.Context) error {
	err := h.step(ctx, func(ctx context.Context) error {
		some, err := h.c.Store.SnapshotVers(ctx, 0, 0, 1)
		h.empty = len(some) == 0
		return err
	})
	if err != nil {
		return err
	}
	if err := h.divide(ctx); err != nil {
		return err
	}
	if !h.empty {
		if err := h.compare(ctx); err != nil {
			return err
		}
		for p, mark := range h.marks {
			if err := h.count(ctx, p, mark); err != nil {
				return err
			}
		}
	}
	if err := h.erase(ctx); err != nil {
		return err
	}
	return h.step(ctx, func(ctx context.Context) error { return h.begin(ctx, slices.Collect(maps.Keys(h.marks))...) })
}

// count restores the counts of the notices of a partition. If Redis lost everything and has started
// counting from zero, the counts in SQL are added once; otherwise counts are only raised to the counts in
// SQL.
func (h *healing) count(ctx context.Context, partition int, mark int64) error {
	for after := int64(0); ; {
		var counts []notifier.NoticeCount
		err := h.step(ctx, func(ctx context.Context) (err error) {
			if counts, err = h.c.Store.NoticeCounts(ctx, partition, after, pageSize); err != nil || len(counts) == 0 {
				return err
			}
			return h.c.Inboxes.RestoreCounts(ctx, partition, counts, mark == lost)
		})
		switch {
		case away(err):
			return err
		case err != nil: // not an outage: inboxes must not wait for counts
			h.c.Log.WarnContext(ctx, "could not restore counts", "stage", "epoch", "partition", partition, "err", err)
		}
		if err != nil || len(counts) == 0 {
			break
		}
		after = counts[len(counts)-1].NoticeID
	}
	if mark != lost {
		return nil
	}
	return h.begin(ctx, partition)
}
