package topic

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

const (
	turnEvery = 2 * time.Millisecond   // interval between checks whether it is this change's turn
	turnWait  = 250 * time.Millisecond // limit on the wait for earlier changes
)

var (
	errGone = errors.New("the user no longer exists")
	errTurn = errors.New("an earlier change has not reached redis")
	errTorn = errors.New("the draft of a set was lost")
)

// behind reports whether there is a known fault in Redis that is not yet repaired. Until then SQL
// serves reads.
func (t *Topics) behind() bool { return t.broken.Load() != t.mended.Load() }

// Suspect schedules an immediate comparison of all sets with SQL, regardless of their revision. Call it when Redis
// may have lost data. Until then SQL serves reads.
func (t *Topics) Suspect() {
	t.broken.Add(1)
	select {
	case t.wake <- struct{}{}:
	default: // already woken
	}
}

// Changed must be called after the deletion of a user or a role has changed the subscriptions in SQL.
// From then on this instance reads SQL until the sets are updated; other instances notice within
// Options.Every.
func (t *Topics) Changed(ctx context.Context) {
	if _, err := t.readRevision(ctx); err != nil {
		return // the next round checks again
	}
	select {
	case t.wake <- struct{}{}:
	default: // already woken
	}
}

// through writes a change that is already in SQL to Redis. A failure is repaired later. The caller
// holds t.changing.
func (t *Topics) through(ctx context.Context, s notifier.Subscription, revision int64, on bool) {
	t.seen.Store(revision)
	if t.behind() {
		return // the repair includes this change
	}
	// The change is committed: write it through even if the caller's context has ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisWait)
	defer cancel()
	if err := t.write(ctx, s, revision, on); err != nil {
		t.Suspect()
		t.o.Log.WarnContext(ctx, "subscription not written to redis; it will be repaired", "stage", "topic", "topic", indexed(s.Topic), "err", err)
	}
}

// write applies a change to its set after all earlier changes have arrived, then releases the next one. Only a repair
// can intervene; then the set is newer.
func (t *Topics) write(ctx context.Context, s notifier.Subscription, revision int64, on bool) error {
	m, err := t.member(ctx, s)
	if err != nil {
		return err
	}
	if done, err := t.await(ctx, revision); done || err != nil {
		return err
	}
	keys := []string{t.k.Subscribers(s.Topic), t.k.SubscribersVersion(s.Topic)}
	left, err := code(editSubscribers.Run(ctx, t.rdb, keys, revision, m, flag(on), keepVersions))
	switch {
	case err != nil:
		return fmt.Errorf("change the subscribers of a topic: %w", err)
	case left == codeLater:
		return errTurn
	case left == codeLost:
		err = t.refill(ctx, s.Topic, revision)
	case left == 0:
		err = t.rdb.SRem(ctx, t.k.SubscriberIndex(), indexed(s.Topic)).Err()
	}
	if err != nil {
		return fmt.Errorf("change the subscribers of a topic: %w", script.MarkAway(err))
	}
	from := strconv.FormatInt(revision-1, 10)
	moved, err := code(moveRevision.Run(ctx, t.rdb, []string{t.k.SubscriberRevision()}, revision, from))
	if err == nil && moved == 0 {
		err = errTurn
	}
	return err
}

// member returns the set member of a subscriber.
func (t *Topics) member(ctx context.Context, s notifier.Subscription) (string, error) {
	if s.User == "" {
		return roleMember + s.Role, nil
	}
	seqs, _, err := t.store.SeqsByName(ctx, []string{s.User})
	if err != nil {
		return "", fmt.Errorf("look up a subscriber: %w", err)
	}
	seq, there := seqs[s.User]
	if !there {
		return "", errGone
	}
	return memberOf(seq), nil
}

// await waits until all earlier changes are in Redis. It returns true if this one is too, because a
// repair has included it.
func (t *Topics) await(ctx context.Context, revision int64) (done bool, err error) {
	tick := time.NewTicker(turnEvery)
	defer tick.Stop()
	for over := time.After(turnWait); ; {
		at, err := t.revision(ctx)
		switch {
		case err != nil:
			return false, err
		case at == revision-1:
			return false, nil
		case at >= revision:
			return true, nil
		case at == unseen:
			return false, errTurn
		}
		select {
		case <-tick.C:
		case <-over:
			return false, errTurn
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// revision returns the revision of the sets in Redis, or unseen.
func (t *Topics) revision(ctx context.Context) (int64, error) {
	return parseRevision(t.rdb.Get(ctx, t.k.SubscriberRevision()))
}

func parseRevision(cmd *redis.StringCmd) (int64, error) {
	text, err := cmd.Result()
	if errors.Is(err, redis.Nil) {
		return unseen, nil
	}
	if err != nil {
		return unseen, script.MarkAway(err)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return unseen, nil //nolint:nilerr // a malformed value counts as lost
	}
	return n, nil
}

// refill builds the set of a topic from SQL, which already has the change of that revision.
func (t *Topics) refill(ctx context.Context, topic notifier.Topic, revision int64) error {
	found, err := t.store.SubscribersOf(ctx, []notifier.Topic{topic})
	if err != nil {
		return fmt.Errorf("read the subscribers of a topic: %w", err)
	}
	some := len(found[0].Users)+len(found[0].Roles) > 0
	if some { // before the set exists, so that every set is in the index
		if err := t.rdb.SAdd(ctx, t.k.SubscriberIndex(), indexed(topic)).Err(); err != nil {
			return err
		}
	}
	later, err := t.replace(ctx, found, revision, false)
	if err == nil && later {
		err = errTurn
	}
	if err != nil || some {
		return err
	}
	return t.rdb.SRem(ctx, t.k.SubscriberIndex(), indexed(topic)).Err()
}
