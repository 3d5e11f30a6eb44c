package handlers_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// raise sends toasts to alice and returns their IDs.
func (d *databases) raise(titles ...string) []string {
	d.t.Helper()
	for _, title := range titles {
		raise := notifier.ToastRaise{Content: []byte(`{"title":"` + title + `"}`), Token: title, Seqs: []int64{alice.Seq}}
		if err := errors.Join(d.toasts.RaiseAll(d.t.Context(), []notifier.ToastRaise{raise})...); err != nil {
			d.t.Fatal(err)
		}
	}
	return d.waiting()
}

// waiting returns the IDs of alice's pending toasts.
func (d *databases) waiting() []string {
	d.t.Helper()
	all, err := d.toasts.List(d.t.Context(), alice.Seq)
	if err != nil {
		d.t.Fatal(err)
	}
	var ids []string
	for _, each := range all {
		ids = append(ids, each.ID)
	}
	return ids
}

func TestToastReportsOfABrowserArePassedOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ids := w.raise("one", "two", "three", "four")
	w.post("alice", "/toasts/ack", "id", ids[0]).wantStatus(t, http.StatusNoContent)
	r := w.post("alice", "/toasts/ack", "id", ids[1]+","+ids[3]).wantStatus(t, http.StatusNoContent)
	if r.body != "" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the response is %q, %v", r.body, r.Header)
	}
	if diff := cmp.Diff(ids[2:3], w.waiting()); diff != "" {
		t.Error(diff)
	}
	w.post("carol", "/toasts/ack", "id", ids[2]).wantStatus(t, http.StatusNotFound)
	heard := w.redis.Subscribe(t.Context(), w.space.LiveUser(alice.Seq), w.space.LiveUser(carol.Seq))
	defer func() { _ = heard.Close() }()
	for range 2 {
		if _, err := heard.Receive(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	w.post("alice", "/events/active", "visible", "1").wantStatus(t, http.StatusNoContent)
	w.post("carol", "/events/active", "visible", "0").wantStatus(t, http.StatusNoContent)
	for _, want := range []struct {
		seq  int64
		text string
	}{{alice.Seq, "V " + notifier.Browser("session-of-alice") + " 1 "}, {carol.Seq, "V " + notifier.Browser("session-of-carol") + " 0 "}} {
		if m, err := heard.ReceiveMessage(t.Context()); err != nil || m.Channel != w.space.LiveUser(want.seq) || !strings.HasPrefix(m.Payload, want.text) {
			t.Errorf("%v, %v, want %q", m, err, want.text)
		}
	}
}

func TestInvalidToastReportIsRefusedByField(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ids := w.raise("one")
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
	if diff := cmp.Diff(ids, w.waiting()); diff != "" {
		t.Error(diff)
	}
}

func TestToastReportsNeedASessionAndOurOwnOrigin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	ids := w.raise("one")
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
	if diff := cmp.Diff(ids, w.waiting()); diff != "" {
		t.Error(diff)
	}
}

func TestFailedToastReportHasTheUsualStatus(t *testing.T) {
	t.Parallel()
	link, rdb := lossy(t)
	w := newWorldOn(t, rdb, nil)
	w.post("alice", "/toasts/ack", "id", "1700-0").wantStatus(t, http.StatusNotFound)
	link.Refuse(true)
	for address, field := range map[string][]string{"/toasts/ack": {"id", "1700-0"}, "/events/active": {"visible", "1"}} {
		r := w.post("alice", address, field...).wantStatus(t, http.StatusServiceUnavailable)
		if r.Header.Get("Retry-After") == "" {
			t.Errorf("%s has no Retry-After", address)
		}
	}
}
