package handlers

import (
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// How long and how many deleted entries can be brought back.
const (
	undoTime = 10 * time.Minute
	undoMost = 4096
)

// deleted remembers what was deleted on this instance, for Undo. When it is
// full the oldest go.
type deleted struct {
	mu      sync.Mutex
	entries map[deletedKey]deletedEntry
	order   []deletedKey // a ring, oldest at next
	next    int
}

type deletedKey struct {
	seq int64
	key string
}

type deletedEntry struct {
	entry notifier.Entry
	at    time.Time
	slot  int
}

func (d *deleted) remember(seq int64, e notifier.Entry, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.entries == nil {
		d.entries, d.order = map[deletedKey]deletedEntry{}, make([]deletedKey, undoMost)
	}
	slot := d.next
	if old, ok := d.entries[d.order[slot]]; ok && old.slot == slot {
		delete(d.entries, d.order[slot])
	}
	k := deletedKey{seq, e.Key}
	d.order[slot] = k
	d.entries[k] = deletedEntry{entry: e, at: now, slot: slot}
	d.next = (slot + 1) % undoMost
}

// find returns what a user deleted a short while ago.
func (d *deleted) find(seq int64, key string, now time.Time) (notifier.Entry, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.entries[deletedKey{seq, key}]
	if !ok || now.Sub(found.at) > undoTime {
		return notifier.Entry{}, false
	}
	return found.entry, true
}
