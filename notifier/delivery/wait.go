package delivery

import (
	"context"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	firstPause = 5 * time.Millisecond // between two checks of SQL, because another instance may do the work
	maxPause   = 250 * time.Millisecond
)

// waiting contains the callers that wait for a notice to be finished on this instance.
type waiting struct {
	mu sync.Mutex
	of map[int64][]chan struct{}
}

// join returns a channel that receives when the notice is finished here. Call leave afterwards.
func (w *waiting) join(id int64) (done <-chan struct{}, leave func()) {
	told := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of[id] = append(w.of[id], told)
	return told, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.of, id) // if two callers wait for one notice, the other falls back to SQL
	}
}

// notify signals that a notice has reached a final state.
func (w *waiting) notify(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, told := range w.of[id] {
		select {
		case told <- struct{}{}:
		default:
		}
	}
}

// Join returns a channel that receives when the notice is finished on this instance. Call leave
// afterwards.
func (w *Worker) Join(id int64) (done <-chan struct{}, leave func()) { return w.awaited.join(id) }

// Await waits until n is finished, for at most Config.Wait and only while Redis is available, and
// updates its state. The result comes from SQL, whichever instance does the work.
func (w *Worker) Await(ctx context.Context, n *notifier.Notice, done <-chan struct{}) {
	if w.c.Wait <= 0 || w.Unavailable() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, w.c.Wait)
	defer cancel()
	pause := firstPause
	look := time.NewTimer(pause)
	defer look.Stop()
	for {
		select {
		case <-done:
		case <-look.C:
			pause = min(2*pause, maxPause)
			look.Reset(pause)
		case <-ctx.Done():
			return
		}
		now, err := w.c.Store.Notice(ctx, n.ID)
		if err != nil {
			return // the notice is accepted, which is enough
		}
		if n.State, n.Done = now.State, now.Done; finished(n.State) || w.Unavailable() {
			return
		}
	}
}

func finished(s notifier.State) bool {
	return s == notifier.StateSent || s == notifier.StateRetracted
}
