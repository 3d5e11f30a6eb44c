package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Each call changes one field, so the result must contain all changes.
func TestChangesOfDifferentFieldsAtATimeAreAllStored(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		for _, on := range []bool{true, false, true} {
			theme, locale := notifier.ThemeDark, "ja"
			if !on {
				theme, locale = "", ""
			}
			var work sync.WaitGroup
			for _, set := range []notifier.PutSettings{{Theme: &theme}, {Locale: &locale}, {KeysOff: &on}, {ToastsOff: &on}, {OpensOnly: &on}, {Compact: &on}} {
				work.Go(func() {
					if _, err := s.SetSettings(t.Context(), bob.Seq, set); err != nil {
						t.Error(err)
					}
				})
			}
			for _, typ := range []string{"like", "news", "order"} { // the form of Settings changes the types that it lists
				work.Go(func() {
					err := s.PutPreferences(t.Context(), bob.Seq, notifier.PutPreferences{Change: func(had map[string]notifier.TypeWants) map[string]notifier.TypeWants {
						had[typ] = notifier.TypeWants{Mail: &on}
						return had
					}})
					if err != nil {
						t.Error(err)
					}
				})
			}
			work.Wait()
			want := notifier.Settings{Locale: locale, Theme: theme, KeysOff: on, ToastsOff: on, OpensOnly: on, Compact: on}
			if u := must(s.User(t.Context(), bob.Seq))(t); u.Settings != want {
				t.Errorf("the settings are %+v, want %+v", u.Settings, want)
			}
			for typ, w := range must(s.Preferences(t.Context(), bob.Seq))(t).Types {
				if w.Mail == nil || *w.Mail != on {
					t.Errorf("%s: %v", typ, w.Mail)
				}
			}
		}
	})
}

// Three servers with different defaults: users without a setting follow the default, and get nothing about the time
// without mail.
func TestWhoHasNotChosenFollowsTheDefaultOverRestarts(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		start := func(when notifier.When) *notifier.ReachDue {
			db.cfg.Mail = when
			s := db.open(t)
			if err := s.SetDefaults(t.Context()); err != nil {
				t.Fatal(err)
			}
			bob := must(s.UserByName(t.Context(), "bob"))(t)
			db.clock.move(time.Minute)
			db.has(t, s, bob.Seq, map[string]time.Time{"like:1": db.clock.at})
			db.clock.move(2 * time.Hour)
			due := must(s.DueTargets(t.Context(), notifier.ReachMail, 10))(t)
			if got := must(s.Preferences(t.Context(), bob.Seq))(t); got.Mail != when || got.MailChosen {
				t.Errorf("%v: the preferences are %v", when, got.Mail)
			}
			if len(due) == 0 {
				return nil
			}
			return &due[0]
		}
		s := db.open(t)
		addUser(t, s, "bob")
		db.cfg.Mail = notifier.When{Off: true}
		giveMail(t, db.open(t), "bob", "bob@example.com")
		if due := start(notifier.When{Off: true}); due != nil {
			t.Errorf("off by default: %+v is due", due)
		}
		began := db.clock.at.UnixMilli()
		if due := start(notifier.When{Wait: time.Hour}); due == nil || due.Wait != time.Hour || due.Since != began || due.Off || due.State != notifier.ReachOn {
			t.Errorf("after an hour by default: %+v, which tells nothing from before %d", due, began)
		}
		if due := start(notifier.When{Daily: true}); due == nil || due.Daily != 480 || due.Since != began {
			t.Errorf("daily by default: %+v", due)
		}
		if due := start(notifier.When{Off: true}); due != nil && !due.Off {
			t.Errorf("off by default again: %+v", due)
		}
	})
}

func TestTheZoneThatCounts(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.cfg.Zone = "America/Lima"
		s := db.open(t)
		bob := addUser(t, s, "bob")
		counts := func(zone string, from notifier.ZoneFrom) {
			t.Helper()
			if p := must(s.Preferences(t.Context(), bob.Seq))(t); p.InForce != zone || p.ZoneFrom != from {
				t.Errorf("%s (%s) counts, want %s (%s)", p.InForce, p.ZoneFrom, zone, from)
			}
		}
		choose := func(zone string) {
			t.Helper()
			if err := s.PutPreferences(t.Context(), bob.Seq, notifier.PutPreferences{Zone: &zone}); err != nil {
				t.Fatal(err)
			}
		}
		counts("America/Lima", notifier.ZoneInstallation)
		for _, zone := range []string{"Asia/Tokyo", "Europe/Paris"} { // users travel
			if changed := must(s.SetZone(t.Context(), bob.Seq, zone))(t); !changed {
				t.Error("not stored: " + zone)
			}
			counts(zone, notifier.ZoneBrowser)
		}
		choose("Africa/Lagos")
		_ = must(s.SetZone(t.Context(), bob.Seq, "Asia/Seoul"))(t)
		counts("Africa/Lagos", notifier.ZoneChosen)
		choose("")
		counts("Asia/Seoul", notifier.ZoneBrowser)
	})
}
