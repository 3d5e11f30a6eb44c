package store_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// claimEvent claims the only event of a hook for a minute.
func (db *database) claimEvent(t *testing.T, s *store.Store, h *notifier.Hook) notifier.HookEvent {
	t.Helper()
	claimed := must(s.ClaimEvents(t.Context(), h, 9, db.clock.at.Add(time.Minute)))(t)
	if len(claimed) != 1 {
		t.Fatalf("%d events are claimed, want one", len(claimed))
	}
	return claimed[0]
}

// settle ends a try of a claimed event: "" if it was accepted.
func (db *database) settle(t *testing.T, s *store.Store, e notifier.HookEvent, fault string) {
	t.Helper()
	end := store.EndedTry{Event: e, Claim: e.DueAt}
	end.Event.Tries, end.Event.Error, end.Event.DueAt = e.Tries+1, fault, db.clock.at.Add(time.Hour)
	if fault == "" {
		end.Event.State = notifier.HookDelivered
	}
	must(s.SettleEvents(t.Context(), e.Hook, []store.EndedTry{end}))(t)
}

func TestAResultWhoseClaimHasRunOutSaysNothingAboutEventOrHook(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, c := range []struct {
			name, late, first string
			state             notifier.HookEventState
		}{
			{"success", "no answer", "", notifier.HookDelivered},
			{"failure", "", "answered 500", notifier.HookWaiting},
		} {
			h := addHook(t, s, c.name)
			must(s.AddTestEvent(t.Context(), notifier.Actor{}, h.ID))(t)
			lost := db.claimEvent(t, s, &h)
			db.clock.move(time.Minute)
			held := db.claimEvent(t, s, &h) // by the same instance or another one

			released := store.EndedTry{Event: lost, Claim: lost.DueAt, Released: true}
			released.Event.DueAt = db.clock.at
			must(s.SettleEvents(t.Context(), h.ID, []store.EndedTry{released}))(t)
			if again := must(s.ClaimEvents(t.Context(), &h, 9, db.clock.at.Add(time.Hour)))(t); len(again) > 0 {
				t.Error("the claim of another was released")
			}

			db.settle(t, s, held, c.first)
			db.settle(t, s, lost, c.late)
			is := must(s.Hook(t.Context(), h.ID))(t)
			e := must(s.HookEvent(t.Context(), held.N))(t)
			if is.Error != c.first || is.FailingSince.IsZero() != (c.first == "") || e.State != c.state || e.Tries != 1 || e.Error != c.first {
				t.Errorf("%s: %+v, %+v", c.name, is, e)
			}
		}
	})
}

func TestAHookThatHasSucceededSinceStaysOn(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		h := addHook(t, s, "shop")
		var had []notifier.Hook
		for _, fault := range []string{"answered 410", "", "answered 500"} {
			must(s.AddTestEvent(t.Context(), notifier.Actor{}, h.ID))(t)
			db.settle(t, s, db.claimEvent(t, s, &h), fault)
			had = append(had, must(s.Hook(t.Context(), h.ID))(t))
			db.clock.move(time.Minute)
		}
		for i, want := range []notifier.HookOff{notifier.HookOn, notifier.HookOn, notifier.HookFailing} {
			wantIs(t, s.SwitchHookOff(t.Context(), &had[i], notifier.HookFailing), nil)
			if is := must(s.Hook(t.Context(), h.ID))(t); is.Off != want {
				t.Errorf("as it was after try %d: off is %q, want %q", i+1, is.Off, want)
			}
		}
	})
}
