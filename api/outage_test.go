package api

import (
	"net/http"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestNoticesAreAcceptedWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	w := newWorldOn(t, "", server.Client(t))
	server.Crash(t)
	id := w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"like","title":"Kept"}`)
	if n, err := w.store.Notice(t.Context(), id); err != nil || n.Title != "Kept" {
		t.Fatalf("%+v, %v", n, err)
	}
	if n := w.notice(t, id); n.Counts.Delivered != nil || n.Counts.Targeted == nil {
		t.Errorf("counts that cannot be known: %+v", n.Counts)
	}
	res := w.call(t, w.read, "GET", "/users/alice/notices", nil).is(t, http.StatusServiceUnavailable)
	if res.Header.Get("Retry-After") == "" {
		t.Errorf("%v", res.Header)
	}
	server.Restart(t)
	alice, err := w.store.UserByName(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "alice has it", func() bool {
		page, err := w.inbox.Look(t.Context(), alice.Seq, notifier.Query{})
		return err == nil && len(page.Entries) == 1 && page.Entries[0].Title == "Kept"
	})
}

func TestNothingIsAcceptedWhileSQLIsUnavailable(t *testing.T) {
	t.Parallel()
	address := sqltest.OwnURL(t)
	w := newWorldOn(t, address, redistest.Client(t))
	w.call(t, w.send, "GET", "/notices/1", nil).is(t, http.StatusNotFound) // caches the key
	sqltest.Cut(t, address)
	body := `{"target":{"users":["alice"]},"type":"like","title":"Lost"}`
	for path, body := range map[string]string{"/notices": body, "/notices/batch": `{"notices":[` + body + "," + body + `]}`} {
		res := w.call(t, w.send, "POST", path, body).is(t, http.StatusServiceUnavailable)
		if res.Header.Get("Retry-After") == "" {
			t.Errorf("%v", res.Header)
		}
	}
	sqltest.Mend(t, address)
	testkit.Eventually(t, "a notice is accepted again", func() bool {
		return w.call(t, w.send, "POST", "/notices", `{"target":{"users":["alice"]},"type":"like","title":"Kept"}`).StatusCode == http.StatusAccepted
	})
	w.has(t, "alice", "Kept")
	if sent, err := w.store.Notices(t.Context(), notifier.NoticeQuery{}); err != nil || len(sent) != 1 {
		t.Errorf("%d notices were sent, %v", len(sent), err)
	}
}
