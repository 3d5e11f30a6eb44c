package api

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestAScheduledNoticeIsReadEditedAndCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	schedule := func(target, more string, headers ...string) acceptedNotice {
		t.Helper()
		var a acceptedNotice
		body := fmt.Sprintf(`{"target":%s,"type":"like","title":"Later","send_at":%q%s}`, target, at.Format(time.RFC3339), more)
		w.call(t, w.send, "POST", "/notices", body, headers...).is(t, http.StatusAccepted).into(t, &a)
		if a.State != "scheduled" {
			t.Errorf("accepted as %+v", a)
		}
		return a
	}
	a := schedule(`{"users":["alice"]}`, `,"expires_in":"30m"`, "Idempotency-Key", "one")
	n := w.notice(t, a.ID)
	if n.State != "scheduled" || n.SendAt != stamp(at) || n.ExpiresAt != stamp(at.Add(30*time.Minute)) || n.Counts.Targeted != nil {
		t.Errorf("the notice is %+v", n)
	}
	patch := func(body string, status int) reply {
		t.Helper()
		return w.call(t, w.send, "PATCH", fmt.Sprint("/notices/", a.ID), body).is(t, status)
	}
	later := at.Add(time.Hour)
	patch(fmt.Sprintf(`{"title":"Much later","send_at":%q}`, later.Format(time.RFC3339)), http.StatusOK)
	if n := w.notice(t, a.ID); n.Title != "Much later" || n.SendAt != stamp(later) || n.ExpiresAt != stamp(later.Add(30*time.Minute)) || n.Revision != 1 {
		t.Errorf("the edited notice is %+v", n)
	}
	for _, bad := range []string{"2020-01-01T00:00:00Z", "2200-01-01T00:00:00Z", "tomorrow", ""} {
		patch(fmt.Sprintf(`{"send_at":%q}`, bad), http.StatusUnprocessableEntity)
	}
	if again := schedule(`{"users":["alice"]}`, `,"expires_in":"30m"`, "Idempotency-Key", "one"); again != a {
		t.Errorf("repeated as %+v", again)
	}
	cancelled := schedule(`{"role":"picker"}`, "")
	w.call(t, w.send, "DELETE", fmt.Sprint("/notices/", cancelled.ID), nil).is(t, http.StatusNoContent)
	if n := w.notice(t, cancelled.ID); n.State != "retracted" {
		t.Errorf("cancelled: %+v", n)
	}
	announced := schedule(`{"audiences":["customer"]}`, "")
	if n := w.notice(t, announced.ID); n.State != "scheduled" || n.StartsAt != stamp(at) || n.SendAt != stamp(at) {
		t.Errorf("the announcement is %+v", n)
	}
	w.call(t, w.send, "PATCH", fmt.Sprint("/notices/", announced.ID), fmt.Sprintf(`{"send_at":%q}`, later.Format(time.RFC3339))).is(t, http.StatusOK)
	if n := w.notice(t, announced.ID); n.StartsAt != stamp(later) {
		t.Errorf("the edited announcement opens at %s", n.StartsAt)
	}
	w.has(t, "alice")

	patch(fmt.Sprintf(`{"send_at":%q}`, time.Now().Add(-time.Second).Format(time.RFC3339Nano)), http.StatusOK) // now
	w.has(t, "alice", "Much later")
	testkit.Eventually(t, "the notice is sent", func() bool { return w.notice(t, a.ID).State == string(notifier.StateSent) })
	patch(fmt.Sprintf(`{"send_at":%q}`, later.Format(time.RFC3339)), http.StatusUnprocessableEntity)
	patch(`{"title":"Edited"}`, http.StatusOK)
	w.has(t, "alice", "Edited")
}

func TestABadScheduleIsRefusedByItsField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	soon := time.Now().Add(time.Hour).Format(time.RFC3339)
	for body, location := range map[string]string{
		`{"target":{"users":["alice"]},"type":"like","title":"x","send_at":"2020-01-01T00:00:00Z"}`:                     "body.send_at",
		`{"target":{"users":["alice"]},"type":"like","title":"x","send_at":"2200-01-01T00:00:00Z"}`:                     "body.send_at",
		`{"target":{"users":["alice"]},"type":"like","title":"x","send_at":"09:00"}`:                                    "body.send_at",
		`{"target":{"users":["nobody"]},"type":"like","title":"x","send_at":"` + soon + `"}`:                            "body.target.users",
		`{"target":{"role":"none"},"type":"like","title":"x","send_at":"` + soon + `"}`:                                 "body.target.role",
		`{"target":{"audiences":["customer"]},"title":"x","starts_at":"2200-01-01T00:00:00Z","send_at":"` + soon + `"}`: "body.send_at",
	} {
		var problem struct {
			Errors []struct{ Location string } `json:"errors"`
		}
		w.call(t, w.send, "POST", "/notices", body).is(t, http.StatusUnprocessableEntity).into(t, &problem)
		if len(problem.Errors) == 0 || problem.Errors[0].Location != location {
			t.Errorf("%s: %+v; want a fault of %s", body, problem.Errors, location)
		}
	}
}
