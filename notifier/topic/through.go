package topic

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

const (
	turnEvery = 2 * time.Millisecond   // between two looks whether it is this change's turn
	turnWait  = 250 * time.Millisecond // for the changes before this one
)

var (
	errGone = errors.New("the user has left")
	errTurn = errors.New("a change before this one did not come through")
	errTorn = errors.New("a draft of a set was lost")
)

// behind says that something in Redis is not as it should be, as far as this instance
// knows: until that is repaired SQL answers.
func (t *Topics) behind() bool { return t.broken.Load() != t.mended.Load() }

// Suspect has all sets compared with SQL at once, whatever their revision. It is for
// who has seen that Redis may have lost something. Until then SQL answers.
func (t *Topics) Suspect() {
	t.broken.Add(1)
	select {
	case t.wake <- struct{}{}:
	default: // it is told already
	}
}

// Changed is for who has changed in SQL who subscribes, by deleting a user or a role.
// From here on this instance knows of it: it asks SQL until the sets follow. Others do
// within Options.Every.
func (t *Topics) Changed(ctx context.Context) {
	if _, err := t.look(ctx); err != nil {
		return // the next round looks again
	}
	select {
	case t.wake <- struct{}{}:
	default: // it is told already
	}
}

// through brings a change that SQL has to Redis. What fails is repaired later. It is
// for who has the lock.
func (t *Topics) through(ctx context.Context, s notifier.Subscription, revision int64, on bool) {
	t.seen.Store(revision)
	if t.behind() {
		return // the repair does this too
	}
	// The change is made: it goes its way also when nobody waits for it any more.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisWait)
	defer cancel()
	if err := t.write(ctx, s, revision, on); err != nil {
		t.Suspect()
		t.o.Log.WarnContext(ctx, "subscription not written through", "stage", "topic", "topic", indexed(s.Topic), "err", err)
	}
}

// write changes a set after all changes before this one were made, and then lets the
// next one in. Only a repair comes between; then the set is newer.
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
		return fmt.Errorf("change the subscribers of a topic: %w", away(err))
	}
	from := strconv.FormatInt(revision-1, 10)
	moved, err := code(moveRevision.Run(ctx, t.rdb, []string{t.k.SubscriberRevision()}, revision, from))
	if err == nil && moved == 0 {
		err = errTurn
	}
	return err
}

// member is how the sets call a subscriber.
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

// await waits until all changes before this one are in Redis. It is done when this one
// is too, which a repair has brought.
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

// revision is what the sets in Redis are made of, or unseen.
func (t *Topics) revision(ctx context.Context) (int64, error) {
	return parseRevision(t.rdb.Get(ctx, t.k.SubscriberRevision()))
}

func parseRevision(cmd *redis.StringCmd) (int64, error) {
	text, err := cmd.Result()
	if errors.Is(err, redis.Nil) {
		return unseen, nil
	}
	if err != nil {
		return unseen, away(err)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return unseen, nil //nolint:nilerr // what nobody wrote is as good as lost
	}
	return n, nil
}

// refill makes the set of a topic from SQL, which has the change of that revision.
func (t *Topics) refill(ctx context.Context, topic notifier.Topic, revision int64) error {
	found, err := t.store.SubscribersOf(ctx, []notifier.Topic{topic})
	if err != nil {
		return fmt.Errorf("read the subscribers of a topic: %w", err)
	}
	some := len(found[0].Users)+len(found[0].Roles) > 0
	if some { // before there is a set: nobody finds one that is not in the index
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
