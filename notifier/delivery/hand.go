package delivery

import (
	"context"
	"sync"
	"time"
)

// hand records the jobs that this process is working on, so that their claims do not expire.
type hand struct {
	mu    sync.Mutex
	since map[*job]time.Time // when each claim was made or last renewed
}

func (h *hand) take(j *job, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since[j] = now
}

func (h *hand) drop(jobs ...*job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, j := range jobs {
		delete(h.since, j)
	}
}

// before returns the notices and rows of work whose claims were last renewed before then, and marks them
// as renewed now.
func (h *hand) before(then, now time.Time) (notices, work []int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for j, since := range h.since {
		switch {
		case !since.Before(then):
			continue
		case j.ID > 0:
			work = append(work, j.ID)
		default:
			notices = append(notices, j.NoticeID)
		}
		h.since[j] = now
	}
	return notices, work
}

// renewAll renews the claims on long-running jobs until ctx ends.
func (w *Worker) renewAll(ctx context.Context) {
	tick := time.NewTicker(w.c.Claim / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		now := w.c.Now()
		notices, work := w.hand.before(now.Add(-w.c.Claim/4), now)
		if len(notices)+len(work) == 0 {
			continue
		}
		if err := w.c.Store.Renew(ctx, w.claimed(), notices, work); err != nil && ctx.Err() == nil {
			w.c.Log.DebugContext(ctx, "claims not renewed", "stage", "intake", "notices", len(notices), "err", err)
		}
	}
}
