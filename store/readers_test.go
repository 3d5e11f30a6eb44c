package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestUsersOfAnAppReadOnItsPagesUnlessTheyCanSignInHere(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token := shop(t, s, "shop")
		app := token("x", time.Time{}, notifier.TokenProfile{}).App.ID
		reader := func(seq int64) int64 {
			t.Helper()
			id, _, err := s.ReaderApps(t.Context(), seq, notifier.Ref{})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		arrived, _, _, err := s.Arrive(t.Context(), token("42", db.clock.now(), notifier.TokenProfile{}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Bring(t.Context(), app, []string{"43", "44"}); err != nil {
			t.Fatal(err)
		}
		local, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "ann", PasswordHash: "x", Audience: 2})
		if err != nil {
			t.Fatal(err)
		}
		for seq, want := range map[int64]int64{arrived.Seq: app, 2: app, 3: app, local.Seq: 0} {
			if got := reader(seq); got != want {
				t.Errorf("user %d reads on the pages of app %d, want %d", seq, got, want)
			}
		}
		if _, _, _, _, err = s.Proxied(t.Context(), notifier.ProxiedUser{Name: "42", Audience: 2}); err != nil {
			t.Fatal(err)
		}
		if got := reader(arrived.Seq); got != 0 {
			t.Errorf("whom a proxy has signed in reads on the pages of app %d", got)
		}
		if _, sending, err := s.ReaderApps(t.Context(), 2, notifier.KeyRef("shop")); err != nil || sending != app {
			t.Errorf("the key of the app sends for %d, %v", sending, err)
		}
		_, _, err = s.ReaderApps(t.Context(), 99, notifier.Ref{})
		wantIs(t, err, notifier.ErrNotFound)
	})
}

func TestAnAppIsChangedAsAWholeOrNotAtAll(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		shop(t, s, "shop")
		base, inbox, settings, none := "https://a.example", "https://a.example/in", "https://a.example/set", ""
		valid := func(*notifier.App) error { return nil }
		has, err := s.ChangeApp(t.Context(), notifier.Actor{}, "shop", &notifier.AppChange{Base: &base, InboxURL: &inbox, SettingsURL: &settings}, valid)
		if want := (notifier.AppPlaces{Base: base, InboxURL: inbox, SettingsURL: settings}); err != nil || has.AppPlaces != want {
			t.Fatalf("%+v, %v", has, err)
		}
		refused := errors.New("refused")
		_, err = s.ChangeApp(t.Context(), notifier.Actor{}, "shop", &notifier.AppChange{InboxURL: &none}, func(*notifier.App) error { return refused })
		wantIs(t, err, refused)
		if all, _, err := s.Apps(t.Context()); err != nil || all[0].AppPlaces != has.AppPlaces {
			t.Errorf("%+v, %v", all, err)
		}
		_, err = s.ChangeApp(t.Context(), notifier.Actor{}, "blog", &notifier.AppChange{InboxURL: &inbox}, valid)
		wantIs(t, err, notifier.ErrNotFound)
	})
}
