package api

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestEditCanMarkAnAnnouncementAsUnreadForEverybody(t *testing.T) {
	t.Parallel()
	w := newStillWorld(t, "", redistest.Client(t))
	id := w.accepted(t, w.send, `{"target":{"audiences":["user"]},"title":"At 15:00"}`)
	path := "/notices/" + strconv.FormatInt(id, 10)
	alice, err := w.store.UserByName(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	// The announcements may follow a moment after the answer.
	badge := func(want int64) {
		t.Helper()
		testkit.Eventually(t, fmt.Sprint("alice has so many unread announcements: ", want), func() bool {
			var b struct {
				Announcements int64 `json:"announcements"`
			}
			w.call(t, w.read, "GET", "/users/alice/badge", nil).is(t, http.StatusOK).into(t, &b)
			return b.Announcements == want
		})
	}
	read := func() {
		t.Helper()
		if _, err := w.announcements.MarkRead(t.Context(), notifier.Reader{Seq: alice.Seq, Audience: alice.Audience}, id); err != nil {
			t.Fatal(err)
		}
	}
	read()
	badge(0)
	for _, edit := range []string{`{"title":"At 16:00"}`, `{"title":"At 17:00","unread":false}`, `{"unread":false}`} {
		w.call(t, w.send, "PATCH", path, edit).is(t, http.StatusOK)
		badge(0)
	}
	for revision, edit := range []string{`{"unread":true}`, `{"title":"At 18:00","unread":true}`} {
		var n noticeOutput
		w.call(t, w.send, "PATCH", path, edit).is(t, http.StatusOK).into(t, &n)
		if n.Revision != int64(revision)+3 {
			t.Errorf("%s: revision %d, want %d", edit, n.Revision, revision+3)
		}
		badge(1)
		if n = w.notice(t, id); n.Counts.Read == nil || *n.Counts.Read != 0 {
			t.Errorf("%s: read by %v, want 0", edit, n.Counts.Read)
		}
		read()
		badge(0)
	}
	w.call(t, w.send, "PATCH", path, `{"unread":"yes"}`).is(t, http.StatusUnprocessableEntity)
	w.call(t, w.send, "DELETE", path, nil).is(t, http.StatusNoContent)
	w.call(t, w.send, "PATCH", path, `{"unread":true}`).is(t, http.StatusConflict)
}

func TestNoticesToInboxesCannotBeMarkedAsUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"like","title":"Before"}`)
	w.call(t, w.send, "PATCH", "/notices/"+strconv.FormatInt(id, 10), `{"title":"After","unread":true}`).is(t, http.StatusUnprocessableEntity)
	if n := w.notice(t, id); n.Title != "Before" {
		t.Errorf("edited: %+v", n)
	}
}
