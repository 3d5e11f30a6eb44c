package api

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestAnEditChangesTheGivenFieldsInEveryInbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.accepted(t, w.send, `{"target":{"users":["alice","bob"]},"type":"like","title":"Before","body":"stays","link":"/a"}`)
	w.has(t, "alice", "Before")
	path := "/notices/" + strconv.FormatInt(id, 10)
	var n noticeOutput
	w.call(t, w.send, "PATCH", path, `{"title":"After","link":""}`).is(t, http.StatusOK).into(t, &n)
	if n.Title != "After" || n.Body != "stays" || n.Link != "" || n.Revision != 1 {
		t.Errorf("%+v", n)
	}
	w.has(t, "alice", "After")
	w.has(t, "bob", "After")

	w.call(t, w.send, "PATCH", path, `{"title":"Late","revision":0}`).is(t, http.StatusConflict)
	w.call(t, w.send, "PATCH", path, `{"title":"In time","revision":1}`).is(t, http.StatusOK).into(t, &n)
	if n.Revision != 2 {
		t.Errorf("revision %d", n.Revision)
	}
	for body, place := range map[string]string{
		`{"title":""}`: "body.title", `{"link":"javascript:1"}`: "body.link", `{"pinned":true}`: "body.pinned",
		`{"ends_at":"2030-01-01T00:00:00Z"}`: "body.ends_at", `{"type":"other"}`: "body.type", `{"target":{"users":["carol"]}}`: "body.target",
	} {
		if got := w.call(t, w.send, "PATCH", path, body).is(t, http.StatusUnprocessableEntity).faults(t); !slices.Equal(got, []string{place}) {
			t.Errorf("%s: faults at %v", body, got)
		}
	}
}

func TestAnEditWithoutChangesKeepsTheRevision(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for body, edits := range map[string][]string{
		`{"target":{"users":["alice","bob"]},"type":"like","title":"A","body":"B","link":"/a"}`: {
			`{}`, `{"revision":0}`, `{"title":"A"}`, `{"title":" A ","body":"B","link":"/a","revision":0}`,
		},
		`{"target":{"audiences":["customer"]},"title":"A","body":"B","pinned":true,"ends_at":"` + stamp(time.Now().Add(time.Hour)) + `"}`: {
			`{}`, `{"revision":0}`, `{"title":"A"}`, `{"title":" A ","body":"B","pinned":true,"late_joiners":false}`,
		},
	} {
		id := w.accepted(t, w.send, body)
		path := "/notices/" + strconv.FormatInt(id, 10)
		testkit.Eventually(t, "it is sent", func() bool { return w.notice(t, id).State == string(notifier.StateSent) })
		before := w.notice(t, id)
		for _, edit := range edits {
			var n noticeOutput
			w.call(t, w.send, "PATCH", path, edit).is(t, http.StatusOK).into(t, &n)
			if n.Revision != 0 || n.State != string(notifier.StateSent) || n.Title != before.Title || n.ExpiresAt != before.ExpiresAt || n.EndsAt != before.EndsAt {
				t.Errorf("%s: %+v", edit, n)
			}
		}
		w.call(t, w.send, "PATCH", path, `{"revision":1}`).is(t, http.StatusConflict)
		w.call(t, w.send, "PATCH", path, `{"title":"A","revision":1}`).is(t, http.StatusConflict)
		if n := w.notice(t, id); n.Revision != 0 || n.State != string(notifier.StateSent) {
			t.Errorf("%+v", n)
		}
		w.call(t, w.send, "DELETE", path, nil).is(t, http.StatusNoContent)
		for _, edit := range append(edits, `{"title":"Z"}`) {
			w.call(t, w.send, "PATCH", path, edit).is(t, http.StatusConflict)
		}
	}
}

