package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// deed changes something and returns the entry that it must add to the audit log: action, object and detail.
type deed func() (row string, err error)

var author = notifier.Actor{Ref: notifier.CommandRef("test"), Address: "192.0.2.1"}

// A deed that cannot be logged changes nothing, in any table; any other adds exactly one entry.
func TestADeedAndItsRowInTheAuditLogStandOrFallTogether(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, raw := db.open(t), db.raw(t)
		addUser(t, s, "alice")
		seen := 0
		for _, deeds := range [][]deed{deedsOnApps(t, s), deedsOnKeys(t, s), deedsOnTypes(t, s), deedsOnNotices(t, s, db), deedsOnAnnouncements(t, s, db)} {
			for _, do := range deeds {
				store.Exec(t, s, `ALTER TABLE audit_log RENAME TO elsewhere`)
				before := db.contents(t, raw)
				row, err := do()
				if err == nil {
					t.Errorf("done without a row: %s", row)
				}
				if diff := cmp.Diff(before, db.contents(t, raw)); diff != "" {
					t.Errorf("%s is not recorded, but changes (-before +after):\n%s", row, diff)
				}
				store.Exec(t, s, `ALTER TABLE elsewhere RENAME TO audit_log`)
				if row, err = do(); err != nil {
					t.Fatalf("%s: %v", row, err)
				}
				log := must(s.AuditLog(t.Context(), 0, 500))(t)
				if len(log) != seen+1 || log[0].Actor != author.Ref || log[0].Address != author.Address {
					t.Fatalf("%s: %d new rows, the newest is %+v", row, len(log)-seen, log[0])
				}
				seen = len(log)
				got := fmt.Sprintf("%s %s %s %s", log[0].Action, log[0].Object.Kind, log[0].Object.ID, log[0].Detail)
				if got != row {
					t.Errorf("recorded %q; want %q", got, row)
				}
			}
		}
	})
}

func deedsOnApps(t *testing.T, s *store.Store) []deed {
	t.Helper()
	key, base := notifier.AppKey{Alg: notifier.AlgHS256, Material: []byte{1}}, "https://shop.example.com"
	return []deed{
		func() (string, error) {
			_, err := s.AddApp(t.Context(), author, notifier.App{Name: "shop", Audience: 2}, &key, []byte("hash 1"))
			return "app.add app shop ", err
		},
		func() (string, error) {
			change := &notifier.AppChange{Base: &base, Roles: &[]string{"picker"}}
			_, err := s.ChangeApp(t.Context(), author, "shop", change, func(*notifier.App) error { return nil })
			return "app.change app shop base roles", err
		},
		func() (string, error) {
			_, added, err := s.AddAppKey(t.Context(), author, "shop", key)
			return "app.rotate app shop " + added.Kid(), err
		},
		func() (string, error) {
			added, err := s.RotateAPIKey(t.Context(), author, "shop", []byte("hash 2"), time.Unix(1, 0))
			return fmt.Sprintf("app.rotate app shop API key %d send", added.ID), err
		},
		func() (string, error) {
			_, err := s.RevokeAppKey(t.Context(), author, "shop", key.ID)
			return fmt.Sprintf("app.revoke app shop key %d", key.ID), err
		},
		func() (string, error) {
			_, err := s.RevokeApp(t.Context(), author, "shop")
			return "app.revoke app shop ", err
		},
	}
}

func deedsOnKeys(t *testing.T, s *store.Store) []deed {
	t.Helper()
	var key notifier.APIKey
	return []deed{
		func() (_ string, err error) {
			key, err = s.AddKey(t.Context(), author, notifier.APIKey{Name: "photos", Scopes: notifier.KeyScopes()}, []byte("hash 3"))
			return fmt.Sprintf("key.add key photos %d send,read,admin", key.ID), err
		},
		func() (string, error) {
			_, err := s.RevokeKey(t.Context(), author, key.ID)
			return fmt.Sprintf("key.revoke key photos %d send,read,admin", key.ID), err
		},
	}
}

