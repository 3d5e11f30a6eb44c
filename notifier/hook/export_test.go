package hook

import "context"

// Round runs one round and waits until everything that it began is sent.
func (s *Stage) Round(ctx context.Context) error {
	err := s.round(ctx)
	s.work.Wait()
	return err
}

// Begin runs one round.
func (s *Stage) Begin(ctx context.Context) error { return s.round(ctx) }

// Wait waits until everything that rounds began is sent.
func (s *Stage) Wait() { s.work.Wait() }

// Waits are the delays between tries.
var Waits = waits
