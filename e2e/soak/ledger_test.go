package soak

import (
	"maps"
	"slices"
	"sync"
)

// ledger records the responses that users received. After a lost response, the request may or may not have taken
// effect: see maybe and unsettled.
type ledger struct {
	mu        sync.Mutex
	accepted  map[int64]bool // notices whose sender received a success response
	retracted map[int64]bool
	deleted   map[entry]bool // rows that their user deleted
	maybe     map[entry]bool // rows whose deletion received no response
	unsettled map[int64]bool // notices whose retraction received no response
	refused   int            // sends rejected with status 429 or 503
	broken    []string       // responses of 500 and more
}

// entry is a notice in one user's inbox.
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

// sent returns the number of notices accepted so far.
func (l *ledger) sent() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.accepted)
}

// faults returns the responses of 500 and more.
func (l *ledger) faults() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.broken)
}

// truth returns a copy of the ledger.
func (l *ledger) truth() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	return &ledger{
		accepted: maps.Clone(l.accepted), retracted: maps.Clone(l.retracted), unsettled: maps.Clone(l.unsettled),
		deleted: maps.Clone(l.deleted), maybe: maps.Clone(l.maybe), refused: l.refused,
	}
}