func deedsOnTypes(t *testing.T, s *store.Store) []deed {
	t.Helper()
	if err := s.EnsureTypes(t.Context(), []string{"junk"}); err != nil {
		t.Fatal(err)
	}
	alice := must(s.UserByName(t.Context(), "alice"))(t)
	subscribed := byUser("order", "w1", "alice")
	return []deed{
		func() (string, error) {
			return "type.save type news ", s.SaveType(t.Context(), author, notifier.NoticeType{Slug: "news", Open: true})
		},
		func() (string, error) { return "type.delete type news ", s.DeleteType(t.Context(), author, "news") },
		func() (string, error) {
			n, err := s.DeleteUndescribed(t.Context(), author)
			return fmt.Sprintf("type.tidy   %d", n), err
		},
		func() (string, error) {
			_, _, err := s.Subscribe(t.Context(), author, subscribed)
			return fmt.Sprintf("subscription.add user %d order:w1", alice.Seq), err
		},
		func() (string, error) {
			_, _, err := s.Unsubscribe(t.Context(), author, subscribed)
			return fmt.Sprintf("subscription.remove user %d order:w1", alice.Seq), err
		},
	}
}

func deedsOnNotices(t *testing.T, s *store.Store, db *database) []deed {
	t.Helper()
	var sent *notifier.Notice
	scheduled := schedule(t, s, db.clock.now(), time.Hour)
	return []deed{
		func() (string, error) {
			all := batch(1)
			all[0].Notice.ExpiresAt = db.clock.now().Add(time.Hour)
			if err := s.AcceptAll(t.Context(), notifier.Sending(author), all); err != nil {
				return "", err
			}
			sent = all[0].Notice
			return fmt.Sprintf("notice.send notice %d ", sent.ID), all[0].Err
		},
		func() (string, error) {
			return fmt.Sprintf("notice.edit notice %d ", sent.ID), s.EditNotice(t.Context(), author, sent)
		},
		func() (string, error) {
			_, err := s.RetractNotice(t.Context(), author, sent.ID, notifier.StateAccepted, notifier.StateRetracting)
			return fmt.Sprintf("notice.retract notice %d ", sent.ID), err
		},
		func() (string, error) {
			return fmt.Sprintf("notice.edit notice %d ", scheduled.ID), s.EditScheduled(t.Context(), author, scheduled)
		},
	}
}

func deedsOnAnnouncements(t *testing.T, s *store.Store, db *database) []deed {
	t.Helper()
	n := db.announcement("to all", 0, 1, 3)
	return []deed{
		func() (string, error) {
			_, err := s.AnnounceOnce(t.Context(), notifier.Sending(author), &n, nil)
			return fmt.Sprintf("notice.send notice %d ", n.ID), err
		},
		func() (string, error) {
			return fmt.Sprintf("notice.edit notice %d ", n.ID), s.EditAnnouncement(t.Context(), author, &n)
		},
		func() (string, error) {
			return fmt.Sprintf("notice.edit notice %d unread for everybody", n.ID), s.EditAnnouncementUnread(t.Context(), author, &n)
		},
		func() (string, error) {
			return fmt.Sprintf("notice.retract notice %d ", n.ID), s.RetractAnnouncement(t.Context(), author, n.ID)
		},
		func() (string, error) {
			return fmt.Sprintf("notice.delete notice %d ", n.ID), s.DeleteAnnouncement(t.Context(), author, n.ID)
		},
	}
}

// contents returns the rows of every table, by table name.
func (db *database) contents(t *testing.T, raw *sql.DB) map[string]string {
	t.Helper()
	tables := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if db.cfg.URL != "" {
		tables = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`
	}
	all := map[string]string{}
	for name := range strings.FieldsSeq(strings.ReplaceAll(dump(t, raw, tables), "|", "")) {
		all[name] = dump(t, raw, `SELECT * FROM `+name)
	}
	if len(all) < 12 {
		t.Fatalf("the tables are %v", all)
	}
	return all
}
