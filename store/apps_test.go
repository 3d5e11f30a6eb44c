package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestAppIsStoredAndRevokedWithItsKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		asked := notifier.App{
			Name: "shop", Origins: []string{"https://a.example.com", "https://b.example.com"}, Audience: 2, Roles: []string{"picker", "vip"},
			MaxLife: 90 * time.Second, Issuer: "https://a.example.com",
		}
		first := &notifier.AppKey{Alg: notifier.AlgHS256, Material: []byte{0, 1, 0xff}}
		added, err := s.AddApp(t.Context(), notifier.Actor{}, asked, first, []byte("hash 1"))
		if err != nil {
			t.Fatal(err)
		}
		want := asked
		want.ID, want.CreatedAt = 1, db.clock.now()
		if diff := cmp.Diff(want, added); diff != "" {
			t.Errorf("added (-want +got):\n%s", diff)
		}
		_, err = s.AddApp(t.Context(), notifier.Actor{}, asked, nil, []byte("hash 2"))
		wantIs(t, err, notifier.ErrConflict)
		_, second, err := s.AddAppKey(t.Context(), notifier.Actor{}, "shop", notifier.AppKey{Alg: notifier.AlgES256, Material: []byte{2}})
		if err != nil || second.Kid() != "tk_2" || first.Kid() != "tk_1" {
			t.Fatalf("keys %s and %s, %v", first.Kid(), second.Kid(), err)
		}
		bare, err := s.AddApp(t.Context(), notifier.Actor{}, notifier.App{Name: "bare", JWKS: "https://keys.example.com", Issuer: "i", Audience: 1, MaxLife: time.Hour}, nil, []byte("hash 3"))
		if err != nil || bare.Origins != nil || bare.Roles != nil {
			t.Errorf("without origins and roles: %+v, %v", bare, err)
		}
		_, err = s.AddApp(t.Context(), notifier.Actor{}, notifier.App{Name: "twin", JWKS: "https://keys.example.com", Issuer: "i", Audience: 1}, nil, []byte("hash 4"))
		wantIs(t, err, notifier.ErrConflict)
		_, err = s.RevokeAppKey(t.Context(), notifier.Actor{}, "bare", 1)
		wantIs(t, err, notifier.ErrNotFound)

		if k := must(s.KeyByHash(t.Context(), []byte("hash 1")))(t); k.AppID != 1 || k.Name != "shop" || !k.Allows(notifier.ScopeSend) || k.Allows(notifier.ScopeRead) {
			t.Errorf("the API key of the app is %+v", k)
		}
		db.clock.move(time.Second)
		if _, err := s.RevokeAppKey(t.Context(), notifier.Actor{}, "shop", 1); err != nil {
			t.Fatal(err)
		}
		db.clock.move(time.Second)
		if _, err := s.RevokeApp(t.Context(), notifier.Actor{}, "shop"); err != nil {
			t.Fatal(err)
		}
		_, err = s.RevokeApp(t.Context(), notifier.Actor{}, "shop")
		wantIs(t, err, notifier.ErrNotFound)
		_, _, err = s.AddAppKey(t.Context(), notifier.Actor{}, "shop", *first)
		wantIs(t, err, notifier.ErrNotFound)
		apps, keys, err := s.Apps(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		revoked := want
		revoked.RevokedAt = db.clock.now()
		if diff := cmp.Diff([]notifier.App{bare, revoked}, apps); diff != "" {
			t.Errorf("apps (-want +got):\n%s", diff)
		}
		ended := []time.Time{keys[1].RevokedAt, keys[0].RevokedAt}
		if wanted := []time.Time{db.clock.now().Add(-time.Second), db.clock.now()}; !slices.EqualFunc(ended, wanted, time.Time.Equal) {
			t.Errorf("the keys were revoked at %v, want %v", ended, wanted)
		}
		if k := must(s.KeyByHash(t.Context(), []byte("hash 1")))(t); k.RevokedAt.IsZero() {
			t.Error("the API key of a revoked app is valid")
		}
		again, err := s.AddApp(t.Context(), notifier.Actor{}, asked, &notifier.AppKey{Alg: notifier.AlgHS256, Material: []byte{3}}, []byte("hash 5"))
		if err != nil || again.ID == 1 {
			t.Errorf("the name of a revoked app: %+v, %v", again, err)
		}
	})
}

func TestNumberOfAppsAndKeysIsBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for i := range notifier.MaxApps + 1 {
			name := fmt.Sprintf("app %d", i)
			_, err := s.AddApp(t.Context(), notifier.Actor{}, notifier.App{Name: name, Audience: 2}, &notifier.AppKey{Alg: "HS256", Material: []byte{1}}, []byte(name))
			if i == notifier.MaxApps {
				wantIs(t, err, notifier.ErrConflict)
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for i := range notifier.MaxAppKeys {
			_, _, err := s.AddAppKey(t.Context(), notifier.Actor{}, "app 7", notifier.AppKey{Alg: "HS256", Material: []byte{1}})
			if i == notifier.MaxAppKeys-1 {
				wantIs(t, err, notifier.ErrConflict)
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
