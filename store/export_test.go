package store

// UnfinishedPredicate is what Unfinished asks by, for the test of its plan.
const UnfinishedPredicate = unfinished

// BoundNames makes the index of names that small.
func BoundNames(s *Store, most int) { s.names.bound = most }
