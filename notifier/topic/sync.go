package topic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

const (
	page  = 200 // topics compared at a time
	tries = 3   // how often subscriptions may change while all of them are compared
)

var errUnsteady = errors.New("subscriptions change faster than they can be compared")

// Sync compares all sets with SQL, and mends those that differ. Several may do so at
// once. While subscriptions change all the time it gives up; SQL answers until then.
func (t *Topics) Sync(ctx context.Context) error {
	if err := t.syncing.take(ctx); err != nil {
		return err
	}
	defer t.syncing.give()
	knew, force := t.broken.Load(), false
	for range tries {
		before, err := t.look(ctx)
		if err != nil {
			return err
		}
		later, err := t.compareAll(ctx, before, force)
		if err != nil {
			return err
		}
		after, err := t.look(ctx)
		switch {
		case err != nil:
			return err
		case after != before:
			force = false
			continue // what was read is of no one revision
		case later:
			force = true // SQL has never heard of what Redis has: it was put back to what it was once
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

// settle says that all sets are made of this revision. It is false when they seem to
// be made of a later one.
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

// compareAll brings all sets to what SQL says. With force those that are later are
// replaced too: then none of them counts until all are done, as a change on its way
// may be lost over it.
func (t *Topics) compareAll(ctx context.Context, revision int64, force bool) (later bool, err error) {
	if force {
		if err := t.rdb.Del(ctx, t.k.SubscriberRevision()).Err(); err != nil {
			return false, fmt.Errorf("forget the revision of the subscribers: %w", away(err))
		}
	}
	index, err := t.readIndex(ctx)
	if err != nil {
		return false, fmt.Errorf("read the index of the subscribers: %w", away(err))
	}
	for after := (notifier.Topic{}); ; {
		found, err := t.store.AllSubscribers(ctx, after, page)
		if err != nil {
			return false, fmt.Errorf("read all subscribers: %w", err)
		}
		// Before there is a set: nobody finds one that is not in the index.
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
	if err == nil && index.lost { // now it is whole
		err = t.rdb.SAdd(ctx, t.k.SubscriberIndex(), whole).Err()
	}
	if err != nil {
		return false, fmt.Errorf("write the index of the subscribers: %w", away(err))
	}
	return later || newer, nil
}
