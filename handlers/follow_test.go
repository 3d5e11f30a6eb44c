package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// followWorld has notice 1 with a link, notice 2 without one, notice 3, which a newer notice replaced, announcement
// 8, and notice 9, which alice did not receive. did lists the calls that mark them.
func followWorld(t *testing.T, did *[]string) *world {
	t.Helper()
	rows := map[string]notifier.Entry{}
	for id := 1; id <= 3; id++ {
		e := entry(id, noon.Add(-time.Minute), false, false)
		rows[e.Key] = e
	}
	bare, newer := rows["like:photo:2"], rows["like:photo:3"]
	bare.Link, newer.NoticeID = "", 4
	rows["like:photo:2"], rows["like:photo:3"] = bare, newer
	return newWorld(t, func(w *world) {
		w.inbox.find = func(seq int64, key string, _ int64) (notifier.Entry, error) {
			if e, ok := rows[key]; ok && seq == alice.Seq {
				return e, nil
			}
			return notifier.Entry{}, notifier.ErrNotFound
		}
		w.inbox.change = func(verb string, _ int64, key string) (notifier.Badge, error) {
			*did = append(*did, verb+" "+key)
			return notifier.Badge{}, nil
		}
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			e := entry(int(id), noon, false, false)
			p := sentAs(&e)
			p.Extras.Actions = []notifier.Action{{Label: "Review", Link: "/prs/7"}, {Label: "Later", Link: "https://shop.example/later"}}
			switch id {
			case 8:
				p.Target = notifier.Target{Audiences: []notifier.Audience{3}}
			case 10:
				return p, notifier.ErrNotFound
			}
			return p, nil
		}
		w.posts.find = func(r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) {
			if r.Seq != alice.Seq || id != 8 {
				return notifier.OpenAnnouncement{}, notifier.ErrNotFound
			}
			return notifier.OpenAnnouncement{}, nil
		}
	})
}

func TestFollowingANoticeMarksItReadAndRedirects(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	w.get("alice", "/n/1").wantRedirect(t, "/photos/1")
	at := entry(2, noon.Add(-time.Minute), false, false).At
	w.get("alice", "/n/2").wantRedirect(t, "/inbox?opened=0#e"+strconv.FormatInt(at, 10))
	w.get("alice", "/n/8").wantRedirect(t, "/announcements/8")
	if want := []string{"follow like:photo:1", "follow like:photo:2"}; !slices.Equal(did, want) {
		t.Errorf("did %q, want %q", did, want)
	}
}

func TestFollowingAnActionMarksTheNoticeReadAndRedirects(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	w.posts.change = func(verb string, _ notifier.Reader, id int64) (notifier.Badge, error) {
		did = append(did, verb+" "+strconv.FormatInt(id, 10))
		return notifier.Badge{}, nil
	}
	w.get("alice", "/n/1?a=1").wantRedirect(t, "/prs/7")
	w.get("alice", "/n/2?a=2").wantRedirect(t, "https://shop.example/later")
	w.get("alice", "/n/8?a=1").wantRedirect(t, "/prs/7")
	if want := []string{"follow like:photo:1", "follow like:photo:2", "read 8"}; !slices.Equal(did, want) {
		t.Errorf("did %q, want %q", did, want)
	}
	did = nil
	for _, action := range []string{"", "0", "3", "-1", "x", "1.0", "99999999999999999999"} {
		w.get("alice", "/n/1?a="+action).wantStatus(t, http.StatusNotFound)
		w.get("alice", "/n/8?a="+action).wantStatus(t, http.StatusNotFound)
	}
	w.get("carol", "/n/1?a=1").wantStatus(t, http.StatusNotFound)
	w.get("carol", "/n/8?a=1").wantStatus(t, http.StatusNotFound)
	w.get("alice", "/n/1?a=1", notMeant[0]...).wantRedirect(t, "/prs/7")
	if len(did) != 0 {
		t.Errorf("did %q", did)
	}
}

func TestFollowingANoticeOfAnotherUserIs404(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	for _, address := range []string{"/n/3", "/n/9", "/n/10", "/n/0", "/n/01", "/n/-1", "/n/x", "/n/99999999999999999999"} {
		w.get("alice", address).wantStatus(t, http.StatusNotFound)
	}
	for _, address := range []string{"/n/1", "/n/2", "/n/8"} {
		w.get("carol", address).wantStatus(t, http.StatusNotFound)
	}
	w.get("", "/n/1").wantRedirect(t, "/login?next=%2Fn%2F1")
	if len(did) != 0 {
		t.Errorf("did %q", did)
	}
}

