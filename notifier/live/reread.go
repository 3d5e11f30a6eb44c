package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	calmPause   = 50 * time.Millisecond  // between calm batches, when there are few
	rereadRetry = 200 * time.Millisecond // wait after a Redis error
)

// run reads the queued badges, in batches, until ctx ends.
func (q *rereads) run(ctx context.Context) error {
	var calmFrom time.Time // zero: no calm batch so far
	failing := false
	for {
		users, rest := q.next(time.Until(calmFrom) <= 0)
		if len(users) == 0 {
			if !q.wait(ctx, calmFrom, rest) {
				return ctx.Err()
			}
			continue
		}
		if users[len(users)-1].p == calm {
			calmFrom = time.Now().Add(q.pace())
		}
		err := q.read(ctx, users)
		if err != nil && !failing {
			q.hub.cfg.Log.WarnContext(ctx, "could not read badges; retrying", "stage", "live", "err", err)
		}
		if failing != (err != nil) {
			failing = err != nil
			q.hub.outage.change(q.hub.cfg.Now(), func() { q.hub.outage.unread = failing })
		}
		if failing && !pause(ctx, rereadRetry) {
			return ctx.Err()
		}
	}
}

// wait returns when there may be work to do; false when ctx has ended.
func (q *rereads) wait(ctx context.Context, calmFrom time.Time, rest bool) bool {
	var due <-chan time.Time
	if rest {
		t := time.NewTimer(time.Until(calmFrom))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-ctx.Done():
		return false
	case <-q.wake:
	case <-due:
	}
	return true
}

func (q *rereads) pace() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return min(calmPause, spread*batch/time.Duration(q.most+batch))
}

// read reads one batch of badges and releases the requests that waited for them. After an error all
// users are queued again.
func (q *rereads) read(ctx context.Context, users []asked) error {
	readers := make([]notifier.Reader, len(users))
	for i, a := range users {
		readers[i] = a.who
	}
	rctx, cancel := context.WithTimeout(ctx, joinTimeout)
	badges, err := q.hub.cfg.Badges.Badges(rctx, readers)
	cancel()
	if err == nil && len(badges) != len(users) {
		err = fmt.Errorf("%d badges for %d users", len(badges), len(users))
	}
	for i, a := range users {
		s := q.hub.shard(a.u.seq)
		s.mu.Lock()
		switch {
		case err != nil:
			q.add(a.u, max(a.p, a.u.haste()))
		case a.u.hears(a.who.Audience): // otherwise they were moved meanwhile, and are read again
			a.u.hold(badges[i], a.held)
			a.u.settle(a.gen)
		}
		s.mu.Unlock()
	}
	if err == nil {
		q.hub.stats.rereads.Add(int64(len(users)))
	}
	return err
}

// priority is how urgently a user's badge must be read.
type priority uint8

const (
	unqueued priority = iota
	calm              // together with all others, over the time of spread
	soon              // the badge is out of date: batches without pauses
	urgent            // a Serve call waits for it
)

// rereads is the queue of users whose badge is to be read from Redis, and the one reader that
// empties it in batches.
type rereads struct {
	hub     *Hub
	mu      sync.Mutex
	waiting [urgent + 1][]*user // by priority
	most    int                 // longest calm queue since it was last empty; sets the pace
	wake    chan struct{}
}

// add queues u, or raises its priority. The caller holds the lock of the user's shard.
func (q *rereads) add(u *user, p priority) {
	if u.queued >= p {
		return
	}
	u.queued = p
	q.mu.Lock()
	q.waiting[p] = append(q.waiting[p], u)
	q.most = max(q.most, len(q.waiting[calm]))
	q.mu.Unlock()
	signal(q.wake)
}

// asked is a user in a batch, with the badge cached when the read was requested.
type asked struct {
	u    *user
	who  notifier.Reader
	p    priority
	gen  uint32
	held notifier.Badge
}

// next returns the next batch: urgent users first, then soon, then calm ones if calmToo is set. rest reports
// whether calm users are left.
func (q *rereads) next(calmToo bool) (out []asked, rest bool) {
	var users []*user
	q.mu.Lock()
	for p := urgent; p > unqueued; p-- {
		if p > calm || calmToo {
			users = append(users, cut(&q.waiting[p], batch-len(users))...)
		}
	}
	if rest = len(q.waiting[calm]) > 0; !rest {
		q.most = 0
	}
	q.mu.Unlock()
	for _, u := range users {
		s := q.hub.shard(u.seq)
		s.mu.Lock()
		if u.queued != unqueued && !u.unsure { // otherwise an earlier batch had the user, or joins will queue them again
			who := notifier.Reader{Seq: u.seq, Audience: u.audience}
			out = append(out, asked{u: u, who: who, p: u.queued, gen: u.gen, held: u.badge})
		}
		u.queued = unqueued
		s.mu.Unlock()
	}
	return out, rest
}

// cut removes up to n users from the front of a queue.
func cut(queue *[]*user, n int) []*user {
	n = min(n, len(*queue))
	head := (*queue)[:n:n]
	if *queue = (*queue)[n:]; len(*queue) == 0 {
		*queue = nil
	}
	return head
}
