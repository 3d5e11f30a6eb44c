package store_test

import (
	"slices"
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// addApp adds an app with this name.
func addApp(t *testing.T, s *store.Store, name string) notifier.SendingApp {
	t.Helper()
	a := must(s.AddApp(t.Context(), notifier.Actor{}, notifier.App{Name: name, Audience: 3}, nil, []byte("hash of "+name)))(t)
	return notifier.SendingApp{ID: a.ID, Name: a.Name}
}

func TestNoticesBelongToTheAppThatSentThemWhicheverWayTheyAreStored(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		shop, crm := addApp(t, s, "shop"), addApp(t, s, "crm")
		of := func(app notifier.SendingApp) notifier.Draft {
			d := draft()
			d.App, d.Subject = app, "order:1"
			return d
		}
		once := &notifier.Acceptance{Notice: &notifier.Notice{Draft: of(crm)}, Once: &notifier.Once{Owner: notifier.KeyRef("crm"), Key: "k", Digest: []byte("d")}}
		acceptAll(t, s, once)
		a := db.announcement("to all", 0, 1, 3)
		a.App, a.Subject = shop, "order:1"
		all := map[int64]notifier.SendingApp{
			accept(t, s, of(shop)).ID: shop, once.Notice.ID: crm, announce(t, s, a).ID: shop, accept(t, s, of(notifier.SendingApp{})).ID: {},
		}
		if got := must(s.CurrentAnnouncements(t.Context()))(t); len(got) != 1 || got[0].App != shop {
			t.Errorf("the announcement of the shop is read as %+v", got)
		}
		for id, want := range all {
			if n := must(s.Notice(t.Context(), id))(t); n.App != want {
				t.Errorf("notice %d belongs to %+v; want %+v", id, n.App, want)
			}
		}
		for _, apps := range [][]int64{{0}, {shop.ID}, {crm.ID}, {shop.ID, 0}} {
			for _, n := range must(s.NoticesBySubject(t.Context(), "order:1", apps, 0, 10))(t) {
				if !slices.Contains(apps, n.App.ID) {
					t.Errorf("among the notices of %v is one of %d", apps, n.App.ID)
				}
				all[n.ID] = notifier.SendingApp{ID: -1}
			}
		}
		for id, found := range all {
			if found.ID != -1 {
				t.Errorf("notice %d is not found by its subject", id)
			}
		}
	})
}

func TestAppNamedFindsTheValidAppElseTheLastThatWasRevoked(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		_, err := s.AppNamed(t.Context(), "shop")
		wantIs(t, err, notifier.ErrNotFound)
		first := addApp(t, s, "shop")
		must(s.RevokeApp(t.Context(), notifier.Actor{}, "shop"))(t)
		if a := must(s.AppNamed(t.Context(), "shop"))(t); a.ID != first.ID {
			t.Errorf("found app %d; want the revoked one, %d", a.ID, first.ID)
		}
		second := must(s.AddApp(t.Context(), notifier.Actor{}, notifier.App{Name: "shop", Audience: 3}, nil, []byte("another hash")))(t)
		if a := must(s.AppNamed(t.Context(), "shop"))(t); a.ID != second.ID {
			t.Errorf("found app %d; want the valid one, %d", a.ID, second.ID)
		}
	})
}

// TestNoticesFromBeforeAppsHadKeysKeepTheirs starts with the schema in which all senders shared their idempotency
// keys.
func TestNoticesFromBeforeAppsHadKeysKeepTheirs(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		old := db.ofVersion(t, 48)
		exec := func(statement string, args ...any) {
			t.Helper()
			if _, err := old.ExecContext(t.Context(), statement, args...); err != nil {
				t.Fatal(err)
			}
		}
		exec(`INSERT INTO apps (name, origins, audience, roles, max_life, issuer, jwks, created_at)
			VALUES ('shop', '', 3, '', 60000, '', '', 1), ('crm', '', 3, '', 60000, '', '', 1)`)
		exec(`INSERT INTO api_keys (name, hash, scopes, created_at, app_id) VALUES ('shop', '1', 'send', 1, 1), ('crm', '2', 'send', 1, 2)`)
		for _, app := range []string{"shop", "crm"} {
			insert(t, exec, `notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id, search, recipients, recipient_count)`,
				"sent", 1, 9999999999999, `{"users":["bob"]}`, "order", "", "o:1", "Of "+app, "b", "/orders/1", false, "key", app, "", encoded(t, 2), 1)
		}
		s := db.open(t)
		for id := range int64(2) {
			n := must(s.Notice(t.Context(), id+1))(t)
			if n.Key() != "order:o:1" || n.Link != "/orders/1" || n.App != (notifier.SendingApp{}) {
				t.Errorf("notice %d has the key %s, the link %s and the app %+v", n.ID, n.Key(), n.Link, n.App)
			}
		}
		edited := must(s.Notice(t.Context(), 1))(t)
		edited.Title = "Edited"
		if err := s.EditNotice(t.Context(), notifier.Actor{}, &edited); err != nil || edited.Key() != "order:o:1" {
			t.Errorf("the edited notice has the key %s, %v", edited.Key(), err)
		}
		if !must(s.RetractNotice(t.Context(), notifier.Actor{}, 2, notifier.StateSent, notifier.StateRetracting))(t) {
			t.Error("the second notice is not retracted")
		}
		next := draft()
		next.App = notifier.SendingApp{ID: 1, Name: "shop"}
		if n := must(s.Notice(t.Context(), accept(t, s, next).ID))(t); n.Key() != "a1/like:photo:1" {
			t.Errorf("a notice that the app sends now has the key %s", n.Key())
		}
	})
}
