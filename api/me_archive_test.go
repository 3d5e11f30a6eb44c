package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// bobHas sends notices to bob one after the other, and waits for all of them. Each body lacks the target.
func (w *world) bobHas(t *testing.T, key string, bodies ...string) {
	t.Helper()
	before := w.badgeOfBob(t).Unread
	for i, body := range bodies {
		w.call(t, key, "POST", "/notices", `{"target":{"users":["bob"]},`+body+`}`).is(t, http.StatusAccepted)
		testkit.Eventually(t, "bob has the notice", func() bool { return w.badgeOfBob(t).Unread == before+int64(i)+1 })
	}
}

func (w *world) badgeOfBob(t *testing.T) (b badgeAnswer) {
	t.Helper()
	w.call(t, w.bob, "GET", "/me/badge", nil).is(t, http.StatusOK).into(t, &b)
	return b
}

// bobSees returns the keys in an answer of /me/notices, each with a star if it is unread.
func (w *world) bobSees(t *testing.T, query string) string {
	t.Helper()
	var page meNotices
	w.call(t, w.bob, "GET", "/me/notices"+query, nil).is(t, http.StatusOK).into(t, &page)
	var keys []string
	for _, n := range page.Notices {
		if !n.Read {
			n.Key += "*"
		}
		keys = append(keys, n.Key)
	}
	return strings.Join(keys, " ")
}

// did makes a call of bob that changes his inbox, and returns the badge.
func (w *world) did(t *testing.T, path, body string) (b badgeAnswer) {
	t.Helper()
	w.call(t, w.bob, "POST", "/me/"+path, body).is(t, http.StatusOK).into(t, &b)
	if got := w.badgeOfBob(t); got != b {
		t.Errorf("%s answers the badge %+v, which is %+v", path, b, got)
	}
	return b
}

func TestWhatIsArchivedComesBackAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bobHas(t, w.admin, `"type":"order","subject":"1","title":"1"`, `"type":"order","subject":"2","title":"2"`, `"type":"order","subject":"3","title":"3"`)
	w.did(t, "read", `{"keys":["order:2"]}`)
	all := w.bobSees(t, "")
	for _, back := range []string{"unarchive", "restore"} {
		if b := w.did(t, "archive", `{"keys":["order:1","order:9","order:2"]}`); b.Unread != 1 || w.bobSees(t, "") != "order:3*" {
			t.Errorf("after archiving, the badge is %+v and bob sees %q", b, w.bobSees(t, ""))
		}
		w.call(t, w.bob, "POST", "/me/archive", `{"keys":["order:1"]}`).is(t, http.StatusNotFound)
		if b := w.did(t, back, `{"keys":["order:2","order:9","order:1"]}`); b.Unread != 2 || w.bobSees(t, "") != all {
			t.Errorf("after %s, the badge is %+v and bob sees %q, want %q", back, b, w.bobSees(t, ""), all)
		}
		w.call(t, w.bob, "POST", "/me/"+back, `{"keys":["order:1"]}`).is(t, http.StatusNotFound)
	}
	w.did(t, "archive", `{"keys":["order:1"]}`)
	w.did(t, "delete", `{"keys":["order:1"]}`)
	for range 2 { // the second changes nothing: it must not move what the first put into the archive
		w.call(t, w.bob, "POST", "/me/restore", `{"keys":["order:1"]}`)
		if got := w.bobSees(t, ""); got != "order:3* order:2" {
			t.Errorf("after a deletion from the archive was undone, bob sees %q", got)
		}
	}
	w.did(t, "unarchive", `{"keys":["order:1"]}`)
	if got := w.bobSees(t, ""); got != all {
		t.Errorf("moved back, bob sees %q, want %q", got, all)
	}
}

func TestArchivingRefusesBadKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	many := `["` + strings.Repeat(`k","`, 200) + `k"]`
	for _, path := range []string{"archive", "unarchive", "delete", "restore"} {
		for body, at := range map[string]string{
			`{}`: "body.keys", `{"keys":[]}`: "body.keys", `{"keys":` + many + `}`: "body.keys", `{"keys":["a"],"key":"b"}`: "body.key", `{"keys":[1]}`: "body.keys[0]",
		} {
			res := w.call(t, w.bob, "POST", "/me/"+path, body).is(t, http.StatusUnprocessableEntity)
			if got := res.faults(t); len(got) != 1 || got[0] != at {
				t.Errorf("%s of %.40s: faults at %v, want %s", path, body, got, at)
			}
		}
	}
	reading := w.token(t, "bob", map[string]any{"scope": "read"})
	for _, path := range []string{"archive", "unarchive"} {
		w.call(t, reading, "POST", "/me/"+path, `{"keys":["a"]}`).is(t, http.StatusForbidden)
		w.call(t, w.bob, "POST", "/me/"+path, `{"keys":["a"]}`).is(t, http.StatusNotFound)
	}
}

func TestAFullInboxRefusesToTakeBackWhatWasArchived(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bobHas(t, w.admin, `"type":"order","subject":"1","title":"1"`)
	w.did(t, "archive", `{"keys":["order:1"]}`)
	for i := range 200 {
		w.call(t, w.admin, "POST", "/notices", `{"target":{"users":["bob"]},"type":"like","subject":"`+strconv.Itoa(i)+`","title":"Like"}`).is(t, http.StatusAccepted)
	}
	testkit.Eventually(t, "the inbox is full", func() bool { return w.badgeOfBob(t).Unread == 200 })
	w.call(t, w.bob, "POST", "/me/unarchive", `{"keys":["order:1"]}`).is(t, http.StatusConflict)
	w.call(t, w.bob, "POST", "/me/restore", `{"keys":["order:1"]}`).is(t, http.StatusConflict)
}
