package soak

import (
	"maps"
	"sync"
)

// ledger is what people were told. An answer that never came is not in it: then
// both may be true.
type ledger struct {
	mu        sync.Mutex
	accepted  map[int64]bool // notices whose sender was answered
	retracted map[int64]bool
	deleted   map[entry]bool // rows that left an inbox at its user's wish
	maybe     map[entry]bool // rows of which nobody was told whether they left
	unsettled map[int64]bool // notices of which nobody was told whether they were retracted
	refused   int            // sends that were answered 429 or 503
}

// entry is a notice in somebody's inbox.
type entry struct {
	user string
	id   int64
}

func newLedger() *ledger {
	return &ledger{
		accepted: map[int64]bool{}, retracted: map[int64]bool{}, unsettled: map[int64]bool{},
		deleted: map[entry]bool{}, maybe: map[entry]bool{},
	}
}

func (l *ledger) note(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// sent is how many notices were accepted so far.
func (l *ledger) sent() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.accepted)
}

// truth is the ledger as it stands.
func (l *ledger) truth() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &ledger{
		accepted: maps.Clone(l.accepted), retracted: maps.Clone(l.retracted), unsettled: maps.Clone(l.unsettled),
		deleted: maps.Clone(l.deleted), maybe: maps.Clone(l.maybe), refused: l.refused,
	}
}
