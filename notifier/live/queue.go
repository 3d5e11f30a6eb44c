package live

import (
	"sync"

	"github.com/carillonhq/carillon/notifier"
)

// priority is how urgently a user's badge is to be read.
type priority uint8

const (
	unqueued priority = iota
	calm              // spread with all others over Limits.Spread
	soon              // the badge is known to be old: one batch right after the other
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

// asked is a user in a batch, with the badge held when it was asked for.
type asked struct {
	u    *user
	who  notifier.Reader
	p    priority
	gen  uint32
	held notifier.Badge
}

// take returns the next batch: first urgent users, then those wanted soon, then calm ones if
// calmToo is set. rest reports whether calm users are left.
func (q *rereads) take(calmToo bool) (out []asked, rest bool) {
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
		if u.queued != unqueued && !u.unsure { // otherwise an earlier batch had the user, or joins queues the user again
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
