package topic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

const (
	page  = 200 // topics compared at a time
	tries = 3   // attempts, as subscriptions may change during a comparison
)

var errUnsteady = errors.New("subscriptions change faster than they can be compared")

// Sync compares all sets with SQL and repairs those that differ. Several instances may do so concurrently. It returns
// an error if subscriptions change during every attempt; SQL serves reads until a later Sync succeeds.
func (t *Topics) Sync(ctx context.Context) error {
	if err := t.syncing.take(ctx); err != nil {
		return err
	}
	defer t.syncing.give()
	knew, force := t.broken.Load(), false
	for range tries {
		before, err := t.readRevision(ctx)
		if err != nil {
			return err
		}
		later, err := t.compareAll(ctx, before, force)
		if err != nil {
			return err
		}
		after, err := t.readRevision(ctx)
		switch {
		case err != nil:
			return err
		case after != before:
			force = false
			continue // SQL changed in the meantime: the sets have no common revision
		case later:
			force = true // Redis has changes that are not in SQL: SQL was restored to an earlier state
			continue
		}
		moved, err := t.settle(ctx, before, force)
		if err != nil {
			return err
		}
		if moved {
			t.mended.Store(knew)
			t.compared.Store(t.o.Now().UnixMilli())
			return nil
		}
		force = true
	}
	return errUnsteady
}

// settle records that all sets have this revision. It returns false if Redis has a later
// one.
func (t *Topics) settle(ctx context.Context, revision int64, force bool) (bool, error) {
	from := ""
	if force {
		from = anyRevision
	}
	moved, err := code(moveRevision.Run(ctx, t.rdb, []string{t.k.SubscriberRevision()}, revision, from))
	if err != nil {
		return false, fmt.Errorf("note the revision of the subscribers: %w", err)
	}
	return moved == 1, nil
}

// compareAll updates all sets from SQL and reports whether any was newer. With force it also replaces
// newer sets. Then no set may be used until all are done, because a change in progress may be lost in
// between, so the revision is deleted first.
func (t *Topics) compareAll(ctx context.Context, revision int64, force bool) (later bool, err error) {
	if force {
		if err := t.rdb.Del(ctx, t.k.SubscriberRevision()).Err(); err != nil {
			return false, fmt.Errorf("forget the revision of the subscribers: %w", script.MarkAway(err))
		}
	}
	index, err := t.readIndex(ctx)
	if err != nil {
		return false, fmt.Errorf("read the index of the subscribers: %w", script.MarkAway(err))
	}
	for after := (notifier.Topic{}); ; {
		found, err := t.store.AllSubscribers(ctx, after, page)
		if err != nil {
			return false, fmt.Errorf("read all subscribers: %w", err)
		}
		// Add it before the set exists, so that every set is in the index.
		if err := t.addToIndex(ctx, index, found); err != nil {
			return false, err
		}
		newer, err := t.compare(ctx, found, revision, force)
		if err != nil {
			return false, err
		}
		later = later || newer
		if len(found) < page {
			break
		}
		after = found[len(found)-1].Topic
	}
	newer, err := t.drop(ctx, slices.Collect(maps.Keys(index.strays)), revision, force)
	if err == nil && index.lost { // now the index is complete
		err = t.rdb.SAdd(ctx, t.k.SubscriberIndex(), whole).Err()
	}
	if err != nil {
		return false, fmt.Errorf("write the index of the subscribers: %w", script.MarkAway(err))
	}
	return later || newer, nil
}
