package live

import (
	"sync"

	"github.com/carillonhq/carillon/notifier"
)

// priority says how a user waits for his badge to be read.
type priority uint8

const (
	unqueued priority = iota
	calm              // with all others, spread over Limits.Spread
	urgent            // a Serve waits for it
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
