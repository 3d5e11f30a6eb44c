package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// With zero patience each call examines the minimum: three calls to find the only match, at the end, and to find
// that there is no other.
func TestASlowSearchForUsersContinuesWhereItStopped(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		store.Exec(t, s, `INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at)
			WITH RECURSIVE numbers (n) AS (SELECT 100001 UNION ALL SELECT n + 1 FROM numbers WHERE n < 150000)
			SELECT n, 'u' || n, 'u' || n, '', CASE WHEN n IN (100100, 149900) THEN 3 ELSE 2 END, '', 0 FROM numbers`)
		q := notifier.UserQuery{Audience: 3}
		var got, ends []string
		for {
			found, reached, err := s.SearchUsers(t.Context(), q, time.Nanosecond)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range found {
				got = append(got, u.Name)
			}
			if ends = append(ends, reached); reached == "" {
				break
			}
			q.After = reached
		}
		want, wantEnds := []string{"u100100", "u149900"}, []string{"u120000", "u140000", ""}
		if !slices.Equal(got, want) || !slices.Equal(ends, wantEnds) {
			t.Errorf("found %v, ended at %v; want %v and %v", got, ends, want, wantEnds)
		}
		full, reached, err := s.SearchUsers(t.Context(), notifier.UserQuery{Audience: 2}, time.Nanosecond)
		if err != nil || len(full) != 50 || reached != "" {
			t.Errorf("a full page has %d users and ended at %q: %v", len(full), reached, err)
		}
		all, reached, err := s.SearchUsers(t.Context(), q, time.Hour)
		if err != nil || len(all) != 1 || reached != "" {
			t.Errorf("with time it finds %d from %q on, and ended at %q: %v", len(all), q.After, reached, err)
		}
	})
}

func TestUsersAreFilteredByAudienceAndRange(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for name, audience := range map[string]notifier.Audience{"ann": 2, "Bea": 3, "bob": 2, "cid": 3} {
			if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: audience, Roles: []string{"r"}, Email: name + "@example.com"}); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			query notifier.UserQuery
			want  []string
		}{
			{notifier.UserQuery{Audience: 3}, []string{"Bea", "cid"}},
			{notifier.UserQuery{Audience: 3, Contains: "B", Role: "r"}, []string{"Bea"}},
			{notifier.UserQuery{After: "ann", UpTo: "bob"}, []string{"Bea", "bob"}},
			{notifier.UserQuery{After: "cid", UpTo: "Bea", Descending: true}, []string{"bob", "Bea"}},
			{notifier.UserQuery{Audience: 9}, nil},
		} {
			var got []string
			for _, u := range must(s.Users(t.Context(), c.query))(t) {
				got = append(got, u.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.query, diff)
			}
		}
	})
}

func TestMailAddressesOfManyAreReadTogether(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		want := map[int64]string{}
		var seqs []int64
		for _, name := range []string{"ann", "bob", "cid"} {
			email := name + "@example.com"
			if name == "bob" {
				email = ""
			}
			u := must(s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 2, Email: email}))(t)
			if seqs = append(seqs, u.Seq); email != "" {
				want[u.Seq] = email
			}
		}
		if diff := cmp.Diff(want, must(s.MailAddresses(t.Context(), append(seqs, 99)))(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestUsersAreFoundByTheBeginningOfTheirMailAddress(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for name, email := range map[string]string{"u1": "Mary.Major@example.com", "u2": "major@example.com", "u3": "", "Mary": ""} {
			must(s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 2, Email: email}))(t)
		}
		for part, want := range map[string][]string{"mARY": {"Mary", "u1"}, "major@": {"u2"}, "example": nil, "%": nil, "u": {"u1", "u2", "u3"}} {
			found, _, err := s.SearchUsers(t.Context(), notifier.UserQuery{Contains: part, ByMail: true}, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, u := range found {
				got = append(got, u.Name)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q finds %q, want %q", part, got, want)
			}
		}
		if some := must(s.Users(t.Context(), notifier.UserQuery{Contains: "major@"}))(t); len(some) != 0 {
			t.Errorf("a search by name reads addresses: %+v", some)
		}
		if n := must(s.CountUsers(t.Context()))(t); n != 4 {
			t.Errorf("%d users, want 4", n)
		}
	})
}

// With zero patience a count examines the first step only.
func TestMatchesAreCountedAsFarAsPatienceReaches(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		store.Exec(t, s, `INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at)
			WITH RECURSIVE numbers (n) AS (SELECT 100001 UNION ALL SELECT n + 1 FROM numbers WHERE n < 150000)
			SELECT n, 'u' || n, 'u' || n, '', CASE WHEN n IN (100100, 149900) THEN 3 ELSE 2 END, '', 0 FROM numbers`)
		for _, c := range []struct {
			query    notifier.UserQuery
			patience time.Duration
			n        int64
			whole    bool
		}{
			{notifier.UserQuery{Audience: 3}, 0, 1, false},
			{notifier.UserQuery{Audience: 3, Limit: 1, After: "u2", ByNewest: true}, time.Hour, 2, true},
			{notifier.UserQuery{Contains: "9900"}, time.Hour, 5, true},
			{notifier.UserQuery{Role: "nobody"}, time.Hour, 0, true},
			{notifier.UserQuery{}, time.Hour, 50_000, true},
		} {
			if n, whole, err := s.CountMatches(t.Context(), c.query, c.patience); err != nil || n != c.n || whole != c.whole {
				t.Errorf("%+v: %d, whole %t, %v; want %d, %t", c.query, n, whole, err, c.n, c.whole)
			}
		}
	})
}

func TestUsersAreFilteredByWhatTheyHaveUnreadAndByActivity(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		seqs := map[string]int64{}
		for _, name := range []string{"ann", "bea", "cid", "dan", "eve"} {
			seqs[name] = must(s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 2}))(t).Seq
		}
		err := s.SaveSnapshots(t.Context(), []notifier.Snapshot{
			{Seq: seqs["ann"], Ver: 1, Unread: 2}, {Seq: seqs["bea"], Ver: 1, Opened: 7}, {Seq: seqs["cid"], Ver: 1, Unread: 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.CreateSession(t.Context(), "s", notifier.Signed{User: notifier.User{Seq: seqs["cid"]}}, db.clock.now()); err != nil {
			t.Fatal(err)
		}
		must(s.SetZone(t.Context(), seqs["dan"], "Asia/Tokyo"))(t)
		for _, c := range []struct {
			query notifier.UserQuery
			want  []string
		}{
			{notifier.UserQuery{Unread: true}, []string{"ann", "cid"}},
			{notifier.UserQuery{Inactive: true}, []string{"ann", "eve"}},
			{notifier.UserQuery{Unread: true, Inactive: true}, []string{"ann"}},
		} {
			var got []string
			for _, u := range must(s.Users(t.Context(), c.query))(t) {
				got = append(got, u.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.query, diff)
			}
		}
	})
}
