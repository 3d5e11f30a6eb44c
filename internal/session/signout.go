package session

import (
	"context"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// signOut ends the session that r carries and clears its cookie. Other instances and the session's
// streams are told at once, or as soon as Redis is back.
func (s *Store) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.end(r.Context(), r); err != nil {
		return err
	}
	s.cookie.clear(w)
	return nil
}

// Expel ends all sessions of a user with their streams, and refuses the tokens that their app has issued
// until now. It returns the number of sessions.
func (s *Store) Expel(ctx context.Context, seq int64) (int, error) {
	ended, err := s.sql.EndSessions(ctx, seq)
	if err != nil {
		return 0, fmt.Errorf("sign out user %d everywhere: %w", seq, err)
	}
	s.TellEnded(ctx, ended)
	s.Tell(ctx, seq)
	return len(ended), nil
}

// end ends the session that r carries, if any. SQL comes first: a session that is buried in Redis
// but alive in SQL would come back.
func (s *Store) end(ctx context.Context, r *http.Request) error {
	for id := range s.carried(r) {
		seq, err := s.sql.EndSession(ctx, id)
		if err != nil {
			return fmt.Errorf("end a session: %w", err)
		}
		if seq > 0 {
			s.TellEnded(ctx, []notifier.EndedSession{{ID: id, Seq: seq}})
		}
	}
	return nil
}

// TellEnded passes on the end of sessions to all instances and their streams at once. If that fails,
// Run of this or another instance does it later.
func (s *Store) TellEnded(ctx context.Context, ended []notifier.EndedSession) {
	if len(ended) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx) // after signing out, users may close the tab at once; the session must still end
	if err := s.tellEnded(ctx, ended); err != nil {
		s.log.WarnContext(ctx, "could not pass on the end of sessions; retrying later", "user_id", ended[0].Seq, "err", err)
	}
}

func (s *Store) tellEnded(ctx context.Context, ended []notifier.EndedSession) error {
	if err := s.cache.bury(ctx, ended...); err != nil {
		return fmt.Errorf("end %d sessions in redis: %w", len(ended), err)
	}
	ids := make([]string, len(ended))
	for i, e := range ended {
		ids[i] = e.ID
	}
	return s.sql.ToldEnded(ctx, ids)
}
