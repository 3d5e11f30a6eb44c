package ask

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxOpen  = 500         // open questions that an instance keeps; the newest are kept
	openWait = time.Second // for SQL, before a page is shown with what was known earlier
)

// open are the newest open questions of the installation, as they were at a time. Pages need them at each visit, and most
// installations have few.
type open struct {
	reading sync.Mutex
	at      time.Time // of the last attempt; guarded by reading
	asks    atomic.Pointer[[]notifier.OpenAsk]
}

// OpenFor returns the open questions that a user was asked, newest first, as they were at most Config.Watch ago, or longer while
// SQL does not answer. The user may have answered them.
func (a *Asks) OpenFor(ctx context.Context, seq int64) []notifier.OpenAsk {
	if a.open.reading.TryLock() { // or another caller is reading
		if time.Since(a.open.at) >= a.c.Watch {
			a.readOpen(ctx)
		}
		a.open.reading.Unlock()
	}
	asks := a.open.asks.Load()
	if asks == nil {
		return nil
	}
	var found []notifier.OpenAsk
	for _, q := range *asks {
		if q.Asks(seq) {
			found = append(found, q)
		}
	}
	return found
}

// readOpen reads the ids of the open questions, and the rest of those that are new.
func (a *Asks) readOpen(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openWait) // others need it as well
	defer cancel()
	asks, err := a.nowOpen(ctx)
	if err != nil {
		a.c.Log.WarnContext(ctx, "open questions are shown as they were", "err", err)
	} else {
		a.open.asks.Store(&asks)
	}
	a.open.at = time.Now()
}

func (a *Asks) nowOpen(ctx context.Context) ([]notifier.OpenAsk, error) {
	ids, err := a.c.Store.OpenAsks(ctx, maxOpen)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	known := map[int64]notifier.OpenAsk{}
	if asks := a.open.asks.Load(); asks != nil {
		for _, q := range *asks {
			known[q.ID] = q
		}
	}
	unknown := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { _, ok := known[id]; return ok })
	asked, err := a.c.Store.AskedIn(ctx, unknown)
	if err != nil {
		return nil, err
	}
	for _, q := range asked {
		known[q.ID] = q
	}
	asks := make([]notifier.OpenAsk, 0, len(ids))
	for _, id := range ids {
		if q, ok := known[id]; ok {
			asks = append(asks, q)
		}
	}
	return asks, nil
}
