package handlers_test

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// topics is a fake. Methods without a function must not be called.
type topics struct {
	audit *audit
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

func (t *topics) SaveType(_ context.Context, by notifier.Actor, nt notifier.NoticeType) error {
	err := t.saveType(nt)
	t.audit.deed(by, "type.save", notifier.TypeRef(nt.Slug), "", err)
	return err
}

func (t *topics) DeleteType(_ context.Context, by notifier.Actor, slug string) error {
	err := t.deleteType(slug)
	t.audit.deed(by, "type.delete", notifier.TypeRef(slug), "", err)
	return err
}

func (t *topics) DeleteUndescribed(_ context.Context, by notifier.Actor) (int64, error) {
	n, err := t.tidied()
	t.audit.deed(by, "type.tidy", notifier.Ref{}, strconv.FormatInt(n, 10), err)
	return n, err
}

func (t *topics) Subscribe(_ context.Context, by notifier.Actor, s notifier.Subscription) (bool, error) {
	added, err := t.subscribe(s)
	if object, topic := s.Audited(); added {
		t.audit.deed(by, "subscription.add", object, topic, err)
	}
	return added, err
}

func (t *topics) Unsubscribe(_ context.Context, by notifier.Actor, s notifier.Subscription) (bool, error) {
	removed, err := t.unsubscribe(s)
	if object, topic := s.Audited(); removed {
		t.audit.deed(by, "subscription.remove", object, topic, err)
	}
	return removed, err
}

func (t *topics) SubscribeSelf(_ context.Context, u notifier.User, topic notifier.Topic, on bool) error {
	return t.self(u, topic, on)
}

type subscriptions func(q notifier.SubscriptionQuery) ([]notifier.Subscription, error)

func (s subscriptions) Subscriptions(_ context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error) {
	return s(q)
}
