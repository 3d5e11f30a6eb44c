package store

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Advance moves the cursor of a notice forward to done if its state and revision are still the
// given ones. It never moves the cursor backwards.
func (s *Store) Advance(ctx context.Context, id, rev int64, state notifier.State, done int64) error {
	_, err := s.exec(ctx, `UPDATE notices SET done = $1 WHERE id = $2 AND rev = $3 AND state = $4 AND done < $1`,
		done, id, rev, string(state))
	return s.fail(err, "advance notice %d to user %d", id, done)
}

// Move changes the state of a notice and resets its cursor to 0. It reports whether it did: it does
// nothing if the notice has another state or revision by now, so that work overtaken by an edit
// changes nothing.
func (s *Store) Move(ctx context.Context, id, rev int64, from, to notifier.State) (bool, error) {
	changed, err := s.exec(ctx, `UPDATE notices SET state = $1, done = 0 WHERE id = $2 AND rev = $3 AND state = $4`,
		string(to), id, rev, string(from))
	return changed > 0, s.fail(err, "move notice %d from %s to %s", id, from, to)
}
