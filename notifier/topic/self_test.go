package topic_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

var alice = notifier.User{Seq: 1, Name: "u1"}

func (s *site) self(t tb, topic notifier.Topic, on bool) error {
	t.Helper()
	return s.SubscribeSelf(t.Context(), alice, topic, on)
}

func TestUsersSubscribeToOpenTypesAndUnsubscribe(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.saveType(t, notifier.NoticeType{Slug: "news", Open: true})
		for range 2 { // repeating is no error
			if err := s.self(t, news, true); err != nil {
				t.Fatal(err)
			}
		}
		if got := who(t, s.Topics, news); got != "u1" {
			t.Errorf("%q", got)
		}
		s.right(t)
		for range 2 {
			if err := s.self(t, news, false); err != nil {
				t.Fatal(err)
			}
		}
		s.right(t)
	})
}

func TestTheTypeDecidesWhatUsersMayDoThemselves(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		noMute, open bool
		begin, end   error
	}{
		{"closed", false, false, notifier.ErrForbidden, nil},
		{"open", false, true, nil, nil},
		{"no choice", true, false, notifier.ErrForbidden, notifier.ErrForbidden},
		{"open, not mutable", true, true, nil, nil},
	}
	for _, tt := range tests {
		s := newSite(t, redistest.Client(t))
		s.saveType(t, notifier.NoticeType{Slug: "news", NoMute: tt.noMute, Open: tt.open})
		if err := s.self(t, news, true); !errors.Is(err, tt.begin) {
			t.Errorf("%s: subscribe: %v, want %v", tt.name, err, tt.begin)
		}
		if _, err := s.Subscribe(t.Context(), notifier.Actor{}, sub(news, "u1")); err != nil { // staff may always subscribe a user
			t.Fatal(err)
		}
		if err := s.self(t, news, false); !errors.Is(err, tt.end) {
			t.Errorf("%s: unsubscribe: %v, want %v", tt.name, err, tt.end)
		}
		if left := who(t, s.Topics, news); (left == "") != (tt.end == nil) {
			t.Errorf("%s: subscribers left: %q", tt.name, left)
		}
	}
	s := newSite(t, redistest.Client(t))
	if err := s.self(t, news, true); !errors.Is(err, notifier.ErrForbidden) {
		t.Errorf("unknown type: %v", err)
	}
	var bad *notifier.InvalidError
	if err := s.self(t, notifier.Topic{Type: "No type", Scope: "a b"}, true); !errors.As(err, &bad) || len(bad.Fields) != 2 {
		t.Errorf("invalid topic: %v", err)
	}
}

func TestUsersSubscribeToALimitedNumberOfTopics(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Client(t))
	s.saveType(t, notifier.NoticeType{Slug: "news", Open: true})
	at := func(i int) notifier.Topic { return notifier.Topic{Type: "news", Scope: itoa(int64(i))} }
	for i := range notifier.MaxSubscriptions {
		if err := s.self(t, at(i), true); err != nil {
			t.Fatal(err)
		}
	}
	want := &notifier.InvalidError{Fields: []notifier.FieldError{
		{Field: "type", Code: "too_many_subs", Params: map[string]any{"Max": notifier.MaxSubscriptions}},
	}}
	if d := cmp.Diff(error(want), s.self(t, at(999), true)); d != "" {
		t.Error(d)
	}
	if err := s.self(t, at(7), true); err != nil {
		t.Errorf("subscribe again at the limit: %v", err)
	}
	if err := s.self(t, at(7), false); err != nil {
		t.Error(err)
	}
	if err := s.self(t, at(999), true); err != nil {
		t.Errorf("subscribe after unsubscribing from one: %v", err)
	}
	s.right(t)
}
