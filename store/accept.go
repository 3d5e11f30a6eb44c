package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// maxBatch is how many notices one commit takes at most.
	maxBatch = 500
	// maxWaiting is how many notices wait for the next commits; more are
	// refused, so that senders slow down.
	maxWaiting = 10_000
)

// Accept stores a notice and sets its ID. Once it returns nil the notice is on
// disk. It sets State to accepted and CreatedAt to now where they are empty, and
// cuts both times to the millisecond that is stored. After an error the notice
// is not stored, unless the context ended while the database was at it.
//
// Notices that are accepted at the same time share a commit: what waits for the
// disk is gathered, not queued.
func (s *Store) Accept(ctx context.Context, n *notifier.Notice) error {
	target, err := json.Marshal(n.Target)
	if err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	if n.State == "" {
		n.State = notifier.StateAccepted
	}
	if n.CreatedAt.IsZero() {
		n.CreatedAt = s.now()
	}
	n.CreatedAt, n.ExpiresAt = fromMillis(millis(n.CreatedAt)), fromMillis(millis(n.ExpiresAt))
	if err := ctx.Err(); err != nil {
		return s.fail(err, "accept a notice")
	}
	row := noticeRow{Notice: *n, target: string(target), search: searchable(n.Title, n.Sender)}
	row.deadline, _ = ctx.Deadline()
	w := &waiting{noticeRow: row, done: make(chan struct{})}
	if err := s.accepts.add(w, s.commit); err != nil {
		return s.fail(err, "accept a notice")
	}
	select {
	case <-w.done:
	case <-ctx.Done():
		s.accepts.remove(w)
		return s.fail(ctx.Err(), "accept a notice")
	}
	n.ID = w.id
	return s.fail(w.err, "accept a notice")
}

// commit stores a batch and tells those who wait. The batch has as long as the
// most patient of them.
func (s *Store) commit(batch []*waiting) {
	rows := make([]noticeRow, len(batch))
	limit := time.Time{}
	for i, w := range batch {
		rows[i] = w.noticeRow
		patience := w.deadline
		if patience.IsZero() {
			patience = time.Now().Add(lockWait)
		}
		if patience.After(limit) {
			limit = patience
		}
	}
	ctx, cancel := context.WithDeadline(context.Background(), limit)
	defer cancel()
	ids, err := s.dialect.addNotices(ctx, s, rows)
	if err != nil && len(batch) > 1 && s.dialect.fault(err) == faultOther && ctx.Err() == nil {
		// One of them is to blame: the others are stored without it.
		for _, w := range batch {
			s.commit([]*waiting{w})
		}
		return
	}
	for i, w := range batch {
		if w.err = err; err == nil {
			w.id = ids[i]
		}
		close(w.done)
	}
}

// searchable is what a search of notices looks through.
func searchable(title, sender string) string { return fold(title + "\n" + sender) }

// noticeRow is a notice as it is stored.
type noticeRow struct {
	notifier.Notice
	target   string
	search   string
	deadline time.Time // when its sender stops waiting; zero: never
}

// waiting is a notice on its way to the disk. done is closed when id or err is set.
type waiting struct {
	noticeRow
	done chan struct{}
	id   int64
	err  error
}

// acceptQueue gathers notices while a commit is under way. A goroutine commits
// as long as there are any; close waits for it.
type acceptQueue struct {
	mu      sync.Mutex
	waiting []*waiting
	running bool
	closed  bool
	worker  sync.WaitGroup
}

func (q *acceptQueue) add(w *waiting, commit func([]*waiting)) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return fmt.Errorf("%w: the store is closed", notifier.ErrUnavailable)
	}
	if len(q.waiting) == maxWaiting {
		return fmt.Errorf("%w: %d notices wait to be stored", notifier.ErrUnavailable, maxWaiting)
	}
	q.waiting = append(q.waiting, w)
	if !q.running {
		q.running = true
		q.worker.Go(func() { q.run(commit) })
	}
	return nil
}

// run does not wait for company: whatever came during one commit is the next.
func (q *acceptQueue) run(commit func([]*waiting)) {
	for {
		q.mu.Lock()
		n := min(len(q.waiting), maxBatch)
		if n == 0 {
			q.running = false
			q.mu.Unlock()
			return
		}
		batch := slices.Clone(q.waiting[:n])
		q.waiting = slices.Delete(q.waiting, 0, n)
		q.mu.Unlock()
		commit(batch)
	}
}

// remove takes out a notice whose sender has left. One that is in a commit
// already stays there.
func (q *acceptQueue) remove(w *waiting) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, w); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
	}
}

func (q *acceptQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.worker.Wait()
}
