package epoch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"
)

const (
	// pageSize is how many inboxes, or counts, are looked at in one step.
	pageSize = 500
	// resendMost is how far back notices are sent again: inboxes remember for 7 days
	// what left them, and what left them before would come back.
	resendMost = 6 * 24 * time.Hour
)

var (
	errLease  = errors.New("another instance has begun to heal")
	errMoving = errors.New("a partition is just moving to another master")
)

// healing is one try to put back what Redis has lost.
type healing struct {
	*Guard
	sick
	seen     view
	began    time.Time
	held     time.Time     // when the lease was lengthened last
	empty    bool          // SQL has no inbox: Redis can lack none
	above    map[int]int64 // by partition with a mark: versions up to this are not missing
	warm     []int         // partitions without a mark that have inboxes in Redis
	restored int
	erased   int
	refused  int
}

// heal puts back what may be missing. Its order is what makes it safe to end anywhere:
// whatever says that all is well is written last, and every step may be repeated.
//
//  1. When SQL had everything is read before anything can make that later.
//  2. Inboxes that are older than SQL's are replaced, counts raised, and the inboxes
//     of users that were deleted since erased.
//  3. Notices of that time and since go through the intake again.
//  4. The marks are set, over connections that were seen to be of the same life.
//  5. The lives are listed in SQL, which opens the gates of all instances.
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
	if g.c.Lease != nil {
		mine, err := g.c.Lease.Hold(ctx)
		if err != nil {
			return unavailable("heal redis", err)
		}
		if !mine {
			return nil
		}
		defer g.release(ctx)
		h.held = h.began
	}
	if err := h.do(ctx); err != nil {
		return fmt.Errorf("heal redis: %w", err)
	}
	level := slog.LevelInfo
	if h.empty && h.erased == 0 { // a first start is no news
		level = slog.LevelDebug
	}
	g.c.Log.Log(
		ctx, level, "redis has what sql has", "stage", "epoch", "partitions", len(h.marks), "lives", len(h.lives),
		"restored", h.restored, "erased", h.erased, "refused", h.refused, "duration", g.c.Now().Sub(h.began),
	)
	return nil
}

func (h *healing) do(ctx context.Context) error {
	var since time.Time
	err := h.step(ctx, func(ctx context.Context) (err error) {
		since, err = h.c.Store.Flushed(ctx, h.c.Parts)
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
			return fmt.Errorf("send again what came since %s: %w", since.Format(time.RFC3339), err)
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

// restore puts back inboxes and counts, where SQL has any, and takes out those of users
// that it has no more.
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
