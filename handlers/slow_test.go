package handlers_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// silent is an inbox whose Redis accepts connections but does not respond.
type silent struct{ *inbox }

func (silent) Open(ctx context.Context, _ int64) (notifier.Page, error) {
	<-ctx.Done()
	return notifier.Page{}, ctx.Err()
}

func (silent) Badges(ctx context.Context, _ []int64) ([]notifier.Badge, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestSilentRedisDoesNotBlockPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(w *world) { w.config.Inbox = silent{w.inbox} })
		began := time.Now()
		w.get("alice", "/inbox").wantStatus(t, http.StatusServiceUnavailable)
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("the inbox took %v", took)
		}
		began = time.Now()
		w.get("alice", "/settings").wantStatus(t, http.StatusOK)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("a page that shows only the bell took %v", took)
		}
	})
}

func TestSilentRedisDelaysAPageByNoMoreThanRedisWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLostRedis(t)
		silent := &silentInbox{}
		l.config.Inbox = silent
		l.rebuild()
		began := time.Now()
		l.get("alice", "/inbox?filter=unread").wantStatus(t, http.StatusOK)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the page took %v", took)
		}
		if silent.asked == 0 {
			t.Error("the inbox was never called")
		}
	})
}

// silentInbox responds only after the request's deadline.
type silentInbox struct {
	inbox
	asked int
}

func (s *silentInbox) Look(ctx context.Context, _ int64, _ notifier.Query) (notifier.Page, error) {
	s.asked++
	<-ctx.Done()
	return notifier.Page{}, ctx.Err()
}
