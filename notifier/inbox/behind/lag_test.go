package behind_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
)

// Recording up to when SQL is complete starts with a query to SQL. The lag must be visible even if
// that query gets no answer.
func TestTheLagIsKnownWhileSQLDoesNotAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		d.onSave = func([]notifier.Snapshot) error { return errAway }
		f := behind.NewFlusher(behind.FlusherConfig{
			Inbox: b, Store: d, Log: quiet(),
			Oldest: func(context.Context) (time.Time, bool, error) { return time.Time{}, false, errAway },
		})
		defer run(t, f)()
		pass(time.Minute) // everything has been clean for a while before the first change
		if lag := f.Stats().Lag; lag != 0 {
			t.Errorf("the lag is %v although nothing has changed", lag)
		}
		b.change(between(1, 64)...)
		pass(time.Minute)
		if lag := f.Stats().Lag; lag < 59*time.Second || lag > 61*time.Second {
			t.Errorf("a minute after a change the lag is %v", lag)
		}
	})
}
