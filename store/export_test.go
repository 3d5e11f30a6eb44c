package store

import "testing"

// UnfinishedPredicate is what Unfinished asks by, for the test of its plan.
const UnfinishedPredicate = unfinished

// BoundNames makes the index of names that small.
func BoundNames(s *Store, most int) { s.names.bound = most }

// Exec runs a statement that no method of the store makes.
func Exec(tb testing.TB, s *Store, statement string) {
	tb.Helper()
	if _, err := s.exec(tb.Context(), statement); err != nil {
		tb.Fatal(err)
	}
}