// notMeant contains the headers of requests that users did not make deliberately.
var notMeant = [][]string{
	{"Sec-Purpose", "prefetch;prerender"},
	{"Purpose", "prefetch"},
	{"Sec-Fetch-Dest", "image", "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"},
	{"Sec-Fetch-Dest", "image", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "no-cors"},
	{"Sec-Fetch-Dest", "iframe", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate"},
	{"Sec-Fetch-Dest", "empty", "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors"},
	{"Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "navigate"},
	{"Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-User", "?1"},
}

// meant contains the headers of deliberate requests.
var meant = [][]string{
	nil,
	{"Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"},
	{"Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate"},
	{"Sec-Fetch-Dest", "empty", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors", "HX-Request", "true"},
}

func TestOnlyDeliberateVisitsMarkAnythingRead(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	w.inbox.open = func(int64) (notifier.Page, error) {
		did = append(did, "open")
		return notifier.Page{}, nil
	}
	w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) {
		return notifier.Page{Unread: 1, Entries: []notifier.Entry{entry(1, noon, false, false)}}, nil
	}
	w.inbox.badge = func(int64) (notifier.Badge, error) { return notifier.Badge{Unread: 1, Inbox: 1, Ver: 3}, nil }
	w.posts.change = func(verb string, _ notifier.Reader, id int64) (notifier.Badge, error) {
		did = append(did, verb+" "+strconv.FormatInt(id, 10))
		return notifier.Badge{}, nil
	}
	visit := func(headers []string) (inbox reply) {
		did = nil
		inbox = w.get("alice", "/inbox", headers...).wantStatus(t, http.StatusOK)
		w.get("alice", "/announcements/8", headers...).wantStatus(t, http.StatusOK)
		w.get("alice", "/n/1", headers...).wantRedirect(t, "/photos/1")
		return inbox
	}
	for _, headers := range meant {
		visit(headers)
		if want := []string{"open", "read 8", "follow like:photo:1"}; !slices.Equal(did, want) {
			t.Errorf("with %q: did %q, want %q", headers, did, want)
		}
	}
	for _, headers := range notMeant {
		r := visit(headers)
		if len(did) != 0 {
			t.Errorf("with %q: did %q", headers, did)
		}
		// The script opens the inbox when the page becomes visible.
		if r.count("#inbox[data-unopened]") != 1 || r.count("[data-testid=entry][data-state=unread]") != 1 {
			t.Errorf("with %q the page shows no unread rows, or is not marked as unopened", headers)
		}
	}
	did = nil
	for _, address := range []string{"/inbox", "/announcements/8", "/n/1"} {
		w.do(httptest.NewRequest(http.MethodHead, address, nil), "alice")
	}
	if len(did) != 0 {
		t.Errorf("HEAD did %q", did)
	}
	if r := w.get("alice", "/inbox?filter=unread"); r.count("#inbox[data-unopened]") != 0 {
		t.Error("a page that does not open is marked as unopened")
	}
}

func TestFollowWorksWhileRedisIsUnavailable(t *testing.T) {
	t.Parallel()
	var did []string
	w := followWorld(t, &did)
	w.inbox.find = func(int64, string, int64) (notifier.Entry, error) { return notifier.Entry{}, errAway }
	w.config.Archive.Inbox = &storedInbox{page: notifier.Page{Entries: []notifier.Entry{entry(1, noon, false, false)}}}
	w.rebuild()
	w.get("alice", "/n/1").wantRedirect(t, "/photos/1")
	w.get("alice", "/n/2").wantStatus(t, http.StatusNotFound)
	w.get("carol", "/n/1").wantStatus(t, http.StatusNotFound)
	if len(did) != 0 {
		t.Errorf("did %q", did)
	}
}

// sentAs returns the notice of an entry like:photo:N.
func sentAs(e *notifier.Entry) notifier.Progress {
	return notifier.Progress{Notice: notifier.Notice{
		Draft: notifier.Draft{
			Type: "like", Subject: "photo:" + strconv.FormatInt(e.NoticeID, 10), Title: e.Title, Body: e.Body, Link: e.Link,
			Target: notifier.Target{Role: "picker"},
		},
		ID: e.NoticeID, State: notifier.StateSent, CreatedAt: e.CreatedAt,
	}}
}
