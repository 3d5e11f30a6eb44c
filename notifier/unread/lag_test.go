package unread_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/unread"
)

// Before SQL is told until when it has everything, it is asked what is on its way. That it
// does not answer keeps nobody from seeing how far it is behind.
func TestHowFarSQLIsBehindIsSeenWhileItAnswersNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, d := newInboxes(), newDatabase()
		d.onSave = func([]notifier.Snapshot) error { return errAway }
		f := unread.New(unread.Config{
			Inbox: b, Store: d, Log: quiet(),
			Oldest: func(context.Context) (time.Time, bool, error) { return time.Time{}, false, errAway },
		})
		defer run(t, f)()
		pass(time.Minute) // all is clean for long when the first change comes
		if lag := f.Stats().Lag; lag != 0 {
			t.Errorf("nothing has changed, and it is behind by %v", lag)
		}
		b.change(between(1, 64)...)
		pass(time.Minute)
		if lag := f.Stats().Lag; lag < 59*time.Second || lag > 61*time.Second {
			t.Errorf("a minute after a change it is behind by %v", lag)
		}
	})
}
