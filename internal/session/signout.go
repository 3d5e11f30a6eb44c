package session

import (
	"context"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// signOut ends the session that r carries and clears its cookie. It is published immediately to other instances and
// the session's streams, or once Redis is back.
func (s *Sessions) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.end(r.Context(), r); err != nil {
		return err
	}
	s.cookie.clear(w)
	return nil
}

// Expel ends all sessions of a user with their streams, and rejects the tokens that their app has issued until now.
// It returns the number of sessions.
func (s *Sessions) Expel(ctx context.Context, seq int64) (int, error) {
	ended, err := s.sql.EndSessions(ctx, seq)
	if err != nil {
		return 0, fmt.Errorf("sign out user %d everywhere: %w", seq, err)
	}
	s.PublishEnded(ctx, ended)
	s.Publish(ctx, seq)
	return len(ended), nil
}

// end ends the session that r carries, if any. SQL comes first: a session with a tombstone in Redis that still exists
// in SQL would come back.
func (s *Sessions) end(ctx context.Context, r *http.Request) error {
	for id := range s.carried(r) {
		seq, err := s.sql.EndSession(ctx, id)
		if err != nil {
			return fmt.Errorf("end a session: %w", err)
		}
		if seq > 0 {
			s.PublishEnded(ctx, []notifier.EndedSession{{ID: id, Seq: seq}})
		}
	}
	return nil
}
