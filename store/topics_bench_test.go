package store_test

import (
	"fmt"
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// warehouses fills a store with users who each subscribe to ten scopes of "stock", with roles that
// subscribe to the same scopes, and with one topic of another type that all users subscribe to.
func warehouses(tb testing.TB, s *store.Store, users int) {
	tb.Helper()
	numbers := fmt.Sprintf(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d), `, users)
	for _, statement := range []string{
		numbers + `x AS (SELECT 1) INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at)
			SELECT n, 'user.' || n, 'user.' || n, '', 2, '', 1 FROM numbers`,
		fmt.Sprintf(`UPDATE sequences SET value = %d WHERE name = 'user'`, users),
		`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100)
			INSERT INTO roles (name, created_at) SELECT 'role.' || n, 1 FROM numbers`,
		numbers + `x AS (SELECT 1) INSERT INTO role_members (role_id, seq) SELECT n % 99 + 2, n FROM numbers`,
		numbers + `x AS (SELECT 1) INSERT INTO role_members (role_id, seq) SELECT 1, n FROM numbers`,
		numbers + `nine (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM nine WHERE i < 8)
			INSERT INTO subscriptions (type, scope, seq, search, created_at)
			SELECT 'stock', 'w' || ((n * 7 + i * 131) % 2000), n, 'stock w' || ((n * 7 + i * 131) % 2000) || ' user.' || n, 1 FROM numbers, nine`,
		numbers + `x AS (SELECT 1) INSERT INTO subscriptions (type, scope, seq, search, created_at)
			SELECT 'news', '', n, 'news user.' || n, 1 FROM numbers`,
		`INSERT INTO subscriptions (type, scope, role_id, search, created_at)
			SELECT 'stock', 'w' || (id * 20), id, 'stock w' || (id * 20) || ' ' || name, 1 FROM roles`,
		`INSERT INTO subscriptions (type, scope, seq, search, created_at) VALUES ('rare', '', 1, 'rare user.1', 1)`,
	} {
		store.Exec(tb, s, statement)
	}
}

// BenchmarkTopics measures a notice to a topic, the staff pages and a start, with 100,000 users and
// a million subscriptions.
func BenchmarkTopics(b *testing.B) {
	onEach(b, func(b *testing.B, s *store.Store) {
		warehouses(b, s, crowd)
		ten := make([]notifier.Topic, 10)
		for i := range ten {
			ten[i] = topic("stock", fmt.Sprint("w", 20*i+20))
		}
		for _, c := range []struct {
			name string
			do   func() (int, error)
		}{
			{"subscribers of one of 450", func() (int, error) { l, err := s.SubscribersOf(b.Context(), ten[:1]); return len(l), err }},
			{"subscribers of ten of 450", func() (int, error) { l, err := s.SubscribersOf(b.Context(), ten); return len(l), err }},
			{"subscribers of one of 100000", func() (int, error) {
				l, err := s.SubscribersOf(b.Context(), []notifier.Topic{topic("news", "")})
				return len(l[0].Users), err
			}},
			{"revision", func() (int, error) { _, err := s.SubscriptionRevision(b.Context()); return 1, err }},
			{"all of them", func() (n int, err error) {
				for after := (notifier.Topic{}); ; {
					l, err := s.AllSubscribers(b.Context(), after, 100)
					if err != nil || len(l) == 0 {
						return n, err
					}
					n, after = n+len(l), l[len(l)-1].Topic
				}
			}},
		} {
			b.Run(c.name, func(b *testing.B) {
				for b.Loop() {
					if n, err := c.do(); n == 0 || err != nil {
						b.Fatal(n, err)
					}
				}
			})
		}
		for name, q := range map[string]notifier.SubscriptionQuery{
			"all": {}, "page": {Before: 500_000}, "type": {Type: "stock"}, "rare type": {Type: "rare"}, "topic": {Type: "stock", Scope: "w20", ByScope: true},
			"large topic": {Type: "news", ByScope: true}, "user": {User: "user.5000"}, "role": {Role: "role.5"},
			"part of many": {Contains: "stock"}, "part of none": {Contains: "qqq"},
		} {
			b.Run("list "+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Subscriptions(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		for name, q := range map[string]notifier.UserQuery{
			"all": {Role: "role.1"}, "one in a hundred": {Role: "role.7"}, "nobody": {Role: "role.1", Contains: "qqq"},
			"newest": {Role: "role.7", ByNewest: true}, "all, newest": {Role: "role.1", ByNewest: true}, "all, later": {Role: "role.1", After: "user.60000"},
		} {
			b.Run("members "+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Users(b.Context(), q); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run("roles", func(b *testing.B) {
			for b.Loop() {
				if _, err := s.RolesPage(b.Context(), notifier.RoleQuery{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("subscribe and leave", func(b *testing.B) {
			for b.Loop() {
				sub := byUser("stock", "new", "user.77")
				if _, _, err := s.Subscribe(b.Context(), notifier.Actor{}, sub); err != nil {
					b.Fatal(err)
				}
				if _, _, err := s.Unsubscribe(b.Context(), notifier.Actor{}, sub); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}
