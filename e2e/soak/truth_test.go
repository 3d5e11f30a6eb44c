package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// stored is a notice in SQL.
type stored struct {
	id      int64
	state   notifier.State
	target  notifier.Target
	subject string
	count   int64
}

func (n *stored) key() string {
	if n.subject != "" {
		return "news:" + n.subject
	}
	return "news:notice_id:" + strconv.FormatInt(n.id, 10)
}

// notices reads all notices from SQL, oldest first.
func (s *site) notices(ctx context.Context) ([]stored, error) {
	rows, err := s.raw.QueryContext(ctx, `SELECT id, state, target, subject, recipient_count FROM notices ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []stored
	for rows.Next() {
		var n stored
		var target string
		if err := rows.Scan(&n.id, &n.state, &target, &n.subject, &n.count); err != nil {
			return nil, err
		}
		if err := json.Unmarshal([]byte(target), &n.target); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}

// whom returns the names of the recipients of a notice, from the users and roles that the test added.
func (s *site) whom(n *stored) []string {
	if n.target.Role != "" {
		return s.roles[n.target.Role]
	}
	return n.target.Users
}

// kept returns the violations of the promise to senders: SQL must contain every notice confirmed as accepted or
// retracted, in that state, and the work on every notice in SQL must be finished.
func (s *site) kept(all []stored, book *ledger) (bad []string) {
	states := map[int64]notifier.State{}
	for _, n := range all {
		states[n.id] = n.state
		if n.state != notifier.StateSent && n.state != notifier.StateRetracted {
			bad = append(bad, fmt.Sprintf("notice %d is %s", n.id, n.state))
		}
		if n.state == notifier.StateRetracted && !book.retracted[n.id] && !book.unsettled[n.id] {
			bad = append(bad, fmt.Sprintf("notice %d is retracted, but nobody retracted it", n.id))
		}
		if want := len(s.whom(&n)); n.count != int64(want) {
			bad = append(bad, fmt.Sprintf("notice %d has %d recipients, want %d", n.id, n.count, want))
		}
	}
	for id := range book.accepted {
		if states[id] == "" {
			bad = append(bad, fmt.Sprintf("notice %d was accepted, but is lost", id))
		}
	}
	for id := range book.retracted {
		if states[id] != notifier.StateRetracted {
			bad = append(bad, fmt.Sprintf("notice %d was retracted, but is %s", id, states[id]))
		}
	}
	return bad
}

// expected returns the notice that each inbox must contain, by user and key. Entries that an inbox may or may not
// contain, because a response was lost, are in maybe.
func (s *site) expected(all []stored, book *ledger) (want map[string]map[string]int64, maybe map[entry]bool) {
	want = map[string]map[string]int64{}
	for name := range s.seqs {
		want[name] = map[string]int64{}
	}
	for _, n := range all { // ordered by id: the last notice of a key stays
		if n.state == notifier.StateRetracted {
			continue
		}
		for _, name := range s.whom(&n) {
			if e := (entry{name, n.id}); !book.deleted[e] {
				want[name][n.key()] = n.id
			}
		}
	}
	return want, book.maybe
}
