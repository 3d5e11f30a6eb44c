package live

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// priority says how a user waits for his badge to be read.
type priority uint8

const (
	unqueued priority = iota
	calm              // with all others, spread over Limits.Spread
	urgent            // a Serve waits for it
)

const (
	calmPause   = 50 * time.Millisecond  // between unhurried batches, when there are few
	rereadRetry = 200 * time.Millisecond // after Redis did not answer
)

// rereads is the queue of users whose badge is to be read from Redis, and the
// one reader that empties it in batches.
type rereads struct {
	hub    *Hub
	mu     sync.Mutex
	urgent []*user
	calm   []*user
	most   int // calm users at once since there were none: sets the pace
	wake   chan struct{}
}

// add queues u, or moves him up. The caller holds his shard's lock.
func (q *rereads) add(u *user, p priority) {
	if u.queued >= p {
		return
	}
	u.queued = p
	q.mu.Lock()
	if p == urgent {
		q.urgent = append(q.urgent, u)
	} else {
		q.calm = append(q.calm, u)
		q.most = max(q.most, len(q.calm))
	}
	q.mu.Unlock()
	signal(q.wake)
}

func (q *rereads) run(ctx context.Context) error {
	var calmFrom time.Time // no calm batch before
	failing := false
	for {
		users, rest := q.take(time.Until(calmFrom) <= 0)
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
			q.hub.cfg.Log.WarnContext(ctx, "badges not read, trying on", "stage", "live", "err", err)
		}
		failing = err != nil
		if failing && !pause(ctx, rereadRetry) {
			return ctx.Err()
		}
	}
}

// wait returns when there may be something to do; false when ctx ended.
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
	return min(calmPause, q.hub.lim.Spread*batch/time.Duration(q.most+batch))
}

// asked is a user in a batch, and what was held of him when it was asked for.
type asked struct {
	u    *user
	p    priority
	gen  uint32
	held notifier.Badge
}

// take returns the next batch: urgent users, and calm ones when it is their
// time. rest says that calm users are left.
func (q *rereads) take(calmToo bool) (out []asked, rest bool) {
	q.mu.Lock()
	users := cut(&q.urgent, batch)
	hurried := len(users)
	if calmToo {
		users = append(users, cut(&q.calm, batch-hurried)...)
	}
	if rest = len(q.calm) > 0; !rest {
		q.most = 0
	}
	q.mu.Unlock()
	for i, u := range users {
		s := q.hub.shard(u.seq)
		s.mu.Lock()
		if u.queued != unqueued { // else an urgent batch had him already
			u.queued = unqueued
			a := asked{u: u, p: urgent, gen: u.gen, held: u.badge}
			if i >= hurried {
				a.p = calm
			}
			out = append(out, a)
		}
		s.mu.Unlock()
	}
	return out, rest
}

// cut takes up to n users from the front of a queue.
func cut(queue *[]*user, n int) []*user {
	n = min(n, len(*queue))
	head := (*queue)[:n:n]
	if *queue = (*queue)[n:]; len(*queue) == 0 {
		*queue = nil
	}
	return head
}

// read asks for one batch and lets those go on who waited for it. After an
// error all are queued again.
func (q *rereads) read(ctx context.Context, users []asked) error {
	seqs := make([]int64, len(users))
	for i, a := range users {
		seqs[i] = a.u.seq
	}
	rctx, cancel := context.WithTimeout(ctx, q.hub.lim.JoinTimeout)
	badges, err := q.hub.cfg.Badges.Badges(rctx, seqs)
	cancel()
	if err == nil && len(badges) != len(users) {
		err = fmt.Errorf("%d badges of %d users", len(badges), len(users))
	}
	for i, a := range users {
		s := q.hub.shard(a.u.seq)
		s.mu.Lock()
		if err != nil {
			q.add(a.u, a.p)
		} else {
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

// settle makes u fresh when the subscription stood all the while since gen.
func (u *user) settle(gen uint32) {
	if !u.confirmed || u.gen != gen {
		return // the confirmation to come, or one that came, asks again
	}
	u.fresh = true
	if u.ready != nil {
		close(u.ready)
		u.ready = nil
	}
}