func TestTheWindowOfAnAnnouncementCanBeEdited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.accepted(t, w.send, `{"target":{"audiences":["customer","user"]},"title":"Before","pinned":true,"expires_in":"24h"}`)
	before := w.notice(t, id)
	end := time.Now().Add(48 * time.Hour).UTC().Truncate(time.Millisecond)
	var n noticeOutput
	w.call(t, w.send, "PATCH", "/notices/"+strconv.FormatInt(id, 10), map[string]any{"title": "After", "ends_at": end.Format(time.RFC3339Nano), "pinned": false}).
		is(t, http.StatusOK).into(t, &n)
	if n.Title != "After" || n.EndsAt != stamp(end) || n.Pinned || n.StartsAt != before.StartsAt || !slices.Equal(n.Target.Audiences, []string{"user", "customer"}) {
		t.Errorf("%+v", n)
	}
	if got := w.notice(t, id); got.EndsAt != stamp(end) || got.Revision != before.Revision+1 {
		t.Errorf("%+v", got)
	}
	w.call(t, w.send, "PATCH", "/notices/"+strconv.FormatInt(id, 10), `{"ends_at":"never"}`).is(t, http.StatusUnprocessableEntity)
}

func TestConcurrentEditsAreAllApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"like","title":"Before","body":"Before","link":"/before"}`)
	path := "/notices/" + strconv.FormatInt(id, 10)
	done := make(chan reply)
	bodies := []string{`{"title":"After"}`, `{"body":"After"}`, `{"link":"/after"}`}
	for _, body := range bodies {
		go func() { done <- w.call(t, w.send, "PATCH", path, body) }()
	}
	for range bodies {
		if res := <-done; res.StatusCode != http.StatusOK {
			t.Errorf("%d: %s", res.StatusCode, res.text)
		}
	}
	if n := w.notice(t, id); n.Title != "After" || n.Body != "After" || n.Link != "/after" || n.Revision != 3 {
		t.Errorf("%+v", n)
	}
}

func TestARetractedNoticeIsGoneAndRetractingMayBeRepeated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.accepted(t, w.send, `{"target":{"users":["alice","bob"]},"type":"like","title":"Oops"}`)
	w.has(t, "alice", "Oops")
	path := "/notices/" + strconv.FormatInt(id, 10)
	for range 2 {
		if res := w.call(t, w.send, "DELETE", path, nil).is(t, http.StatusNoContent); res.text != "" {
			t.Error(res.text)
		}
	}
	w.has(t, "alice")
	w.has(t, "bob")
	testkit.Eventually(t, "it is retracted", func() bool { return w.notice(t, id).State == string(notifier.StateRetracted) })
	w.call(t, w.send, "PATCH", path, `{"title":"Back"}`).is(t, http.StatusConflict)
}

func TestAKeyWithdrawsAllItsNoticesAboutASubject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.key(t, "other", "send")
	const subject = "invoice:42/a?b%#é"
	w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"bill","subject":"invoice:42/a?b%#","title":"Bill"}`)
	w.accepted(t, w.send, `{"target":{"users":["alice","bob"]},"type":"due","subject":"invoice:42/a?b%#","title":"Due"}`)
	w.accepted(t, other, `{"target":{"users":["alice"]},"type":"paid","subject":"invoice:42/a?b%#","title":"Of another"}`)
	w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"bill","subject":"invoice:43","title":"Another"}`)
	testkit.Eventually(t, "all four are delivered", func() bool { return len(w.titles(t, "alice")) == 4 })
	withdrawn := func(key string, want int64) {
		t.Helper()
		var out withdrawn
		w.call(t, key, "DELETE", "/subjects/"+url.PathEscape("invoice:42/a?b%#"), nil).is(t, http.StatusOK).into(t, &out)
		if out.Withdrawn != want {
			t.Errorf("%d notices withdrawn, want %d", out.Withdrawn, want)
		}
	}
	withdrawn(w.send, 2)
	w.has(t, "alice", "Another", "Of another")
	w.has(t, "bob")
	withdrawn(w.send, 0)
	withdrawn(w.admin, 1)
	w.has(t, "alice", "Another")
	for _, bad := range []string{subject, "a b", "a\x00", strings.Repeat("a", 201), "\xff"} {
		if got := w.call(t, w.send, "DELETE", "/subjects/"+url.PathEscape(bad), nil).is(t, http.StatusUnprocessableEntity).faults(t); !slices.Equal(got, []string{"path.subject"}) {
			t.Errorf("%.20q: faults at %v", bad, got)
		}
	}
}
