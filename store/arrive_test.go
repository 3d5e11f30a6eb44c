package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// shop adds an app and returns a function that makes its tokens.
func shop(t *testing.T, s *store.Store, name string) func(sub string, issued time.Time, p notifier.TokenProfile) *notifier.UserToken {
	t.Helper()
	a, err := s.AddApp(t.Context(), notifier.Actor{}, notifier.App{Name: name, Audience: 3, MaxLife: time.Hour, Roles: []string{"picker", "vip"}}, nil, []byte(name))
	if err != nil {
		t.Fatal(err)
	}
	return func(sub string, issued time.Time, p notifier.TokenProfile) *notifier.UserToken {
		return &notifier.UserToken{App: a, Subject: sub, IssuedAt: issued, Expires: issued.Add(15 * time.Minute), Profile: p}
	}
}

func told[T any](v T) *T { return &v }

func TestFirstTokenCreatesItsUser(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token := shop(t, s, "shop")
		now := db.clock.now()
		first := token("42", now, notifier.TokenProfile{Display: told("Bob Müller"), Locale: told("de"), Roles: told([]string{"picker", "vip"})})
		u, created, _, err := s.Arrive(t.Context(), first)
		want := notifier.User{Seq: 1, Name: "42", Display: "Bob Müller", Audience: 3, Settings: notifier.Settings{Locale: "de"}, Roles: []string{"picker", "vip"}}
		if diff := cmp.Diff(want, u); diff != "" || !created || err != nil {
			t.Fatalf("%v, %v (-want +got):\n%s", created, err, diff)
		}
		if again, created, changed, err := s.Arrive(t.Context(), first); err != nil || created || changed || again.Seq != 1 {
			t.Errorf("the same token again: %+v, created %v, changed %v, %v", again, created, changed, err)
		}
		reading := token("43", now, notifier.TokenProfile{Display: told("Eve")})
		reading.ReadOnly = true
		_, _, _, err = s.Arrive(t.Context(), reading)
		wantIs(t, err, notifier.ErrNotFound)
		reading.Subject, reading.IssuedAt = "42", now.Add(time.Minute)
		if u, _, changed, err := s.Arrive(t.Context(), reading); err != nil || changed || u.Display != "Bob Müller" {
			t.Errorf("a read-only token changed %+v, %v", u, err)
		}
		if u, _, changed, err := s.Arrive(t.Context(), token("42", now.Add(time.Minute), notifier.TokenProfile{Audience: told(notifier.Audience(1)), Display: told("")})); err != nil ||
			!changed || u.Audience != 1 || u.Display != "" || u.Locale != "de" || len(u.Roles) != 2 {
			t.Errorf("a newer token made %+v, %v", u, err)
		}
		if c, found, err := s.ChangedUser(t.Context(), 1); err != nil || !found || !c.Moved {
			t.Errorf("instances receive %+v, %v, %v", c, found, err)
		}
	})
}

func TestLanguageThatAUserChoseStays(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token, now := shop(t, s, "shop"), db.clock.now()
		says := func(after time.Duration, locale string) string {
			t.Helper()
			u, _, _, err := s.Arrive(t.Context(), token("42", now.Add(after), notifier.TokenProfile{Locale: &locale}))
			if err != nil {
				t.Fatal(err)
			}
			return u.Locale
		}
		got := []string{says(0, "de"), says(time.Second, "fr")}
		if _, err := s.SetSettings(t.Context(), 1, notifier.PutSettings{Locale: new("ja")}); err != nil {
			t.Fatal(err)
		}
		got = append(got, says(2*time.Second, "it"))
		if want := []string{"de", "fr", "ja"}; !slices.Equal(got, want) {
			t.Errorf("languages %v, want %v", got, want)
		}
	})
}

func TestRolesOfAnAppNeverTouchOthers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		a, b, now := shop(t, s, "a"), shop(t, s, "b"), db.clock.now()
		arrive := func(token *notifier.UserToken) []string {
			t.Helper()
			u, _, _, err := s.Arrive(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			return u.Roles
		}
		roles := func(all ...string) notifier.TokenProfile { return notifier.TokenProfile{Roles: &all} }
		arrive(a("42", now, roles("picker")))
		if err := s.AddRole(t.Context(), "42", "staff"); err != nil {
			t.Fatal(err)
		}
		if err := s.AddRole(t.Context(), "42", "picker"); err != nil { // now granted manually as well
			t.Fatal(err)
		}
		if got, want := arrive(b("42", now.Add(1*time.Second), roles("vip"))), []string{"picker", "staff", "vip"}; !slices.Equal(got, want) {
			t.Errorf("after another app: %v, want %v", got, want)
		}
		if got, want := arrive(a("42", now.Add(2*time.Second), roles())), []string{"picker", "staff", "vip"}; !slices.Equal(got, want) {
			t.Errorf("after the app removed its roles: %v, want %v", got, want)
		}
		if got, want := arrive(b("42", now.Add(3*time.Second), roles())), []string{"picker", "staff"}; !slices.Equal(got, want) {
			t.Errorf("after the other app removed its roles: %v, want %v", got, want)
		}
	})
}

