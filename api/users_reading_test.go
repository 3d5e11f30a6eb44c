package api

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// unread returns the keys of a user's unread notices, newest first.
func (w *world) unread(t testing.TB, name string) (keys []string) {
	t.Helper()
	for _, n := range w.polled(t, name, "limit=200").Notices {
		if !n.Read {
			keys = append(keys, n.Key)
		}
	}
	return keys
}

func TestNoticesAreMarkedAsReadByKeysUptoOrSubject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ats []int64
	for _, key := range []string{"like:photo:1", "comment:photo:1", "like:photo:2", "shift:week:47", "like:photo:3"} {
		typ, subject, _ := strings.Cut(key, ":")
		w.sent(t, notifier.Draft{Type: typ, Subject: subject}, "bob")
		ats = append(ats, w.polled(t, "bob", "").Newest)
	}
	for _, step := range []struct {
		body string
		want []string
	}{
		{`{"keys": ["like:photo:3"]}`, []string{"shift:week:47", "like:photo:2", "comment:photo:1", "like:photo:1"}},
		{`{"keys": ["like:photo:3", "like:photo:3"]}`, []string{"shift:week:47", "like:photo:2", "comment:photo:1", "like:photo:1"}},
		{`{"subject": "photo:1"}`, []string{"shift:week:47", "like:photo:2"}},
		{`{"subject": "photo:9"}`, []string{"shift:week:47", "like:photo:2"}},
		{fmt.Sprintf(`{"upto": %d}`, ats[1]), []string{"shift:week:47", "like:photo:2"}},
		{fmt.Sprintf(`{"upto": "%d"}`, ats[2]), []string{"shift:week:47"}},
		{`{"upto": "like:photo:2"}`, []string{"shift:week:47"}},
		{`{"upto": "like:photo:3"}`, nil},
	} {
		var b badgeAnswer
		w.call(t, w.read, "POST", "/users/bob/read", step.body).is(t, http.StatusOK).into(t, &b)
		if n := int64(len(step.want)); b.Inbox != n || b.Unread != n || b.Ver == 0 {
			t.Errorf("%s: %+v", step.body, b)
		}
		if got := w.unread(t, "bob"); !slices.Equal(got, step.want) {
			t.Errorf("%s leaves %q, want %q", step.body, got, step.want)
		}
	}
}

func TestReadRefusesInvalidBodiesAndForeignKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sent(t, notifier.Draft{Type: "like", Subject: "photo:1"}, "bob")
	w.sent(t, notifier.Draft{Type: "like", Subject: "photo:2"}, "alice")
	many := `["` + strings.Repeat(`k","`, maxReadKeys) + `k"]`
	for _, test := range []struct {
		body   string
		status int
		want   []string
	}{
		{`{}`, http.StatusUnprocessableEntity, []string{"body"}},
		{`{"keys": ["like:photo:1"], "upto": 5}`, http.StatusUnprocessableEntity, []string{"body"}},
		{`{"keys": []}`, http.StatusUnprocessableEntity, []string{"body.keys"}},
		{`{"keys": ` + many + `}`, http.StatusUnprocessableEntity, []string{"body.keys"}},
		{`{"keys": [1]}`, http.StatusUnprocessableEntity, []string{"body.keys[0]"}},
		{`{"keys": null}`, http.StatusUnprocessableEntity, []string{"body.keys"}},
		{`{"upto": -1}`, http.StatusUnprocessableEntity, []string{"body.upto"}},
		{`{"upto": 1.5}`, http.StatusUnprocessableEntity, []string{"body.upto"}},
		{`{"upto": 9223372036854775808}`, http.StatusUnprocessableEntity, []string{"body.upto"}},
		{`{"upto": ""}`, http.StatusUnprocessableEntity, []string{"body.upto"}},
		{`{"upto": true}`, http.StatusUnprocessableEntity, []string{"body.upto"}},
		{`{"subject": ""}`, http.StatusUnprocessableEntity, []string{"body.subject"}},
		{`{"subject": "two words"}`, http.StatusUnprocessableEntity, []string{"body.subject"}},
		{`{"subject": "` + strings.Repeat("x", 201) + `"}`, http.StatusUnprocessableEntity, []string{"body.subject"}},
		{`{"subject": "\u0000"}`, http.StatusUnprocessableEntity, []string{"body.subject"}},
		{`{"keys": ["like:photo:1", "like:photo:2"]}`, http.StatusNotFound, nil}, // the second belongs to another user
		{`{"keys": ["like:photo:2"]}`, http.StatusNotFound, nil},
		{`{"keys": ["like:photo:1:has_read:0"]}`, http.StatusNotFound, nil},
		{`{"keys": ["like:photo:1", ""]}`, http.StatusNotFound, nil},
		{`{"keys": ["` + strings.Repeat("x", 10_000) + `"]}`, http.StatusNotFound, nil},
		{`{"keys": ["\u0000\r\n\u2028"]}`, http.StatusNotFound, nil},
		{`{"upto": "like:photo:2"}`, http.StatusNotFound, nil},
		{`{"upto": "-5"}`, http.StatusNotFound, nil},
	} {
		res := w.call(t, w.read, "POST", "/users/bob/read", test.body).is(t, test.status)
		if got := res.faults(t); !slices.Equal(got, test.want) {
			t.Errorf("%.60s: %q, want %q", test.body, got, test.want)
		}
	}
	for _, name := range []string{"alice", "bob"} {
		if got := w.unread(t, name); len(got) != 1 {
			t.Errorf("%s: unread %q, want one notice", name, got)
		}
	}
	w.call(t, w.read, "POST", "/users/nobody/read", `{"upto": 5}`).is(t, http.StatusNotFound)
	w.call(t, w.read, "GET", "/users/nobody/badge", nil).is(t, http.StatusNotFound)
}

func TestAThousandReadsOfOneNoticeCountOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 2 {
		w.sent(t, notifier.Draft{Type: "like", Subject: "photo:" + strconv.Itoa(i)}, "bob")
	}
	done := make(chan int64)
	const callers, each = 20, 50
	for range callers {
		go func() {
			var b badgeAnswer
			for range each {
				w.call(t, w.read, "POST", "/users/bob/read", `{"keys": ["like:photo:1"]}`).into(t, &b)
			}
			done <- b.Unread
		}()
	}
	for range callers {
		if got := <-done; got != 1 {
			t.Errorf("%d unread", got)
		}
	}
}
