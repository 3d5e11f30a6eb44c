package handlers

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Topics knows the types of notices and changes subscriptions; see notifier/topic.
type Topics interface {
	// Types lists the known types, by slug. Callers share the slice and must not change it: when
	// a type changes, a new slice replaces it.
	Types() []notifier.NoticeType
	// Name is the name of a type in a language, else in English, else its slug.
	Name(typ, lang string) string
	// Mutable reports whether users may mute the type. An unknown type can be muted.
	Mutable(typ string) bool
	// Expiry is the default lifetime of notices of the type; 0 means the general default.
	Expiry(typ string) time.Duration
	// SaveType creates or replaces a type. Invalid fields are a *notifier.InvalidError.
	SaveType(ctx context.Context, by notifier.Actor, t notifier.NoticeType) error
	// DeleteType returns notifier.ErrNotFound for an unknown type and notifier.ErrConflict while
	// it has subscribers.
	DeleteType(ctx context.Context, by notifier.Actor, slug string) error
	// DeleteUndescribed deletes all types without a description or subscribers, and returns how
	// many.
	DeleteUndescribed(ctx context.Context, by notifier.Actor) (int64, error)
	// Subscribe returns false if the subscription existed already. Invalid fields, such as an
	// unknown user or role, are a *notifier.InvalidError.
	Subscribe(ctx context.Context, by notifier.Actor, s notifier.Subscription) (added bool, err error)
	// Unsubscribe returns false if there was no such subscription.
	Unsubscribe(ctx context.Context, by notifier.Actor, s notifier.Subscription) (removed bool, err error)
	// SubscribeSelf is for users acting for themselves: it returns notifier.ErrForbidden for a
	// type that they may not choose. Other errors are a *notifier.InvalidError.
	SubscribeSelf(ctx context.Context, u notifier.User, topic notifier.Topic, on bool) error
}

// Subscriptions lists subscriptions; see store.
type Subscriptions interface {
	Subscriptions(ctx context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error)
}