func TestSignedOutAndDeletedUsersNeedANewToken(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token := shop(t, s, "shop")
		arrive := func(issued time.Time) (string, error) {
			u, _, _, err := s.Arrive(t.Context(), token("42", issued, notifier.TokenProfile{}))
			return u.Name, err
		}
		revoked := func(what string, issued time.Time) {
			t.Helper()
			var refusal *notifier.TokenError
			if _, err := arrive(issued); !errors.As(err, &refusal) || refusal.Code != notifier.TokenRevoked {
				t.Errorf("%s: %v, want %s", what, err, notifier.TokenRevoked)
			}
		}
		welcome := func(what string, issued time.Time) {
			t.Helper()
			if name, err := arrive(issued); err != nil || name != "42" {
				t.Errorf("%s: %q, %v", what, name, err)
			}
		}
		now := db.clock.now()
		welcome("the first token", now)
		if _, err := s.EndSessions(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		revoked("a token of the same second", now)
		welcome("a token of the next second", now.Add(time.Second))

		db.clock.move(10 * time.Second)
		d, _, err := s.BeginDeletion(t.Context(), "42")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.Forget(t.Context(), d, nil, nil), s.EndDeletion(t.Context(), d.Seq)); err != nil {
			t.Fatal(err)
		}
		revoked("an open tab of a deleted user", now.Add(10*time.Second))
		welcome("the user comes back", now.Add(11*time.Second))
		if u := must(s.UserByName(t.Context(), "42"))(t); u.Seq == d.Seq {
			t.Error("the new user has the number of the deleted one")
		}
	})
}

func TestAnAppCreatesUsersAtALimitedRate(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token, n := shop(t, s, "shop"), 0
		create := func(want int) {
			t.Helper()
			for made := 0; ; made++ {
				_, created, _, err := s.Arrive(t.Context(), token(fmt.Sprint("user ", n), db.clock.now(), notifier.TokenProfile{}))
				var many *notifier.TooManyError
				if errors.As(err, &many) {
					if made != want || many.RetryAfter <= 0 {
						t.Errorf("%d users were created, want %d; retry after %v", made, want, many.RetryAfter)
					}
					return
				}
				if err != nil || !created {
					t.Fatal(created, err)
				}
				n++
			}
		}
		create(1000)
		db.clock.move(2 * time.Second)
		create(100)
	})
}

func TestAnAppBringsTheUsersThatItSendsTo(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		a := shop(t, s, "shop")("42", db.clock.now(), notifier.TokenProfile{}).App
		if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "bob", Audience: 1}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{2, 0} {
			if n, err := s.Bring(t.Context(), a.ID, []string{"42", "bob", "43", "42"}); err != nil || n != want {
				t.Fatalf("%d users were created, want %d: %v", n, want, err)
			}
		}
		if u := must(s.UserByName(t.Context(), "43"))(t); u.Audience != 3 {
			t.Errorf("the user is in audience %d", u.Audience)
		}
		many := make([]string, 1001)
		for i := range many {
			many[i] = fmt.Sprint("user ", i)
		}
		var late *notifier.TooManyError
		if _, err := s.Bring(t.Context(), a.ID, many); !errors.As(err, &late) {
			t.Errorf("1,001 users at once: %v", err)
		}
		if _, err := s.UserByName(t.Context(), "user 0"); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("some of them were created: %v", err)
		}
		if _, err := s.RevokeApp(t.Context(), notifier.Actor{}, "shop"); err != nil {
			t.Fatal(err)
		}
		_, err := s.Bring(t.Context(), a.ID, []string{"44"})
		wantIs(t, err, notifier.ErrNotFound)
	})
}

// TestProfileComesFromTheNewestToken: each claim comes from the newest token, regardless of the order of arrival.
func TestProfileComesFromTheNewestToken(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token, start, users := shop(t, s, "shop"), db.clock.now(), 0
		rapid.Check(t, func(rt *rapid.T) {
			users++
			name, newest := fmt.Sprint("user ", users), int64(-1)
			want := notifier.User{Name: name, Audience: 3}
			for range rapid.IntRange(1, 8).Draw(rt, "tokens") {
				at := rapid.Int64Range(0, 6).Draw(rt, "iat")
				p := notifier.TokenProfile{}
				if rapid.Bool().Draw(rt, "says name") {
					p.Display = told(rapid.SampledFrom([]string{"", "A", "B"}).Draw(rt, "name"))
				}
				if rapid.Bool().Draw(rt, "says audience") {
					p.Audience = told(notifier.Audience(rapid.IntRange(0, 2).Draw(rt, "audience")))
				}
				if rapid.Bool().Draw(rt, "says roles") {
					p.Roles = told(rapid.SampledFrom([][]string{{}, {"picker"}, {"picker", "vip"}}).Draw(rt, "roles"))
				}
				got, created, _, err := s.Arrive(t.Context(), token(name, start.Add(time.Duration(at)*time.Second), p))
				if err != nil {
					rt.Fatal(err)
				}
				if p != (notifier.TokenProfile{}) && at > newest {
					newest = at
					if p.Display != nil {
						want.Display = *p.Display
					}
					if p.Audience != nil {
						want.Audience = *p.Audience
						if want.Audience == 0 {
							want.Audience = 3
						}
					}
					if p.Roles != nil {
						want.Roles = nil
						want.Roles = append(want.Roles, *p.Roles...)
					}
				} else if created {
					newest = max(newest, at)
				}
				want.Seq = got.Seq
				if diff := cmp.Diff(want, got); diff != "" {
					rt.Fatalf("after a token of %d (-want +got):\n%s", at, diff)
				}
			}
		})
	})
}
