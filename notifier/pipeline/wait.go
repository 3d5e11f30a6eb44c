package pipeline

import (
	"context"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	firstPause = 5 * time.Millisecond // between two looks at SQL, for what another instance does
	maxPause   = 250 * time.Millisecond
)

// waiting is who waits for which notice to be done on this instance.
type waiting struct {
	mu sync.Mutex
	of map[int64][]chan struct{}
}

// join returns what is told when the notice is done here. leave must be called.
func (w *waiting) join(id int64) (done <-chan struct{}, leave func()) {
	told := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.of[id] = append(w.of[id], told)
	return told, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.of, id) // of two who wait for one the other looks at SQL
	}
}

// tell says that a notice has come to an end, whichever.
func (w *waiting) tell(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, told := range w.of[id] {
		select {
		case told <- struct{}{}:
		default:
		}
	}
}

// await waits until n is finished, for Config.Wait at most and only while Redis is
// there, and brings its state up to date. Whoever does it, SQL is what says so.
func (p *Pipeline) await(ctx context.Context, n *notifier.Notice, done <-chan struct{}) {
	if p.c.Wait <= 0 || p.redisAway() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.c.Wait)
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
		now, err := p.c.Store.Notice(ctx, n.ID)
		if err != nil {
			return // it is accepted, and that is what counts
		}
		if n.State, n.Done = now.State, now.Done; finished(n.State) || p.redisAway() {
			return
		}
	}
}

func finished(s notifier.State) bool {
	return s == notifier.StateSent || s == notifier.StateRetracted
}
