package topic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/internal/script"
)

// settleShare is which part of Options.Every a change of another instance is given to
// come through before it counts as lost.
const settleShare = 16

// Load reads the types, and brings the sets in Redis to what SQL says where they
// differ. Redis being away is no error: Run does it when it comes.
func (t *Topics) Load(ctx context.Context) error {
	if err := t.refreshTypes(ctx); err != nil {
		return err
	}
	if err := t.load(ctx); err != nil {
		t.Suspect()
		t.o.Log.WarnContext(ctx, "subscribers are read from sql for now", "stage", "topic", "err", err)
	}
	return ctx.Err()
}

func (t *Topics) load(ctx context.Context) error {
	err := script.Load(ctx, t.rdb, editSubscribers, claimSubscribers, replaceSubscribers, moveRevision)
	if err != nil {
		return fmt.Errorf("load the topic scripts: %w", away(err))
	}
	due, err := t.due(ctx)
	if err != nil || !due {
		return err
	}
	return t.Sync(ctx)
}

// runner is topics at work, and what they remember from one look to the next.
type runner struct {
	*Topics
	failing bool // the last round failed; logged when it changes
}

// Run knows types anew that another instance has changed, and repairs sets that are
// not what SQL says, until ctx ends; then it returns nil. While Redis or SQL is away it
// goes on trying.
func (t *Topics) Run(ctx context.Context) error {
	r := &runner{Topics: t}
	tick := time.NewTicker(t.o.Every)
	defer tick.Stop()
	wake := t.wake
	for {
		err := r.round(ctx)
		if r.note(ctx, err); err != nil {
			wake = nil // what fails now fails at once again
		}
		select {
		case <-tick.C:
			wake = t.wake
		case <-wake:
		case <-ctx.Done():
			return r.leave(ctx)
		}
	}
}

func (r *runner) round(ctx context.Context) error {
	return errors.Join(r.refreshTypes(ctx), r.keep(ctx))
}

// keep repairs the sets when they need it.
func (r *runner) keep(ctx context.Context) error {
	due, err := r.due(ctx)
	if err != nil {
		r.broken.Add(1) // what is lost meanwhile shows in no revision
		return err
	}
	if !due {
		return nil
	}
	if r.o.Lease != nil {
		if mine, err := r.o.Lease.Hold(ctx); err != nil || !mine {
			return err
		}
		defer func() { _ = r.release(ctx) }() // it lapses by itself
	}
	return r.Sync(ctx)
}

// due says whether the sets have to be compared with SQL.
func (t *Topics) due(ctx context.Context) (bool, error) {
	ms := t.o.Now().UnixMilli()
	t.compared.CompareAndSwap(0, ms) // at the start somebody may just have done it
	if t.behind() || ms-t.compared.Load() >= t.o.Whole.Milliseconds() {
		return true, nil
	}
	now, at, err := t.stand(ctx)
	if err != nil || at == now || at == unseen {
		return at != now, err
	}
	// It may be on its way.
	timer := time.NewTimer(t.o.Every / settleShare)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	now, later, err := t.stand(ctx)
	return later != now && later == at, err
}

// stand is the revision of SQL, and that of Redis; unseen where that has lost it.
func (t *Topics) stand(ctx context.Context) (now, at int64, err error) {
	if now, err = t.look(ctx); err != nil {
		return now, unseen, err
	}
	if at, err = t.revision(ctx); err != nil {
		return now, unseen, fmt.Errorf("read the revision of the subscribers: %w", err)
	}
	there, err := t.rdb.SIsMember(ctx, t.k.SubscriberIndex(), whole).Result()
	if err != nil {
		return now, unseen, fmt.Errorf("look at the index of the subscribers: %w", away(err))
	}
	if !there {
		at = unseen
	}
	return now, at, nil
}

// note logs that the rounds began to fail, or work again.
func (r *runner) note(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		return
	case err != nil && !r.failing:
		r.o.Log.WarnContext(ctx, "topics are not kept up to date", "stage", "topic", "err", err)
	case err == nil && r.failing:
		r.o.Log.InfoContext(ctx, "topics are kept up to date again", "stage", "topic")
	}
	r.failing = err != nil
}

// leave gives the lease back, so that nobody need wait for it.
func (r *runner) leave(ctx context.Context) error {
	if r.o.Lease == nil {
		return nil
	}
	if err := r.release(ctx); err != nil && !r.failing {
		r.o.Log.WarnContext(ctx, "topic lease not released", "stage", "topic", "err", err)
	}
	return nil
}

func (r *runner) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return r.o.Lease.Release(ctx)
}
