package live

import (
	"context"
	"sync"
	"time"
)

// merger flushes users whose changes arrived too fast to be written one by one. A single change never waits for
// it.
type merger struct {
	hub   *Hub
	mu    sync.Mutex
	users []*user
	wake  chan struct{}
}

func (m *merger) add(u *user) {
	m.mu.Lock()
	m.users = append(m.users, u)
	m.mu.Unlock()
	signal(m.wake)
}

func (m *merger) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-m.wake:
		}
		if !pause(ctx, m.hub.lim.Merge) {
			return ctx.Err()
		}
		m.mu.Lock()
		due := m.users
		m.users = nil
		m.mu.Unlock()
		for _, u := range due {
			s := m.hub.shard(u.seq)
			s.mu.Lock()
			u.merging = false
			u.flush()
			s.mu.Unlock()
		}
	}
}

// signal wakes the goroutine that waits on c, now or later.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// pause waits for d. It returns false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
