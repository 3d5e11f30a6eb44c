package api

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// snoozes returns the body that snoozes a notice for a while.
func snoozes(key string, d time.Duration) string {
	return `{"key":"` + key + `","until":"` + rfc3339(time.Now().Add(d)) + `"}`
}

func TestASnoozedNoticeComesBackUnreadAndOnTop(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", sqltest.URL(t)} {
		w := newWorldOn(t, url, redistest.Client(t))
		w.bobHas(t, w.admin, `"type":"order","subject":"1","title":"1"`, `"type":"order","subject":"2","title":"2"`, `"type":"order","subject":"3","title":"3"`)
		w.did(t, "read", `{"keys":["order:1"]}`)
		if b := w.did(t, "snooze", snoozes("order:2", time.Hour)); b.Unread != 1 || w.bobSees(t, "") != "order:3* order:1" {
			t.Errorf("snoozed, the badge is %+v and bob sees %q", b, w.bobSees(t, ""))
		}
		if b := w.did(t, "wake", `{"key":"order:2"}`); b.Unread != 2 || w.bobSees(t, "") != "order:2* order:3* order:1" {
			t.Errorf("woken, the badge is %+v and bob sees %q", b, w.bobSees(t, ""))
		}
		w.call(t, w.bob, "POST", "/me/wake", `{"key":"order:2"}`).is(t, http.StatusNotFound)
		w.call(t, w.bob, "POST", "/me/snooze", snoozes("order:1", 300*time.Millisecond)).is(t, http.StatusOK)
		testkit.Eventually(t, "the notice is back", func() bool { return w.badgeOfBob(t).Unread == 3 })
		if got := w.bobSees(t, ""); got != "order:1* order:2* order:3*" || w.bobSees(t, "?filter=later") != "" {
			t.Errorf("then bob sees %q, and %q later", got, w.bobSees(t, "?filter=later"))
		}
	}
}

func TestSnoozedNoticesAreListedWithTheirTimesAndCountNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bobHas(t, w.admin, `"type":"order","subject":"1","title":"1"`, `"type":"like","subject":"2","title":"2"`, `"type":"order","subject":"3","title":"3"`)
	all := w.bobSees(t, "")
	until := rfc3339(time.Now().Add(time.Hour))
	w.did(t, "snooze", `{"key":"order:3","until":"`+until+`"}`)
	w.did(t, "snooze", snoozes("like:2", time.Hour))
	var page meNotices
	w.call(t, w.bob, "GET", "/me/notices?filter=later&type=order", nil).is(t, http.StatusOK).into(t, &page)
	if len(page.Notices) != 1 || page.Notices[0].Key != "order:3" || page.Notices[0].Until != until || page.Badge.Unread != 1 {
		t.Errorf("later: %+v", page)
	}
	for query, want := range map[string]string{"": "order:1*", "?filter=unread": "order:1*", "?filter=archived": "", "?filter=later": "order:3 like:2", "?filter=later&limit=1": "order:3"} {
		if got := w.bobSees(t, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := w.call(t, w.bob, "GET", "/me/counts?by=type", nil).is(t, http.StatusOK).text; got != `{"type":{"order":{"rows":1,"unread":1}}}`+"\n" {
		t.Errorf("counts: %s", got)
	}
	if b := w.did(t, "restore", `{"keys":["order:3","like:2"]}`); b.Unread != 3 || w.bobSees(t, "") != all {
		t.Errorf("restored, the badge is %+v and bob sees %q, want %q", b, w.bobSees(t, ""), all)
	}
}

func TestSnoozingRefusesBadTimesAndKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bobHas(t, w.admin, `"type":"order","subject":"1","title":"1"`)
	for body, at := range map[string]string{
		`{}`: "body.key", `{"until":"2031-01-01T00:00:00Z"}`: "body.key", `{"key":"order:1"}`: "body.until", `{"key":"order:1","until":""}`: "body.until", `{"key":"order:1","until":"tomorrow"}`: "body.until",
		snoozes("order:1", -time.Second): "body.until", snoozes("order:1", 90*24*time.Hour+time.Minute): "body.until",
		`{"key":"order:1","until":3}`: "body.until", `{"key":"order:1","for":"1h"}`: "body.for",
	} {
		res := w.call(t, w.bob, "POST", "/me/snooze", body).is(t, http.StatusUnprocessableEntity)
		if got := res.faults(t); !slices.Contains(got, at) {
			t.Errorf("%s: faults at %v, want %s", body, got, at)
		}
	}
	w.call(t, w.bob, "POST", "/me/snooze", snoozes("order:2", time.Hour)).is(t, http.StatusNotFound)
	w.call(t, w.bob, "POST", "/me/wake", `{"key":"order:1"}`).is(t, http.StatusNotFound)
	w.call(t, w.bob, "POST", "/me/wake", `{}`).is(t, http.StatusUnprocessableEntity)
	other := w.token(t, "alice", nil)
	w.call(t, other, "POST", "/me/snooze", snoozes("order:1", time.Hour)).is(t, http.StatusNotFound)
	w.did(t, "snooze", snoozes("order:1", 90*24*time.Hour-time.Minute))
	w.call(t, other, "POST", "/me/wake", `{"key":"order:1"}`).is(t, http.StatusNotFound)
	reading := w.token(t, "bob", map[string]any{"scope": "read"})
	w.call(t, reading, "POST", "/me/snooze", snoozes("order:1", time.Hour)).is(t, http.StatusForbidden)
	w.call(t, reading, "POST", "/me/wake", `{"key":"order:1"}`).is(t, http.StatusForbidden)
}

func TestFiftyNoticesCanBeSnoozed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range notifier.MaxSnoozed + 1 {
		w.call(t, w.admin, "POST", "/notices", `{"target":{"users":["bob"]},"type":"order","subject":"`+strconv.Itoa(i)+`","title":"Order"}`).is(t, http.StatusAccepted)
	}
	testkit.Eventually(t, "bob has all notices", func() bool { return w.badgeOfBob(t).Unread == notifier.MaxSnoozed+1 })
	for i := range notifier.MaxSnoozed {
		w.call(t, w.bob, "POST", "/me/snooze", snoozes("order:"+strconv.Itoa(i), time.Hour)).is(t, http.StatusOK)
	}
	last := snoozes("order:50", time.Hour)
	if got := w.call(t, w.bob, "POST", "/me/snooze", last).is(t, http.StatusUnprocessableEntity).faults(t); len(got) != 1 || got[0] != "body.key" {
		t.Errorf("the 51st: faults at %v", got)
	}
	w.did(t, "wake", `{"key":"order:7"}`)
	if b := w.did(t, "snooze", last); b.Unread != 1 || w.bobSees(t, "") != "order:7*" {
		t.Errorf("then the badge is %+v and bob sees %q", b, w.bobSees(t, ""))
	}
}
