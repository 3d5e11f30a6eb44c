package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestANoteAboutAProfileIsLoggedOnceAndEndsWithTheFault(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		var told []string
		db.cfg.Noted = func(_ context.Context, _ int64, notes string) { told = append(told, notes) }
		s := db.open(t)
		token := shop(t, s, "shop")
		name := "Ann"
		say := func(notes notifier.ProfileNotes) notifier.User {
			t.Helper()
			db.clock.move(time.Minute)
			if _, _, _, err := s.Arrive(t.Context(), token("42", db.clock.now(), notifier.TokenProfile{Display: &name, Notes: notes})); err != nil {
				t.Fatal(err)
			}
			u, err := s.UserByName(t.Context(), "42")
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
		bad := notifier.ProfileNotes{Name: notifier.Cut, Email: notifier.Dropped}
		for range 3 {
			if u := say(bad); u.Notes != `{"name":"cut","email":"dropped"}` {
				t.Errorf("the notes are %s", u.Notes)
			}
		}
		address := "ann@example.com"
		if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: "42", Email: &address}); err != nil {
			t.Fatal(err)
		}
		if u := say(notifier.ProfileNotes{Name: notifier.Cut}); u.Notes != `{"name":"cut"}` {
			t.Errorf("after an address by the API the notes are %s", u.Notes)
		}
		if u := say(notifier.ProfileNotes{Name: notifier.Kept}); u.Notes != "" {
			t.Errorf("a right profile has the notes %s", u.Notes)
		}
		if len(told) != 2 {
			t.Errorf("reported %q", told)
		}
	})
}

func TestTheAddressOfAProviderReplacesOnlyItsOwn(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		meet := func(email string) string {
			t.Helper()
			u, _, _, _, err := s.Proxied(t.Context(), notifier.ProxiedUser{Name: "ann", Email: &email, Audience: 2})
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.MailOf(t.Context(), u.Seq)
			if err != nil {
				t.Fatal(err)
			}
			return m.Address
		}
		put := func(address string) {
			t.Helper()
			if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: "ann", Email: &address}); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := meet("a@example.com"), meet("b@example.com"); a != "a@example.com" || b != "b@example.com" {
			t.Errorf("the provider sends a, then b: %q, %q", a, b)
		}
		put(" ann@bücher.example ")
		if got := meet("c@example.com"); got != "ann@xn--bcher-kva.example" {
			t.Errorf("the provider replaces an address of the API by %q", got)
		}
		put("")
		if got := meet("d@example.com"); got != "" {
			t.Errorf("the provider brings back an address that the API has removed: %q", got)
		}
	})
}

func TestUsersWithOddNamesFromBeforeGoOnAndNoneIsAdded(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token := shop(t, s, "shop")
		odd := []string{"ann ", " ann", "ann\u200b", "\ufeffann", "ann\ufe0f", "ann\ufffd"}
		for i, name := range odd {
			_, err := s.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 2})
			if bad := (*notifier.InvalidError)(nil); !errors.As(err, &bad) || bad.Fields[0].Field != "name" {
				t.Errorf("%q is added: %v", name, err)
			}
			_, _, _, err = s.Arrive(t.Context(), token(name, db.clock.now(), notifier.TokenProfile{}))
			if refusal := (*notifier.TokenError)(nil); !errors.As(err, &refusal) || refusal.Claim != "sub" {
				t.Errorf("a token adds %q: %v", name, err)
			}
			if _, err := s.Bring(t.Context(), 1, []string{name}); err == nil {
				t.Errorf("a notice adds %q", name)
			}
			if _, _, _, _, err := s.Proxied(t.Context(), notifier.ProxiedUser{Name: name, Audience: 2}); err == nil {
				t.Errorf("a proxy adds %q", name)
			}
			// Added by an older version.
			if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "plain", Audience: 2}); err != nil {
				t.Fatal(err)
			}
			store.Exec(t, s, `UPDATE users SET name = '`+name+`', name_fold = '`+name+`' WHERE name = 'plain'`)
			if u, _, _, err := s.Arrive(t.Context(), token(name, db.clock.now(), notifier.TokenProfile{})); err != nil || u.Name != name {
				t.Errorf("%q asks: %+v, %v", name, u, err)
			}
			locale := "de"
			if u, created, err := s.PutUser(t.Context(), notifier.PutUser{Name: name, Locale: &locale}); err != nil || created || u.Locale != "de" {
				t.Errorf("%q is changed: %+v, %v", name, u, err)
			}
			if n, err := s.Bring(t.Context(), 1, odd[:i+1]); err != nil || n != 0 {
				t.Errorf("%q gets a notice: %d, %v", name, n, err)
			}
		}
	})
}
