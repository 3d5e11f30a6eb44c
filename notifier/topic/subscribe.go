package topic

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Subscribe makes a user or a role subscribe to a topic; it is false when he did
// already. Its faults, such as an unknown user or role, are a *notifier.InvalidError.
func (t *Topics) Subscribe(ctx context.Context, s notifier.Subscription) (added bool, err error) {
	if err := s.Validate(); err != nil {
		return false, err
	}
	return t.add(ctx, s, 0)
}

// add makes somebody subscribe who may to so many topics; 0: to any number.
func (t *Topics) add(ctx context.Context, s notifier.Subscription, most int) (added bool, err error) {
	if err := t.changing.take(ctx); err != nil {
		return false, err
	}
	defer t.changing.give()
	revision, added, err := t.store.SubscribeWithin(ctx, s, most)
	if err != nil || !added {
		return false, err
	}
	t.through(ctx, s, revision, true)
	// The store has made the type known, where it was not.
	if _, known := t.types.of(s.Type); !known {
		if err := t.refreshTypes(ctx); err != nil {
			t.o.Log.WarnContext(ctx, "types of notices not read again", "stage", "topic", "err", err)
		}
	}
	return true, nil
}

// Unsubscribe ends it; it is false when he did not subscribe.
func (t *Topics) Unsubscribe(ctx context.Context, s notifier.Subscription) (removed bool, err error) {
	if err := s.Validate(); err != nil {
		return false, err
	}
	if err := t.changing.take(ctx); err != nil {
		return false, err
	}
	defer t.changing.give()
	revision, removed, err := t.store.Unsubscribe(ctx, s)
	if err != nil || !removed {
		return false, err
	}
	t.through(ctx, s, revision, false)
	return true, nil
}

// SubscribeSelf is for a user who subscribes himself, or ends that; it may be so
// already. It is notifier.ErrForbidden to begin what is not open to users, and to end
// what leaves them no choice. One topic more than notifier.MaxSubscriptions is a
// *notifier.InvalidError.
func (t *Topics) SubscribeSelf(ctx context.Context, u notifier.User, topic notifier.Topic, on bool) error {
	s := notifier.Subscription{Topic: topic, Subscriber: notifier.Subscriber{User: u.Name}}
	if err := s.Validate(); err != nil {
		return err
	}
	typ, _ := t.types.of(topic.Type)
	if !on {
		if typ.NoMute && !typ.Open {
			return notifier.ErrForbidden
		}
		_, err := t.Unsubscribe(ctx, s)
		return err
	}
	if !typ.Open {
		return notifier.ErrForbidden
	}
	_, err := t.add(ctx, s, notifier.MaxSubscriptions)
	return err
}
