package topic

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Subscribe subscribes a user or a role to a topic. It returns false if they were already subscribed.
// Faults, such as an unknown user or role, are a *notifier.InvalidError.
func (t *Topics) Subscribe(ctx context.Context, by notifier.Actor, s notifier.Subscription) (added bool, err error) {
	if err := s.Validate(); err != nil {
		return false, err
	}
	return t.add(ctx, by, s, 0)
}

// add subscribes a user or a role, which may have at most most topics; 0: no limit.
func (t *Topics) add(ctx context.Context, by notifier.Actor, s notifier.Subscription, most int) (added bool, err error) {
	if err := t.changing.take(ctx); err != nil {
		return false, err
	}
	defer t.changing.give()
	revision, added, err := t.store.SubscribeWithin(ctx, by, s, most)
	if err != nil || !added {
		return false, err
	}
	t.through(ctx, s, revision, true)
	// The store has created the type if it was unknown.
	if _, known := t.types.of(s.Type); !known {
		if err := t.refreshTypes(ctx); err != nil {
			t.o.Log.WarnContext(ctx, "could not reload the notice types", "stage", "topic", "err", err)
		}
	}
	return true, nil
}

// Unsubscribe removes a subscription. It returns false if there was none.
func (t *Topics) Unsubscribe(ctx context.Context, by notifier.Actor, s notifier.Subscription) (removed bool, err error) {
	if err := s.Validate(); err != nil {
		return false, err
	}
	if err := t.changing.take(ctx); err != nil {
		return false, err
	}
	defer t.changing.give()
	revision, removed, err := t.store.Unsubscribe(ctx, by, s)
	if err != nil || !removed {
		return false, err
	}
	t.through(ctx, s, revision, false)
	return true, nil
}

// SubscribeSelf subscribes or unsubscribes a user at their own request; repeating either is not an error. It returns
// notifier.ErrForbidden for subscribing to a type that is not open to users, and for unsubscribing from one that is
// neither open nor mutable. One topic above notifier.MaxSubscriptions is a *notifier.InvalidError. Like other
// settings of users, it is not in the audit log.
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
		_, err := t.Unsubscribe(ctx, notifier.Actor{}, s)
		return err
	}
	if !typ.Open {
		return notifier.ErrForbidden
	}
	_, err := t.add(ctx, notifier.Actor{}, s, notifier.MaxSubscriptions)
	return err
}
