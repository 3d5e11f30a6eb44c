package live

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/carillonhq/carillon/notifier"
)

// links spreads users over Pub/Sub connections.
type links struct {
	hub  *Hub
	mu   sync.Mutex
	all  []*link
	wake chan struct{} // there may be a link that is not running
}

// join gives u a link with room and has his channel subscribed. The caller
// holds u's shard's lock, so that the order of joins and leaves is his.
func (ls *links) join(u *user) {
	ls.mu.Lock()
	for _, l := range ls.all {
		if l.size < ls.hub.lim.Channels {
			u.link = l
			break
		}
	}
	if u.link == nil {
		u.link = &link{hub: ls.hub, wake: make(chan struct{}, 1)}
		ls.all = append(ls.all, u.link)
		signal(ls.wake)
	}
	u.link.size++
	ls.mu.Unlock()
	u.link.push(op{seq: u.seq, join: true})
}

// leave has the channel of a forgotten user unsubscribed. The caller holds the
// shard's lock.
func (ls *links) leave(u *user) {
	ls.mu.Lock()
	u.link.size--
	ls.mu.Unlock()
	u.link.push(op{seq: u.seq})
}

// run runs every link there is and will be. A link stays once it was needed.
func (ls *links) run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	started := 0
	for {
		ls.mu.Lock()
		fresh := ls.all[started:]
		started = len(ls.all)
		ls.mu.Unlock()
		for _, l := range fresh {
			wg.Go(func() { l.run(ctx) })
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ls.wake:
		}
	}
}

// hear passes on what was published for a user of l, or for an audience.
func (h *Hub) hear(l *link, channel, text string) {
	if a, ok := h.audiences[channel]; ok {
		h.turn(l, a, text)
		return
	}
	var apply func(*user)
	var err error
	switch {
	case notifier.IsSignal(text):
		var s notifier.Signal
		s, err = notifier.ParseSignal(text)
		apply = func(u *user) { u.signal(s) }
	case notifier.IsMarks(text):
		var m notifier.Marks
		m, err = notifier.ParseMarks(text)
		apply = func(u *user) { u.mark(&m) }
	default:
		var c notifier.Change
		c, err = notifier.ParseChange(text)
		apply = func(u *user) { u.take(&c) }
	}
	if err != nil || !h.with(l, channel, apply) {
		h.stats.dropped.Add(1)
	}
}

// confirm is called when Redis has confirmed a subscription: from here on no
// change is missed, so the badge is read now.
func (h *Hub) confirm(l *link, channel string) {
	h.with(l, channel, func(u *user) {
		u.confirmed, u.fresh = true, false
		u.gen++
		p := calm
		if u.ready != nil {
			p = urgent
		}
		h.queue.add(u, p)
	})
}

// lost marks the users of l: what is held of them may be old.
func (h *Hub) lost(l *link) {
	h.each(l, func(u *user) {
		u.confirmed, u.fresh = false, false
		u.gen++
	})
}

// wanted is all that l should be subscribed to.
func (h *Hub) wanted(l *link) (ops []op) {
	h.each(l, func(u *user) { ops = append(ops, op{seq: u.seq, join: true}) })
	return ops
}

func (h *Hub) each(l *link, f func(*user)) {
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		for _, u := range s.users {
			if u.link == l {
				f(u)
			}
		}
		s.mu.Unlock()
	}
}

// with calls f for the user of a channel, under his lock; false when he is not
// held, or is on another link.
func (h *Hub) with(l *link, channel string, f func(*user)) bool {
	seq, err := strconv.ParseInt(strings.TrimPrefix(channel, h.prefix), 10, 64)
	if err != nil || seq < 1 {
		return false
	}
	s := h.shard(seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.users[seq]
	if u == nil || u.link != l {
		return false
	}
	f(u)
	return true
}
