package handlers

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Topics knows the types of notices, and changes who subscribes to what; see
// notifier/topic.
type Topics interface {
	// Types lists what is known, by slug. The answer is for many and stays as it is:
	// when a type changes, another slice takes its place.
	Types() []notifier.NoticeType
	// Name is what a type is called in a language; else in English, else its slug.
	Name(typ, lang string) string
	// Mutable says whether users may mute the type. One that is not known is.
	Mutable(typ string) bool
	// Expiry is how long notices of the type live that say nothing about it; 0: as
	// long as any.
	Expiry(typ string) time.Duration
	// SaveType makes a type or replaces it. Its faults are a *notifier.InvalidError.
	SaveType(ctx context.Context, t notifier.NoticeType) error
	// DeleteType is notifier.ErrNotFound when there is none, notifier.ErrConflict
	// while somebody subscribes to it.
	DeleteType(ctx context.Context, slug string) error
	// Subscribe is false when he did already. Its faults, such as an unknown user or
	// role, are a *notifier.InvalidError.
	Subscribe(ctx context.Context, s notifier.Subscription) (added bool, err error)
	// Unsubscribe is false when he did not.
	Unsubscribe(ctx context.Context, s notifier.Subscription) (removed bool, err error)
	// SubscribeSelf is for a user who does it himself: it is notifier.ErrForbidden for
	// a type that leaves him no choice. Other faults are a *notifier.InvalidError.
	SubscribeSelf(ctx context.Context, u notifier.User, topic notifier.Topic, on bool) error
}

// Subscriptions lists who subscribes to what; see store.
type Subscriptions interface {
	Subscriptions(ctx context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error)
}
