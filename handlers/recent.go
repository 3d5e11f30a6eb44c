package handlers

import (
	"sync"
	"time"
)

// How long actions can be undone, and how many of them.
const (
	undoTime = 10 * time.Minute
	undoMost = 4096
)

// recent stores the data for Undo on this instance, by user and key. When it is full, the oldest are dropped.
type recent[V any] struct {
	mu     sync.Mutex
	things map[recentKey]recentThing[V]
	order  []recentKey // a ring, oldest at next
	next   int
}

type recentKey struct {
	seq int64
	key string
}

type recentThing[V any] struct {
	value V
	at    time.Time
	slot  int
}

func (d *recent[V]) remember(seq int64, key string, value V, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.things == nil {
		d.things, d.order = map[recentKey]recentThing[V]{}, make([]recentKey, undoMost)
	}
	slot := d.next
	if old, ok := d.things[d.order[slot]]; ok && old.slot == slot {
		delete(d.things, d.order[slot])
	}
	k := recentKey{seq, key}
	d.order[slot] = k
	d.things[k] = recentThing[V]{value: value, at: now, slot: slot}
	d.next = (slot + 1) % undoMost
}

// find returns a value that was remembered within undoTime.
func (d *recent[V]) find(seq int64, key string, now time.Time) (value V, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found, ok := d.things[recentKey{seq, key}]
	if !ok || now.Sub(found.at) > undoTime {
		return value, false
	}
	return found.value, true
}
