package store

// UnfinishedPredicate is what Unfinished asks by, for the test of its plan.
const UnfinishedPredicate = unfinished
