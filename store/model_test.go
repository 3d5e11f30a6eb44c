package store_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/store"
)

// played is a model of something that two instances change.
type played interface {
	step(t *testing.T, r *rapid.T)
	check(t *testing.T, r *rapid.T)
}

// playOnBoth takes up to most random steps with a model on each database, and checks it after each. run numbers the models
// of a database, so that their names differ.
func playOnBoth[M played](t *testing.T, most int, begin func(t *testing.T, r *rapid.T, db *database, stores []*store.Store, run int) M) {
	t.Helper()
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		run := 0
		rapid.Check(t, func(r *rapid.T) {
			run++
			m := begin(t, r, db, stores, run)
			for range rapid.IntRange(1, most).Draw(r, "steps") {
				m.step(t, r)
				m.check(t, r)
			}
		})
	})
}
