package session

import "context"

// WriteSeen writes the last-seen of the sessions that were seen, as Run does every two seconds.
func (s *Sessions) WriteSeen(ctx context.Context) error { return s.writeSeen(ctx) }
