package person

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	// DeletionLease is the duration of Run's lease: the time after which another instance continues the deletions of
	// one that died.
	DeletionLease = 30 * time.Second

	deletionsEach = 10 * time.Second
	deletionsPage = 100 // unfinished deletions per round
)

// Delete deletes a user and all their data. It ends their sessions and removes the account first: from then on the
// user is not found. It returns notifier.ErrNotFound if no such user exists or the deletion is complete. If the rest
// takes longer than Config.Wait, Run continues it. An error with a Seq in the result means that something is left,
// and that Delete may be called again; Run on a server also continues it. progress may be nil; it is called as
// notices are searched.
func (p *People) Delete(ctx context.Context, by notifier.Actor, name string, progress func(at, last int64)) (notifier.Deleted, error) {
	leaver, gone, err := p.beginDeletion(ctx, name)
	if err != nil {
		return notifier.Deleted{}, fmt.Errorf("delete a user: %w", err)
	}
	if gone.Begun { // without the name, which the deletion removes
		p.record(ctx, by, "user.delete", notifier.UserRef(notifier.User{Seq: gone.Seq}), "")
	}
	p.resubscribe(ctx)
	if p.Wait == 0 {
		err = p.finish(ctx, leaver, progress)
		gone.Done = err == nil
		return gone, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.Wait)
	defer cancel()
	if err = p.finish(ctx, leaver, progress); err != nil {
		p.Log.InfoContext(ctx, "a deletion continues in the background", "user_id", gone.Seq, "err", err)
		p.wake()
	}
	gone.Done = err == nil
	return gone, nil
}

// beginDeletion signs a user out everywhere and removes the account.
func (p *People) beginDeletion(ctx context.Context, name string) (leaver notifier.Deletion, gone notifier.Deleted, err error) {
	user, err := p.Store.UserByName(ctx, name)
	if err == nil {
		gone.Sessions, err = p.Sessions.Expel(ctx, user.Seq)
	}
	if err != nil && !errors.Is(err, notifier.ErrNotFound) { // a user whose deletion has begun is not found
		return leaver, gone, err
	}
	leaver, gone.Begun, err = p.Store.BeginDeletion(ctx, name)
	gone.Seq, gone.Name = leaver.Seq, leaver.Name
	return leaver, gone, err
}

// finish removes the rest of a user's data, in an order in which no step rewrites what an earlier one deleted. It may
// be called again after a failure, and concurrently: see store.Forget, which calls progress.
func (p *People) finish(ctx context.Context, d notifier.Deletion, progress func(at, last int64)) error {
	if err := p.Sessions.Forget(ctx, d.Seq); err != nil {
		return err
	}
	// The user's read marks of announcements are bits in Redis, which are copied to SQL regularly.
	reader := notifier.Reader{Seq: d.Seq, Audience: d.Audience}
	posts, err := p.Announcements.List(ctx, reader)
	if err != nil {
		return err
	}
	for _, post := range posts.Items {
		if _, err = p.Announcements.MarkUnread(ctx, reader, post.ID); err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return err
		}
	}
	// Empty now, so that nothing is left if Forget takes long; and again afterwards, for deliveries in between.
	if err = p.empty(ctx, d.Seq); err != nil {
		return err
	}
	if err = p.Store.Forget(ctx, d, func(ids []int64) error { return p.forgetActor(ctx, ids) }, progress); err != nil {
		return err
	}
	if err = p.empty(ctx, d.Seq); err != nil {
		return err
	}
	if err = p.Store.EndDeletion(ctx, d.Seq); err != nil {
		return err
	}
	p.Clear(ctx)
	return nil
}

// empty removes the user's inbox and toasts from Redis.
func (p *People) empty(ctx context.Context, seq int64) error {
	if err := p.Inbox.Erase(ctx, seq); err != nil {
		return err
	}
	return p.Toasts.Forget(ctx, seq)
}

// Run finishes deletions that have begun, on one instance at a time, until ctx ends. Then it returns nil.
func (p *People) Run(ctx context.Context) error {
	return lease.Work{
		Stage: "person", Lease: p.Lease, Every: deletionsEach, Wake: p.woken, Do: p.finishAll, Log: p.Log,
	}.Run(ctx)
}

// wake makes Run begin a round soon.
func (p *People) wake() {
	select {
	case p.woken <- struct{}{}:
	default: // a round is already due
	}
}

// finishAll finishes the deletions that have begun, oldest first.
func (p *People) finishAll(ctx context.Context) error {
	all, err := p.Store.Deletions(ctx, deletionsPage)
	if err != nil {
		return err
	}
	for _, d := range all {
		if err := p.finishHeld(ctx, d); err != nil {
			return fmt.Errorf("finish the deletion of user %d: %w", d.Seq, err)
		}
	}
	return nil
}

// finishHeld finishes one deletion, and renews the lease meanwhile. It stops if another instance has acquired the
// lease; that instance then continues.
func (p *People) finishHeld(ctx context.Context, d notifier.Deletion) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	began := time.Now()
	held := began
	err := p.finish(ctx, d, func(int64, int64) {
		if p.Lease == nil || time.Since(held) < DeletionLease/6 {
			return
		}
		held = time.Now()
		if mine, err := p.Lease.Hold(ctx); err == nil && !mine {
			cancel()
		}
	})
	if err != nil {
		return err
	}
	p.Log.InfoContext(ctx, "a deletion has ended", "user_id", d.Seq, "duration", time.Since(began))
	return nil
}
