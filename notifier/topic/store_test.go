package topic_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// onBoth runs a test on a real database of each kind.
func onBoth(t *testing.T, promise func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Parallel()
	for name, url := range map[string]func() string{
		"sqlite":   func() string { return "" },
		"postgres": func() string { return sqltest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := store.Open(t.Context(), store.Config{URL: url(), DataDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			for _, name := range []string{"u1", "u2", "u3", "u4", "u5", "u6"} {
				if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 3, Roles: []string{"picker", "packer"}}); err != nil {
					t.Fatal(err)
				}
			}
			promise(t, s)
		})
	}
}

// agree fails the test unless Redis matches the database.
func (s *site) agree(t *testing.T, db *store.Store) {
	t.Helper()
	found, err := db.AllSubscribers(t.Context(), notifier.Topic{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	s.sql = newSQL() // only used to compute the expected state
	for _, of := range found {
		s.sql.subs[of.Topic] = map[notifier.Subscriber]bool{}
		for _, seq := range of.Users {
			s.sql.subs[of.Topic][notifier.Subscriber{User: "u" + itoa(seq)}] = true
		}
		for _, role := range of.Roles {
			s.sql.subs[of.Topic][notifier.Subscriber{Role: role}] = true
		}
	}
	if s.sql.revision, err = db.SubscriptionRevision(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.right(t)
}

func TestRedisAgreesWithARealDatabase(t *testing.T) {
	onBoth(t, func(t *testing.T, db *store.Store) {
		s := &site{rdb: redistest.Client(t), k: redistest.Space(t)}
		o := topic.Options{Every: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler)}
		var instances []*topic.Topics
		for range 2 {
			of := topic.New(s.rdb, s.k, db, o)
			if err := of.Load(t.Context()); err != nil {
				t.Fatal(err)
			}
			instances = append(instances, of)
		}
		s.Topics = instances[0]
		var all sync.WaitGroup
		for i, name := range []string{"u1", "u2", "u3", "u4", "u5", "role:picker", "role:packer"} {
			all.Go(func() {
				for k, topic := range []notifier.Topic{stock, news, stock, other} {
					change := instances[(i+k)%2].Subscribe
					if k == 2 {
						change = instances[i%2].Unsubscribe
					}
					if changed, err := change(t.Context(), notifier.Actor{}, sub(topic, name)); err != nil || !changed {
						t.Errorf("%s, %v: %v, %v", name, topic, changed, err)
					}
				}
			})
		}
		all.Wait()
		for _, of := range instances {
			if of.Behind() { // on a slow machine a change may have waited too long for its turn
				if err := of.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		s.agree(t, db)
		for i, of := range instances {
			if got := who(t, of, stock) + "|" + who(t, of, other); got != "|u1 u2 u3 u4 u5 role:packer role:picker" {
				t.Errorf("instance %d: %q", i, got)
			}
		}
		u, _, err := db.BeginDeletion(t.Context(), "u3")
		if err == nil {
			err = errors.Join(db.Forget(t.Context(), u, nil, nil), db.EndDeletion(t.Context(), u.Seq))
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := db.DeleteRole(t.Context(), "packer"); err != nil {
			t.Fatal(err)
		}
		for i, of := range instances {
			if err := of.Round(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := who(t, of, other); got != "u1 u2 u4 u5 role:picker" {
				t.Errorf("instance %d: %q", i, got)
			}
		}
		s.agree(t, db)
	})
}

func TestTypesAndLimitsHoldOnARealDatabase(t *testing.T) {
	onBoth(t, func(t *testing.T, db *store.Store) {
		s := &site{rdb: redistest.Client(t), k: redistest.Space(t)}
		s.Topics = topic.New(s.rdb, s.k, db, topic.Options{Log: slog.New(slog.DiscardHandler)})
		s.load(t)
		n := notifier.NoticeType{Slug: "news", Names: map[string]string{"ja": "ニュース"}, ExpiresIn: time.Hour, Open: true}
		s.saveType(t, n)
		for range 2 {
			if err := s.Use(t.Context(), []string{"news", "like"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Round(t.Context()); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"like", "news"}, slugs(s.Types())); d != "" || s.Name("news", "ja") != "ニュース" || s.Expiry("news") != time.Hour {
			t.Errorf("%+v", s.Types())
		}
		for i := range notifier.MaxSubscriptions {
			if err := s.self(t, notifier.Topic{Type: "news", Scope: itoa(int64(i))}, true); err != nil {
				t.Fatal(err)
			}
		}
		var bad *notifier.InvalidError
		if err := s.self(t, notifier.Topic{Type: "news", Scope: "more"}, true); !errors.As(err, &bad) || bad.Fields[0].Code != notifier.CodeTooManySubs {
			t.Errorf("one topic above the limit: %v", err)
		}
		if err := s.self(t, notifier.Topic{Type: "news", Scope: "7"}, true); err != nil {
			t.Errorf("subscribe again at the limit: %v", err)
		}
		s.agree(t, db)
	})
}
