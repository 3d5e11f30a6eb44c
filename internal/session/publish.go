package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	publishBatch = 500 // sessions and users handled in one round
	publishWait  = 10 * time.Second
	publishNow   = 2 * time.Second // for a caller that waits, because Run can do the work too
	// settleAfter is when a move is checked again: no request that read the old audience of the user, and no cache of
	// it, lasts that long.
	settleAfter = 10 * time.Second
)

// Announcements makes the counts that a reader receives in their new audience newer than in all other audiences. It
// reports whether that required a change.
type Announcements interface {
	Move(ctx context.Context, r notifier.Reader) (raised bool, err error)
}

// Publish publishes a change of a user (roles, audience, settings) immediately to all instances, which have copies.
// SQL has recorded the change in the transaction that made it: if publishing fails, Run of this or another instance
// does it later.
func (s *Sessions) Publish(ctx context.Context, seq int64) {
	// The change is made, so continue even if ctx ends.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishNow)
	defer cancel()
	c, found, err := s.sql.ChangedUser(ctx, seq)
	if err == nil && found {
		err = s.publish(ctx, c)
	}
	if err != nil {
		s.log.WarnContext(ctx, "could not publish a change of a user; retrying later", "user_id", seq, "err", err)
	}
}

// Stamp returns a text that differs after each change of a user that Publish has published. ok is false while Redis
// does not respond. To cache a user, read the stamp before SQL, and use the copy while the stamp is unchanged.
func (s *Sessions) Stamp(ctx context.Context, seq int64) (stamp string, ok bool) {
	return s.cache.stamp(ctx, seq)
}

// Forget makes every instance drop its copies of a user who has been deleted.
func (s *Sessions) Forget(ctx context.Context, seq int64) error { return s.cache.drop(ctx, seq) }

// PublishPending publishes all pending changes immediately, such as the changes of all members of a deleted role.
// Run, here or at another instance, publishes what is left after the time limit.
func (s *Sessions) PublishPending(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishNow)
	defer cancel()
	if err := s.publishChanges(ctx); err != nil {
		s.log.WarnContext(ctx, "could not publish changes of users; retrying later", "err", err)
	}
}

// publish makes instances read a user again and, if the user was moved, notifies their streams. Without announcements
// the streams are left to an instance that has them.
func (s *Sessions) publish(ctx context.Context, c notifier.ChangedUser) error {
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
		if err := s.publishMoved(ctx, c); err != nil {
			return err
		}
	}
	return s.sql.ToldChange(ctx, c)
}

// publishMoved makes the streams of a moved user read the new audience. Before and once more after that, the counts
// of the new audience are raised above the old ones: an announcement may open in the old audience until every stream
// has been notified. The second check later does nothing if no announcement has opened meanwhile.
func (s *Sessions) publishMoved(ctx context.Context, c notifier.ChangedUser) error {
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
	return nil // the second check handles the rest
}

func (s *Sessions) raise(ctx context.Context, c notifier.ChangedUser) (bool, error) {
	if s.announcements == nil {
		return false, nil
	}
	return s.announcements.Move(ctx, notifier.Reader{Seq: c.Seq, Audience: c.Audience})
}

// PublishEnded publishes the end of sessions immediately to all instances and their streams. If that fails, Run of
// this or another instance does it later.
func (s *Sessions) PublishEnded(ctx context.Context, ended []notifier.EndedSession) {
	if len(ended) == 0 {
		return
	}
	ctx = context.WithoutCancel(ctx) // after signing out, users may close the tab immediately; the session must still end
	if err := s.publishEnded(ctx, ended); err != nil {
		s.log.WarnContext(ctx, "could not publish the end of sessions; retrying later", "user_id", ended[0].Seq, "err", err)
	}
}

func (s *Sessions) publishEnded(ctx context.Context, ended []notifier.EndedSession) error {
	if err := s.cache.bury(ctx, ended...); err != nil {
		return fmt.Errorf("end %d sessions in redis: %w", len(ended), err)
	}
	ids := make([]string, len(ended))
	for i, e := range ended {
		ids[i] = e.ID
	}
	return s.sql.ToldEnded(ctx, ids)
}

// round publishes all pending changes. An error for one user does not delay the others.
func (s *Sessions) round(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, publishWait)
	defer cancel()
	if now := s.now(); now.Sub(s.purged) >= purgeEvery {
		s.purge(ctx)
		s.purged = now
	}
	ended, err := s.sql.EndedSessions(ctx, publishBatch)
	if err != nil {
		return err
	}
	var errs []error
	if len(ended) > 0 {
		errs = append(errs, s.publishEnded(ctx, ended))
	}
	return errors.Join(append(errs, s.publishChanges(ctx))...)
}

func (s *Sessions) publishChanges(ctx context.Context) error {
	changes, err := s.sql.ChangedUsers(ctx, s.now().Add(-settleAfter), publishBatch)
	errs := []error{err}
	for _, c := range changes {
		errs = append(errs, s.publish(ctx, c))
	}
	return errors.Join(errs...)
}
