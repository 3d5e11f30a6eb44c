package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// toastWorld is a world with toasts, which records their calls.
type toastWorld struct {
	*world
	heard []string
	err   error
}

func newToastWorld(t *testing.T) *toastWorld {
	t.Helper()
	w := &toastWorld{}
	w.world = newWorld(t, func(in *world) {
		in.config.Toasts = &toasts{
			ack: func(seq int64, ids []string) error {
				w.heard = append(w.heard, fmt.Sprint("ack ", seq, ids))
				return w.err
			},
			active: func(seq int64, session string, visible bool) error {
				w.heard = append(w.heard, fmt.Sprintf("active %d %s %t", seq, session, visible))
				return w.err
			},
		}
	})
	return w
}

func (w *toastWorld) wantHeard(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, w.heard); diff != "" {
		t.Error(diff)
	}
}

func TestToastReportsOfABrowserArePassedOn(t *testing.T) {
	t.Parallel()
	w := newToastWorld(t)
	w.post("alice", "/toasts/ack", "id", "1700-0").wantStatus(t, http.StatusNoContent)
	r := w.post("alice", "/toasts/ack", "id", "1700-0,1701-12").wantStatus(t, http.StatusNoContent)
	if r.body != "" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the response is %q, %v", r.body, r.Header)
	}
	w.post("alice", "/events/active", "visible", "1").wantStatus(t, http.StatusNoContent)
	w.post("carol", "/events/active", "visible", "0").wantStatus(t, http.StatusNoContent)
	w.wantHeard(t, "ack 7 [1700-0]", "ack 7 [1700-0 1701-12]",
		"active 7 session-of-alice true", "active 9 session-of-carol false")
}

func TestInvalidToastReportIsRefusedByField(t *testing.T) {
	t.Parallel()
	w := newToastWorld(t)
	many := strings.Repeat("1700-0,", notifier.MaxToastIDs) + "1700-0"
	for _, test := range []struct{ address, body, want string }{
		{"/toasts/ack", "", `{"id":"required"}`},
		{"/toasts/ack", "id=", `{"id":"required"}`},
		{"/toasts/ack", "id=1700", `{"id":"bad_toast"}`},
		{"/toasts/ack", "id=1700-0,", `{"id":"bad_toast"}`},
		{"/toasts/ack", "id=-1-0", `{"id":"bad_toast"}`},
		{"/toasts/ack", "id=%2B1-0", `{"id":"bad_toast"}`},
		{"/toasts/ack", "id=*", `{"id":"bad_toast"}`},
		{"/toasts/ack", "id=1700-0%00", `{"id":"bad_toast"}`},
		{"/toasts/ack", "id=" + many, `{"id":"bad_toast"}`},
		{"/toasts/ack", "id=1700-0&id=1701-0", `{"":"form"}`},
		{"/toasts/ack", "id=1700-0&seq=9", `{"":"form"}`},
		{"/events/active", "", `{"visible":"required"}`},
		{"/events/active", "visible=2", `{"visible":"bad_switch"}`},
		{"/events/active", "visible=true", `{"visible":"bad_switch"}`},
		{"/events/active", "visible=1&browser=x", `{"":"form"}`},
	} {
		r := w.postBody("alice", test.address, test.body).wantStatus(t, http.StatusUnprocessableEntity)
		if got := strings.TrimSpace(r.body); got != `{"faults":`+test.want+`}` || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s with %.60q answers %s", test.address, test.body, got)
		}
	}
	w.wantHeard(t)
}

func TestToastReportsNeedASessionAndOurOwnOrigin(t *testing.T) {
	t.Parallel()
	w := newToastWorld(t)
	for address, body := range map[string]string{"/toasts/ack": "id=1700-0", "/events/active": "visible=1"} {
		w.postBody("", address, body).wantRedirect(t, "/login?next=%2Finbox")
		w.postBody("alice", address, body, "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusForbidden)
		w.postBody("alice", address, body, "Origin", "https://evil.example").wantStatus(t, http.StatusForbidden)
		w.postBody("alice", address, body+"&page_user=bob").wantStatus(t, http.StatusConflict)
		w.postBody("alice", address, body+strings.Repeat("0", 64<<10)).wantStatus(t, http.StatusRequestEntityTooLarge)
		r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(`{"id":"1700-0"}`))
		w.do(r, "alice", "Content-Type", "application/json").wantStatus(t, http.StatusBadRequest)
		r2 := w.get("alice", address).wantStatus(t, http.StatusMethodNotAllowed)
		if r2.Header.Get("Allow") != "POST" {
			t.Errorf("Allow is %q", r2.Header.Get("Allow"))
		}
	}
	w.wantHeard(t)
}

func TestFailedToastReportHasTheUsualStatus(t *testing.T) {
	t.Parallel()
	w := newToastWorld(t)
	w.err = fmt.Errorf("ack: %w", notifier.ErrNotFound)
	w.post("alice", "/toasts/ack", "id", "1700-0").wantStatus(t, http.StatusNotFound)
	w.err = fmt.Errorf("ack: %w", notifier.ErrUnavailable)
	for address, field := range map[string][]string{"/toasts/ack": {"id", "1700-0"}, "/events/active": {"visible", "1"}} {
		r := w.post("alice", address, field...).wantStatus(t, http.StatusServiceUnavailable)
		if r.Header.Get("Retry-After") == "" {
			t.Errorf("%s has no Retry-After", address)
		}
	}
}
