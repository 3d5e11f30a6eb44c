package live

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// links distributes users over Pub/Sub connections.
type links struct {
	hub  *Hub
	mu   sync.Mutex
	all  []*link
	wake chan struct{} // signals that there may be a link that is not running
}

// join gives u a link with room and subscribes to the user's channel. The caller holds the lock of
// u's shard, which keeps joins and leaves of one user in order.
func (ls *links) join(u *user) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for _, l := range ls.all {
		if l.size < ls.hub.lim.Channels {
			u.link = l
			break
		}
	}
	fresh := u.link == nil
	if fresh {
		u.link = &link{hub: ls.hub, wake: make(chan struct{}, 1)}
		ls.all = append(ls.all, u.link)
	}
	u.link.size++
	// A link subscribes to all its users when it connects and then sends the operations pushed since. Its first
	// user is pushed before it starts; otherwise that user would be subscribed and read twice.
	u.link.push(op{seq: u.seq, join: true})
	if fresh {
		signal(ls.wake)
	}
}

// leave unsubscribes from the channel of a forgotten user. The caller holds the lock of the user's
// shard.
func (ls *links) leave(u *user) {
	ls.mu.Lock()
	u.link.size--
	ls.mu.Unlock()
	u.link.push(op{seq: u.seq})
}

// run runs all links, including those added later. Links are never removed, and the first exists from the
// start, so that a Redis that refuses subscriptions is noticed before the first user connects.
func (ls *links) run(ctx context.Context) error {
	ls.mu.Lock()
	if len(ls.all) == 0 && len(ls.hub.audiences) > 0 {
		ls.all = append(ls.all, &link{hub: ls.hub, wake: make(chan struct{}, 1)})
	}
	ls.mu.Unlock()
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

// hear handles a message for a user of l or for an audience.
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
		apply = func(u *user) { u.apply(&c); h.heard(&c) }
	}
	if err != nil || !h.with(l, channel, apply) {
		h.stats.dropped.Add(1)
	}
}

// heard reports how long a change took. The version of an inbox is the time of its last change, or
// later if there were several within a millisecond.
func (h *Hub) heard(c *notifier.Change) {
	if h.cfg.Heard != nil {
		h.cfg.Heard(max(0, h.cfg.Now().Sub(time.UnixMilli(c.Ver))))
	}
}

// confirm is called when Redis has confirmed a subscription. From then on no change is missed, so
// the badge is read now.
func (h *Hub) confirm(l *link, channel string) {
	h.with(l, channel, func(u *user) {
		u.confirmed, u.fresh = true, false
		u.gen++
		h.queue.add(u, u.haste())
		if len(u.conns) > 0 { // signals may have been missed meanwhile
			h.checks.add(u)
		}
	})
}

// lost marks the users of l as out of date.
func (h *Hub) lost(l *link) {
	h.each(l, func(u *user) {
		u.confirmed, u.fresh = false, false
		u.gen++
	})
}

// wanted returns all subscriptions of l.
func (h *Hub) wanted(l *link) (ops []op) {
	h.each(l, func(u *user) { ops = append(ops, op{seq: u.seq, join: true}) })
	return ops
}

func (h *Hub) each(l *link, f func(*user)) {
	for i := range h.shards {
		s := &h.shards[i]
		s.mu.Lock()
		s.each(l, f)
		s.mu.Unlock()
	}
}

// each calls f for the shard's users on l. The caller holds the lock.
func (s *shard) each(l *link, f func(*user)) {
	for _, u := range s.users {
		if u.link == l {
			f(u)
		}
	}
}

// with calls f for the user of a channel, holding the shard's lock. It returns false if the user is not on this
// instance or is on another link.
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

// Unsubscribed returns why there is no subscription, if it has been missing for more than a moment.
func (h *Hub) Unsubscribed() error {
	h.links.mu.Lock()
	defer h.links.mu.Unlock()
	for _, l := range h.links.all {
		if f := l.fault.Load(); f != nil && h.cfg.Now().Sub(f.since) >= h.lim.Grace {
			return f.err
		}
	}
	return nil
}
