package live

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	calmPause   = 50 * time.Millisecond  // between calm batches, when there are few
	rereadRetry = 200 * time.Millisecond // wait after an error of Redis
)

// run reads the queued badges, in batches, until ctx ends.
func (q *rereads) run(ctx context.Context) error {
	var calmFrom time.Time // zero: no calm batch so far
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
	return min(calmPause, q.hub.lim.Spread*batch/time.Duration(q.most+batch))
}

// read reads one batch of badges and releases the requests that waited for them. After an error all
// users are queued again.
func (q *rereads) read(ctx context.Context, users []asked) error {
	readers := make([]notifier.Reader, len(users))
	for i, a := range users {
		readers[i] = a.who
	}
	rctx, cancel := context.WithTimeout(ctx, q.hub.lim.JoinTimeout)
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
			q.add(a.u, a.p)
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
