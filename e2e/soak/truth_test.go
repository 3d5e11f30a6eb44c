package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// stored is a notice as SQL has it.
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

// notices reads all of them, oldest first.
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

// whom names those a notice is for, by what the test put into the directory.
func (s *site) whom(n *stored) []string {
	if n.target.Role != "" {
		return s.roles[n.target.Role]
	}
	return n.target.Users
}

// kept says what of the promise to senders does not hold: what they were told is
// accepted or taken back is so in SQL, and all that SQL has is at its end.
func (s *site) kept(all []stored, book *ledger) (bad []string) {
	states := map[int64]notifier.State{}
	for _, n := range all {
		states[n.id] = n.state
		if n.state != notifier.StateSent && n.state != notifier.StateRetracted {
			bad = append(bad, fmt.Sprintf("notice %d is %s", n.id, n.state))
		}
		if n.state == notifier.StateRetracted && !book.retracted[n.id] && !book.unsettled[n.id] {
			bad = append(bad, fmt.Sprintf("notice %d is retracted, and nobody asked for it", n.id))
		}
		if want := len(s.whom(&n)); n.count != int64(want) {
			bad = append(bad, fmt.Sprintf("notice %d has %d recipients, want %d", n.id, n.count, want))
		}
	}
	for id := range book.accepted {
		if states[id] == "" {
			bad = append(bad, fmt.Sprintf("notice %d was accepted, and is lost", id))
		}
	}
	for id := range book.retracted {
		if states[id] != notifier.StateRetracted {
			bad = append(bad, fmt.Sprintf("notice %d was taken back, and is %s", id, states[id]))
		}
	}
	return bad
}

// expected is what has to be in each inbox: by key, the notice. Where nobody can
// know, it may be: then it is in maybe.
func (s *site) expected(all []stored, book *ledger) (want map[string]map[string]int64, maybe map[entry]bool) {
	want = map[string]map[string]int64{}
	for name := range s.seqs {
		want[name] = map[string]int64{}
	}
	for _, n := range all { // by id: the last of a key stays
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
