package session

import "context"

// WriteSeen writes the last-seen times of seen sessions, as Run does every two seconds.
func (s *Sessions) WriteSeen(ctx context.Context) error { return s.writeSeen(ctx) }
