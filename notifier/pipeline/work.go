package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// result is how the work on one notice ended.
type result struct {
	id    int64
	err   error // nil also when there was nothing to do
	idle  bool  // another instance is at it
	moved bool  // its state was changed meanwhile: there may be other work to do on it
	away  bool  // it failed, and Redis does not answer
}

// work finishes one notice under its lease.
func (p *Pipeline) work(ctx context.Context, id int64) result {
	l := p.lease("notice:"+strconv.FormatInt(id, 10), p.c.Lease)
	mine, err := l.Hold(ctx)
	if err == nil && !mine {
		return result{id: id, idle: true}
	}
	if err == nil {
		err = p.workHeld(ctx, id, l)
	}
	switch {
	case err == nil:
		return result{id: id}
	case errors.Is(err, errMoved):
		return result{id: id, moved: true}
	case errors.Is(err, errLost):
		return result{id: id, idle: true}
	}
	return result{id: id, err: err, away: p.c.Redis.Ping(ctx).Err() != nil}
}

// workHeld reads the notice only now: who held the lease before may have
// finished it.
func (p *Pipeline) workHeld(ctx context.Context, id int64, l *Lease) error {
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if err := l.Release(ctx); err != nil { // it lapses by itself
			p.c.Log.DebugContext(ctx, "lease not released", "stage", "dispatch", "notice_id", id, "err", err)
		}
	}()
	n, err := p.c.Store.Notice(ctx, id)
	if err != nil {
		return fmt.Errorf("read notice %d: %w", id, err)
	}
	return p.finish(ctx, &n, l)
}

// size is how much work a notice is. One whose recipients nobody has settled
// may be anything, unless it names them.
func (p *Pipeline) size(ctx context.Context, id int64) (int64, error) {
	n, err := p.c.Store.Notice(ctx, id)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, err
	case n.Routed:
		return n.Recipients, nil
	case n.Target.Role != "":
		return math.MaxInt64, nil
	}
	return int64(len(n.Target.Users)), nil
}
