package store_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func wantTypes(t *testing.T, s *store.Store, want ...notifier.NoticeType) {
	t.Helper()
	if diff := cmp.Diff(want, must(s.Types(t.Context()))(t)); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

func TestFirstUseCreatesATypeAndLaterUsesKeepIt(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		wantTypes(t, s)
		ensure := func(slugs ...string) {
			t.Helper()
			if err := s.EnsureTypes(t.Context(), slugs); err != nil {
				t.Errorf("use %q: %v", slugs, err)
			}
		}
		first := db.clock.now()
		ensure()
		ensure("stock", "like", "stock")
		like := notifier.NoticeType{Slug: "like", Names: map[string]string{"en": "Likes", "ja": "いいね"}, ExpiresIn: 72 * time.Hour, NoMute: true, Open: true}
		if err := s.SaveType(t.Context(), notifier.Actor{}, like); err != nil {
			t.Fatal(err)
		}
		db.clock.move(time.Hour)
		ensure("like", "a.b_c-d", "stock")
		like.CreatedAt = first
		added, stock := notifier.NoticeType{Slug: "a.b_c-d", CreatedAt: db.clock.now()}, notifier.NoticeType{Slug: "stock", CreatedAt: first}
		wantTypes(t, s, added, like, stock)
		for _, bad := range []string{"", "Like", "a b", "a\x00", "\xff", strings.Repeat("a", 64)} {
			invalid(t, s.EnsureTypes(t.Context(), []string{"fine", bad}), "type", notifier.CodeBadType, nil)
		}
		wantTypes(t, s, added, like, stock)
	})
}

func TestSaveTypeReplacesTheDescription(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		made := db.clock.now()
		save := func(typ notifier.NoticeType) error { return s.SaveType(t.Context(), notifier.Actor{}, typ) }
		if err := save(notifier.NoticeType{
			Slug: "news", Names: map[string]string{"en": "News", "zh-Hans": "新闻 \"<&>'", "ja": ""}, ExpiresIn: 1500 * time.Millisecond, Open: true, Icon: "truck", Color: "teal",
		}); err != nil {
			t.Fatal(err)
		}
		wantTypes(t, s, notifier.NoticeType{
			Slug: "news", Names: map[string]string{"en": "News", "zh-Hans": "新闻 \"<&>'"}, ExpiresIn: 1500 * time.Millisecond, Open: true, Icon: "truck", Color: "teal", CreatedAt: made,
		})
		db.clock.move(time.Hour)
		if err := save(notifier.NoticeType{Slug: "news", NoMute: true, CreatedAt: db.clock.now()}); err != nil {
			t.Fatal(err)
		}
		wantTypes(t, s, notifier.NoticeType{Slug: "news", NoMute: true, CreatedAt: made})
		invalid(t, save(notifier.NoticeType{}), "slug", notifier.CodeRequired, nil)
		invalid(t, save(notifier.NoticeType{Slug: "News"}), "slug", notifier.CodeBadType, nil)
		invalid(t, save(notifier.NoticeType{Slug: "news", ExpiresIn: -1}), "expires_in", notifier.CodeExpiresPast, nil)
		wantTypes(t, s, notifier.NoticeType{Slug: "news", NoMute: true, CreatedAt: made})
	})
}

func TestTypeWithSubscriptionsIsNotDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice", "picker")
		subscribe(t, s, byUser("stock", "1", "alice"), byRole("order", "", "picker"))
		if err := s.EnsureTypes(t.Context(), []string{"like"}); err != nil {
			t.Fatal(err)
		}
		wantIs(t, s.DeleteType(t.Context(), notifier.Actor{}, "stock"), notifier.ErrConflict)
		wantIs(t, s.DeleteType(t.Context(), notifier.Actor{}, "order"), notifier.ErrConflict)
		for _, unknown := range []string{"lik", "", "a\x00", "\xff"} {
			wantIs(t, s.DeleteType(t.Context(), notifier.Actor{}, unknown), notifier.ErrNotFound)
		}
		if _, removed, err := s.Unsubscribe(t.Context(), notifier.Actor{}, byUser("stock", "1", "alice")); err != nil || !removed {
			t.Fatal(removed, err)
		}
		revision := must(s.SubscriptionRevision(t.Context()))(t)
		for _, slug := range []string{"stock", "like"} {
			if err := s.DeleteType(t.Context(), notifier.Actor{}, slug); err != nil {
				t.Errorf("delete %s: %v", slug, err)
			}
			wantIs(t, s.DeleteType(t.Context(), notifier.Actor{}, slug), notifier.ErrNotFound)
		}
		wantTypes(t, s, notifier.NoticeType{Slug: "order", CreatedAt: db.clock.now()})
		if got := must(s.SubscriptionRevision(t.Context()))(t); got != revision {
			t.Errorf("deleting types raised the revision from %d to %d", revision, got)
		}
	})
}

// TestConcurrentSubscribeAndDeleteTypeAgree: a subscription never exists without its type.
func TestConcurrentSubscribeAndDeleteTypeAgree(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		addUser(t, stores[0], "alice")
		for range 20 {
			var wg sync.WaitGroup
			wg.Go(func() { subscribe(t, stores[0], byUser("stock", "1", "alice")) })
			wg.Go(func() { _ = stores[1].DeleteType(t.Context(), notifier.Actor{}, "stock") })
			wg.Go(func() {
				if err := stores[1].EnsureTypes(t.Context(), []string{"stock", "order", "like"}); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
			if types := must(stores[0].Types(t.Context()))(t); len(types) != 3 {
				t.Fatalf("types are %v; want stock among them", types)
			}
			if _, removed, err := stores[0].Unsubscribe(t.Context(), notifier.Actor{}, byUser("stock", "1", "alice")); err != nil || !removed {
				t.Fatal(removed, err)
			}
			for _, slug := range []string{"stock", "order", "like"} {
				if err := stores[0].DeleteType(t.Context(), notifier.Actor{}, slug); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func TestDeleteUndescribedDeletesOnlyUndescribedTypes(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		if err := s.EnsureTypes(t.Context(), []string{"junk.1", "junk.2", "wanted"}); err != nil {
			t.Fatal(err)
		}
		addUser(t, s, "alice")
		if _, _, err := s.SubscribeWithin(t.Context(), notifier.Actor{}, byUser("wanted", "", "alice"), 0); err != nil {
			t.Fatal(err)
		}
		for _, described := range []notifier.NoticeType{
			{Slug: "named", Names: map[string]string{"en": "Named"}}, {Slug: "brief", ExpiresIn: time.Hour}, {Slug: "loud", NoMute: true}, {Slug: "open", Open: true},
		} {
			if err := s.SaveType(t.Context(), notifier.Actor{}, described); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []int64{2, 0} {
			if n := must(s.DeleteUndescribed(t.Context(), notifier.Actor{}))(t); n != want {
				t.Errorf("%d types were deleted, want %d", n, want)
			}
		}
		var left []string
		for _, each := range must(s.Types(t.Context()))(t) {
			left = append(left, each.Slug)
		}
		if diff := cmp.Diff([]string{"brief", "loud", "named", "open", "wanted"}, left); diff != "" {
			t.Error(diff)
		}
	})
}
