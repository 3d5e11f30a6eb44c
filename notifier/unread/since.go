package unread

import (
	"context"
	"fmt"
	"time"
)

// markEvery is how often SQL is told until when it has everything.
const markEvery = 30 * time.Second

// since is what a round that writes everything stands for.
type since struct {
	until time.Time
	life  string
}

// begin looks, before a round, until when SQL will have everything once it is over;
// nil: that cannot be said now. Whatever comes into an inbox after this is on its
// way now, or accepted later.
func (g *group) begin(ctx context.Context) (*since, error) {
	s := &since{until: g.f.c.Now()}
	var whole bool
	var err error
	if s.life, whole, err = g.f.c.Inbox.Life(ctx, g.first, groupSize); err != nil || !whole {
		return nil, err
	}
	if g.f.c.Oldest == nil {
		return s, nil
	}
	oldest, some, err := g.f.c.Oldest(ctx)
	switch {
	case err != nil:
		return nil, fmt.Errorf("look for what is on its way: %w", err)
	case some && oldest.IsZero():
		return nil, nil
	case some && oldest.Before(s.until):
		s.until = oldest
	}
	return s, nil
}

// note tells SQL, when Redis has led the same life all the while: what it lost during
// the round was not written.
func (g *group) note(ctx context.Context, s *since) error {
	life, whole, err := g.f.c.Inbox.Life(ctx, g.first, groupSize)
	if err != nil || !whole || life != s.life {
		return err
	}
	if err = g.f.c.Store.SetFlushed(ctx, map[int]time.Time{g.first / groupSize: s.until}); err != nil {
		return fmt.Errorf("note until when everything is written: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.marked = g.f.c.Now()
	return nil
}
