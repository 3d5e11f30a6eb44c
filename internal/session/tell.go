package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	tellBatch = 500 // sessions and users handled in one round
	tellWait  = 10 * time.Second
	tellNow   = 2 * time.Second // for a caller that waits, since Run can do the work too
	// settleAfter is when a moved user gets a second look: no request that knew them in the old
	// audience, and no cache of it, lasts that long.
	settleAfter = 10 * time.Second
)

// Changes are the changes in SQL that must be passed on to Redis and to the streams of all
// instances, which hold copies. Each is recorded in the transaction that makes it, so it is passed
// on even if the instance that made it dies or cannot reach Redis.
type Changes interface {
	EndedSessions(ctx context.Context, limit int) ([]notifier.EndedSession, error)
	ToldEnded(ctx context.Context, ids []string) error
	// ChangedUser finds nothing if the user has not changed since the last ToldChange.
	ChangedUser(ctx context.Context, seq int64) (c notifier.ChangedUser, found bool, err error)
	// ChangedUsers includes moved users whose change was recorded before again.
	ChangedUsers(ctx context.Context, again time.Time, limit int) ([]notifier.ChangedUser, error)
	ToldChange(ctx context.Context, c notifier.ChangedUser) error
}

// Announcements makes the counts that a reader is sent in their new audience newer than those of all other
// audiences. It reports whether it had to change anything for that.
type Announcements interface {
	Move(ctx context.Context, r notifier.Reader) (raised bool, err error)
}

// Tell passes on a change of a user (roles, audience, settings) to all instances at once. If that
// fails, Run of this or another instance does it later. Without it a move is left to Run.
func (s *Store) Tell(ctx context.Context, seq int64) {
	// The change is made, so continue even if the caller gives up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellNow)
	defer cancel()
	c, found, err := s.sql.ChangedUser(ctx, seq)
	if err == nil && found {
		err = s.tell(ctx, c)
	}
	if err != nil {
		s.log.WarnContext(ctx, "could not pass on a change of a user; retrying later", "user_id", seq, "err", err)
	}
}

// Stamp returns a text that differs after each change of a user that Tell has published. ok is false while Redis
// does not answer. To cache a user, read the stamp before SQL, and use the copy while the stamp is the same.
func (s *Store) Stamp(ctx context.Context, seq int64) (stamp string, ok bool) {
	return s.cache.stamp(ctx, seq)
}

// Forget makes every instance drop its copies of a user who has been deleted.
func (s *Store) Forget(ctx context.Context, seq int64) error { return s.cache.drop(ctx, seq) }

// TellPending passes on all pending changes at once, such as those of the members of a role that was
// deleted. Run, here or at another instance, finishes what does not fit into the time.
func (s *Store) TellPending(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tellNow)
	defer cancel()
	if err := s.tellChanges(ctx); err != nil {
		s.log.WarnContext(ctx, "could not pass on changes of users; retrying later", "err", err)
	}
}

// tell makes the copies of a user be read again and, if the user was moved, tells their streams. Without
// announcements the streams are left to an instance that has them.
func (s *Store) tell(ctx context.Context, c notifier.ChangedUser) error {
	ids, err := s.sql.SessionsOf(ctx, c.Seq)
	if err != nil {
		return err
	}
	if err := s.cache.drop(ctx, c.Seq, ids...); err != nil {
		return fmt.Errorf("drop the sessions of user %d: %w", c.Seq, err)
	}
	if c.Moved && s.announcements == nil {
		return nil
	}
	if c.Moved {
		if err := s.tellMoved(ctx, c); err != nil {
			return err
		}
	}
	return s.sql.ToldChange(ctx, c)
}

// tellMoved makes the streams of a moved user look up the new audience. Before that and once more
// after it, the counts of the new audience are raised above the old ones: an announcement may open
// in the old audience until every stream has been told. The second look later does nothing if
// nothing came in between.
func (s *Store) tellMoved(ctx context.Context, c notifier.ChangedUser) error {
	raised, err := s.raise(ctx, c)
	if err != nil || c.Told && !raised {
		return err
	}
	for range 2 {
		if err := s.cache.moved(ctx, c.Seq); err != nil {
			return fmt.Errorf("notify the streams of user %d: %w", c.Seq, err)
		}
		if raised, err = s.raise(ctx, c); err != nil || !raised {
			return err
		}
	}
	return nil // the second look handles the rest
}

func (s *Store) raise(ctx context.Context, c notifier.ChangedUser) (bool, error) {
	if s.announcements == nil {
		return false, nil
	}
	return s.announcements.Move(ctx, notifier.Reader{Seq: c.Seq, Audience: c.Audience})
}

// round passes on all pending changes. An error for one user does not delay the others.
func (s *Store) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tellWait)
	defer cancel()
	if now := s.now(); now.Sub(s.purged) >= purgeEvery {
		s.purge(ctx)
		s.purged = now
	}
	ended, err := s.sql.EndedSessions(ctx, tellBatch)
	if err != nil {
		return err
	}
	var errs []error
	if len(ended) > 0 {
		errs = append(errs, s.tellEnded(ctx, ended))
	}
	return errors.Join(append(errs, s.tellChanges(ctx))...)
}

func (s *Store) tellChanges(ctx context.Context) error {
	changes, err := s.sql.ChangedUsers(ctx, s.now().Add(-settleAfter), tellBatch)
	errs := []error{err}
	for _, c := range changes {
		errs = append(errs, s.tell(ctx, c))
	}
	return errors.Join(errs...)
}
