package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// claimTarget claims a message for the only target of a user, for a minute, and returns the target as it is then.
func (db *database) claimTarget(t *testing.T, s *store.Store, seq int64) notifier.ReachTarget {
	t.Helper()
	step(t, s, func(to *notifier.ReachTarget) {
		to.UpTo, to.DueAt, to.Tries = db.clock.at.UnixMilli(), db.clock.at.Add(time.Minute), to.Tries+1
	}, seq)
	return mailOf(t, s, seq)
}

// ended stores that a claimed message was sent, or that its target is gone, and reports whether the claim was held.
func ended(t *testing.T, s *store.Store, claim notifier.ReachTarget, gone bool) bool {
	t.Helper()
	held := must(s.Holds(t.Context(), &claim))(t)
	end := &notifier.ReachStep{Was: &claim, To: claim, Gone: gone}
	end.To.Told, end.To.UpTo, end.To.DueAt, end.To.Tries = claim.UpTo, 0, time.Time{}, 0
	if err := s.Step(t.Context(), []*notifier.ReachStep{end}); err != nil || end.Done != held {
		t.Errorf("%v; the claim is held: %v, its end is stored: %v", err, held, end.Done)
	}
	return held
}

func TestAnEndIsStoredByWhoeverHasTheClaimOnly(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		giveMail(t, s, "bob", "bob@example.com")
		first := db.claimTarget(t, s, bob.Seq)
		db.clock.move(time.Minute)
		second := db.claimTarget(t, s, bob.Seq) // by the same instance or another one
		for _, gone := range []bool{false, true} {
			if ended(t, s, first, gone) {
				t.Error("the claim that has run out is held")
			}
		}
		if !ended(t, s, second, false) {
			t.Error("the claim is not held")
		}
	})
}

// A result that is not stored sends the message twice.
func TestAMailIsSentOnceAlthoughItsTargetChangesMeanwhile(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		db.cfg.Mail = notifier.When{Off: true}
		other := db.open(t)
		for name, change := range map[string]func() error{
			"returned": func() error { return s.Bounced(t.Context(), "returned", false) },
			"settings": func() error {
				// By an instance that sends no mail to users without a setting, so that nothing up to now is sent.
				seq := must(s.UserByName(t.Context(), "settings"))(t).Seq
				return other.PutPreferences(t.Context(), seq, notifier.PutPreferences{Mail: &notifier.When{Wait: time.Hour}})
			},
		} {
			u := addUser(t, s, name)
			giveMail(t, s, name, name+"@example.com")
			claim := db.claimTarget(t, s, u.Seq)
			db.clock.move(time.Second)
			if err := change(); err != nil {
				t.Fatal(err)
			}
			before := mailOf(t, s, u.Seq)
			if before.Told == claim.Told && before.State == claim.State {
				t.Errorf("%s: nothing has changed", name)
			}
			if !ended(t, s, claim, false) {
				t.Errorf("%s: the result is lost", name)
			}
			if got := mailOf(t, s, u.Seq); got.Told < before.Told || got.UpTo != 0 {
				t.Errorf("%s: %+v", name, got)
			}
		}
	})
}

func TestAServiceThatRefusesTheFormerAddressOfABrowserDoesNotEndTheNextOne(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		const was, is = "https://push.example/1", "https://push.example/2"
		register(t, s, bob.Seq, "", was)
		claim := db.claimTarget(t, s, bob.Seq)
		if _, known, err := s.AddDevice(t.Context(), notifier.NewDevice{Seq: bob.Seq, Endpoint: is, Was: was, Keys: claim.Keys}); err != nil || !known {
			t.Fatal(known, err)
		}
		if ended(t, s, claim, true) || ended(t, s, claim, false) {
			t.Error("the message to the former address decides about the next one")
		}
		db.clock.move(time.Minute)
		due := must(s.DueTargets(t.Context(), notifier.ReachPush, 9))(t)
		if got := endpoints(t, s, bob.Seq); !slices.Equal(got, []string{is}) || len(due) != 1 || due[0].UpTo != claim.UpTo {
			t.Errorf("addresses %v; due: %+v", got, due)
		}
	})
}
