package store_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestWaitingCountsFromAcceptanceOrRetraction(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		begin := db.clock.now()
		want := func(n int64, since time.Time) {
			t.Helper()
			got, at, err := s.Waiting(t.Context())
			if got != n || !at.Equal(since) || err != nil {
				t.Errorf("%d waiting since %v, %v; want %d since %v", got, at, err, n, since)
			}
		}
		want(0, time.Time{})
		all := batch(3)
		for _, a := range all {
			a.Notice.CreatedAt = begin
		}
		all[0].Notice.CreatedAt = begin.Add(time.Minute)
		acceptAll(t, s, all...)
		want(3, begin)
		for _, a := range all {
			must(s.RetractNotice(t.Context(), notifier.Actor{}, a.Notice.ID, notifier.StateAccepted, notifier.StateSent))(t)
		}
		want(0, time.Time{})
		db.clock.move(time.Hour)
		must(s.RetractNotice(t.Context(), notifier.Actor{}, all[1].Notice.ID, notifier.StateSent, notifier.StateRetracting))(t)
		want(1, begin.Add(time.Hour))
	})
}
