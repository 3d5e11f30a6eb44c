package handlers_test

import (
	"context"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// topics is a fake. Methods without a function must not be called.
type topics struct {
	types []notifier.NoticeType

	saveType    func(t notifier.NoticeType) error
	tidied      func() (int64, error)
	deleteType  func(slug string) error
	subscribe   func(s notifier.Subscription) (bool, error)
	unsubscribe func(s notifier.Subscription) (bool, error)
	self        func(u notifier.User, topic notifier.Topic, on bool) error
}

func (t *topics) Types() []notifier.NoticeType { return t.types }

func (t *topics) find(typ string) notifier.NoticeType {
	if i := slices.IndexFunc(t.types, func(each notifier.NoticeType) bool { return each.Slug == typ }); i >= 0 {
		return t.types[i]
	}
	return notifier.NoticeType{}
}

func (t *topics) Name(typ, lang string) string {
	names := t.find(typ).Names
	for _, name := range []string{names[lang], names["en"]} {
		if name != "" {
			return name
		}
	}
	return typ
}

func (t *topics) Mutable(typ string) bool         { return !t.find(typ).NoMute }
func (t *topics) Expiry(typ string) time.Duration { return t.find(typ).ExpiresIn }

func (t *topics) SaveType(_ context.Context, nt notifier.NoticeType) error { return t.saveType(nt) }

func (t *topics) DeleteType(_ context.Context, slug string) error { return t.deleteType(slug) }

func (t *topics) DeleteUndescribed(context.Context) (int64, error) { return t.tidied() }

func (t *topics) Subscribe(_ context.Context, s notifier.Subscription) (bool, error) {
	return t.subscribe(s)
}

func (t *topics) Unsubscribe(_ context.Context, s notifier.Subscription) (bool, error) {
	return t.unsubscribe(s)
}

func (t *topics) SubscribeSelf(_ context.Context, u notifier.User, topic notifier.Topic, on bool) error {
	return t.self(u, topic, on)
}

type subscriptions func(q notifier.SubscriptionQuery) ([]notifier.Subscription, error)

func (s subscriptions) Subscriptions(_ context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error) {
	return s(q)
}
