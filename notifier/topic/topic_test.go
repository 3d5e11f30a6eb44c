package topic_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func TestChangesReachSQLAndRedis(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.right(t) // also without any subscription
		s.subscribe(t, stock, "u42", "role:picker", "u7")
		s.subscribe(t, news, "u7")
		s.right(t)
		got := s.stored(t)
		if d := cmp.Diff([]string{"0", "role:picker", "user:42", "user:7"}, got.Sets["rep_notice:119240"]); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]string{"0", "news:", "rep_notice:119240"}, got.Index); d != "" {
			t.Error(d)
		}
		s.unsubscribe(t, stock, "u42")
		s.right(t)
	})
}

func TestTheLastUnsubscribeDeletesTheSet(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u1", "role:picker")
		s.unsubscribe(t, stock, "role:picker", "u1")
		s.right(t)
		s.subscribe(t, stock, "u2") // the topic may get subscribers again at once
		s.right(t)
		// The same applies when a repair finds it.
		s.sql.leave(notifier.Subscriber{User: "u2"})
		s.sync(t)
		s.right(t)
		if got := s.stored(t); len(got.Sets) != 0 || len(got.Index) != 1 {
			t.Errorf("keys left: %+v", got)
		}
	})
}

func TestRepeatedChangesChangeNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u1")
		if added, err := s.Subscribe(t.Context(), notifier.Actor{}, sub(stock, "u1")); added || err != nil {
			t.Errorf("subscribe again: %v, %v", added, err)
		}
		if removed, err := s.Unsubscribe(t.Context(), notifier.Actor{}, sub(stock, "u2")); removed || err != nil {
			t.Errorf("unsubscribe without a subscription: %v, %v", removed, err)
		}
		s.right(t)
	})
}

func TestSubscribersOfKeepsTheOrderOfTheTopics(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u42", "role:picker", "u7", "role:Abteilung 3", "u1000000")
		s.subscribe(t, news, "u7")
		s.sql.asked("subscribers")
		got, err := s.SubscribersOf(t.Context(), []notifier.Topic{news, stock, news})
		want := []notifier.TopicSubscribers{
			{Topic: news, Users: []int64{7}},
			{Topic: stock, Users: []int64{7, 42, 1000000}, Roles: []string{"Abteilung 3", "picker"}},
			{Topic: news, Users: []int64{7}},
		}
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%v\n%s", err, d)
		}
		if n := s.sql.asked("subscribers"); n != 0 {
			t.Errorf("%d calls to SQL", n)
		}
		got, err = s.SubscribersOf(t.Context(), []notifier.Topic{other, stock})
		if err != nil || len(got) != 2 || names(got[0]) != "" || got[0].Topic != other || len(got[1].Users) != 3 {
			t.Errorf("a topic without subscribers: %+v, %v", got, err)
		}
		if got, err := s.SubscribersOf(t.Context(), nil); err != nil || len(got) != 0 {
			t.Errorf("no topics: %+v, %v", got, err)
		}
		if s.Behind() {
			t.Error("a topic without subscribers counts as lost")
		}
	})
}

func TestOtherInstancesSeeAChangeAtOnce(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		b := s.another(s.rdb)
		if err := b.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.subscribe(t, stock, "u1")
		if got := who(t, b, stock); got != "u1" {
			t.Errorf("%q, want u1", got)
		}
		if _, err := b.Subscribe(t.Context(), notifier.Actor{}, sub(stock, "role:picker")); err != nil {
			t.Fatal(err)
		}
		s.unsubscribe(t, stock, "u1")
		if got := who(t, b, stock); got != "role:picker" {
			t.Errorf("%q, want role:picker", got)
		}
		s.right(t)
	})
}

func TestInvalidSubscriptionsChangeNothing(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.sql.leave(notifier.Subscriber{User: "u9"})
		for _, bad := range []notifier.Subscription{
			{},
			sub(notifier.Topic{Type: "No Type"}, "u1"), sub(notifier.Topic{Type: "news", Scope: "a b"}, "u1"), sub(news, ""), sub(news, "u9"),
			{Topic: news, Subscriber: notifier.Subscriber{User: "u1", Role: "picker"}},
		} {
			var fault *notifier.InvalidError
			if added, err := s.Subscribe(t.Context(), notifier.Actor{}, bad); added || !errors.As(err, &fault) {
				t.Errorf("subscribe %+v: %v, %v", bad, added, err)
			}
			if removed, err := s.Unsubscribe(t.Context(), notifier.Actor{}, bad); removed || bad.User != "u9" && !errors.As(err, &fault) {
				t.Errorf("unsubscribe %+v: %v, %v", bad, removed, err)
			}
		}
		s.right(t)
	})
}

func TestNothingChangesWithoutSQL(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.subscribe(t, stock, "u1")
		s.sql.before = func(string) error { return errAway }
		if _, err := s.Subscribe(t.Context(), notifier.Actor{}, sub(stock, "u2")); !errors.Is(err, errAway) {
			t.Error(err)
		}
		if _, err := s.Unsubscribe(t.Context(), notifier.Actor{}, sub(stock, "u1")); !errors.Is(err, errAway) {
			t.Error(err)
		}
		if got := who(t, s.Topics, stock); got != "u1" { // Redis serves what is certain
			t.Errorf("%q, want u1", got)
		}
		if _, err := s.SubscribersOf(t.Context(), []notifier.Topic{other}); !errors.Is(err, errAway) {
			t.Errorf("a topic that only SQL knows: %v", err)
		}
		s.right(t)
	})
}
