package delivery

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// cached is the number of large notices whose recipients an instance keeps in memory.
const cached = 16

// cache contains the recipients of notices that are processed range by range, most recently used
// first. Resolved recipients never change.
type cache struct {
	mu    sync.Mutex
	items []cacheItem
}

type cacheItem struct {
	id int64
	to *roaring.Bitmap
}

func (c *cache) get(id int64) *roaring.Bitmap {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.find(id)
	if i < 0 {
		return nil
	}
	item := c.items[i]
	c.items = slices.Insert(slices.Delete(c.items, i, i+1), 0, item)
	return item.to
}

func (c *cache) put(id int64, to *roaring.Bitmap) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.find(id) < 0 {
		c.items = slices.Insert(c.items[:min(len(c.items), cached-1)], 0, cacheItem{id: id, to: to})
	}
}

func (c *cache) find(id int64) int {
	return slices.IndexFunc(c.items, func(item cacheItem) bool { return item.id == id })
}

// recipients returns the recipients of a notice, and resolves them if necessary. A retracted notice
// gets no recipients.
func (w *Worker) recipients(ctx context.Context, n *notifier.Notice) (*roaring.Bitmap, error) {
	if to := w.cache.get(n.ID); to != nil {
		return to, nil
	}
	to, err := w.settled(ctx, n)
	if err != nil {
		return nil, err
	}
	if w.large(to) {
		w.cache.put(n.ID, to)
	}
	return to, nil
}

// large reports whether there are more recipients than one step processes.
func (w *Worker) large(to *roaring.Bitmap) bool {
	return to.GetCardinality() > uint64(max(w.c.Chunk, 0))
}

func (w *Worker) settled(ctx context.Context, n *notifier.Notice) (*roaring.Bitmap, error) {
	if n.Routed {
		to, err := w.c.Store.Recipients(ctx, n.ID)
		if err != nil {
			return nil, fmt.Errorf("read the recipients of notice %d: %w", n.ID, err)
		}
		return to, nil
	}
	to := roaring.New()
	if !n.State.TakenBack() {
		var err error
		if to, err = w.c.Route(ctx, n); err != nil {
			return nil, err
		}
	}
	to, err := w.c.Store.SetRecipients(ctx, n.ID, to)
	if err != nil {
		return nil, fmt.Errorf("settle the recipients of notice %d: %w", n.ID, err)
	}
	n.Recipients, n.Routed = int64(to.GetCardinality()), true //nolint:gosec // at most 2^32
	return to, nil
}

// after returns up to limit recipients, in order, with from < seq, and with seq <= to if to > 0.
func after(all *roaring.Bitmap, from, to int64, limit int) []int64 {
	seqs := make([]int64, 0, min(limit, int(all.GetCardinality()))) //nolint:gosec // at most 2^32
	it := all.Iterator()
	it.AdvanceIfNeeded(uint32(from + 1)) //nolint:gosec // a seq is at most 2^32
	for len(seqs) < limit && it.HasNext() {
		seq := int64(it.Next())
		if to > 0 && seq > to {
			break
		}
		seqs = append(seqs, seq)
	}
	return seqs
}
