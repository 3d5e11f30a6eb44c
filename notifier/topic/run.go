package topic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/internal/script"
)

// settleShare is the fraction of Options.Every after which a change made by another instance that has
// not arrived in Redis counts as lost.
const settleShare = 16

// Load reads the types, and updates the sets in Redis from SQL. An unavailable Redis is not an error: Run updates the
// sets once Redis is back.
func (t *Topics) Load(ctx context.Context) error {
	if err := t.refreshTypes(ctx); err != nil {
		return err
	}
	if err := t.load(ctx); err != nil {
		t.Suspect()
		t.o.Log.WarnContext(ctx, "could not load subscribers into redis; reading them from sql", "stage", "topic", "err", err)
	}
	return ctx.Err()
}

func (t *Topics) load(ctx context.Context) error {
	if err := scripts.Load(ctx, t.rdb); err != nil {
		return fmt.Errorf("load the topic scripts: %w", err)
	}
	due, err := t.due(ctx)
	if err != nil || !due {
		return err
	}
	return t.Sync(ctx)
}

// Run reloads types that another instance has changed, and repairs sets that differ from SQL, until
// ctx ends; then it returns nil. While Redis or SQL is unavailable it retries.
func (t *Topics) Run(ctx context.Context) error {
	return lease.Work{Stage: "topic", Every: t.o.Every, Wake: t.wake, Do: t.round, Log: t.o.Log}.Run(ctx)
}

func (t *Topics) round(ctx context.Context) error {
	return errors.Join(t.refreshTypes(ctx), t.keep(ctx))
}

// keep repairs the sets if necessary.
func (t *Topics) keep(ctx context.Context) error {
	due, err := t.due(ctx)
	if err != nil {
		t.broken.Add(1) // no revision shows a loss during the fault, so compare afterwards
		return err
	}
	if !due {
		return nil
	}
	if mine, err := t.o.Lease.Hold(ctx); err != nil || !mine {
		return err
	}
	defer lease.GiveUp(ctx, t.o.Lease)
	return t.Sync(ctx)
}

// due reports whether the sets must be compared with SQL.
func (t *Topics) due(ctx context.Context) (bool, error) {
	ms := t.o.Now().UnixMilli()
	t.compared.CompareAndSwap(0, ms) // at the start another instance may just have compared them
	if t.behind() || ms-t.compared.Load() >= t.o.Whole.Milliseconds() {
		return true, nil
	}
	now, at, err := t.stand(ctx)
	if err != nil || at == now || at == unseen {
		return at != now, err
	}
	// The change may still be in progress: check again a little later.
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

// stand returns the revisions of SQL and of Redis: unseen if Redis has lost it.
func (t *Topics) stand(ctx context.Context) (now, at int64, err error) {
	if now, err = t.readRevision(ctx); err != nil {
		return now, unseen, err
	}
	if at, err = t.revision(ctx); err != nil {
		return now, unseen, fmt.Errorf("read the revision of the subscribers: %w", err)
	}
	there, err := t.rdb.SIsMember(ctx, t.k.SubscriberIndex(), whole).Result()
	if err != nil {
		return now, unseen, fmt.Errorf("check the index of the subscribers: %w", script.MarkAway(err))
	}
	if !there {
		at = unseen
	}
	return now, at, nil
}
