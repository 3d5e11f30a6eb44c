package handlers_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/carillonhq/carillon/notifier"
)

// script sends a form as htmx does.
func (w *world) script(user, address, target, body string) reply {
	w.t.Helper()
	return w.postBody(user, address, body, "HX-Request", "true", "HX-Target", target)
}

// told returns the badge in a response to htmx.
func (r reply) told(t *testing.T) notifier.Badge {
	t.Helper()
	var events map[string]notifier.Badge
	if err := json.Unmarshal([]byte(r.Header.Get("HX-Trigger")), &events); err != nil {
		t.Fatalf("HX-Trigger %q: %v", r.Header.Get("HX-Trigger"), err)
	}
	return events["carillon:badge"]
}

func TestScriptGetsTheChangedRowAndTheBadge(t *testing.T) {
	t.Parallel()
	var found []int64
	w := newWorld(t, func(w *world) {
		w.inbox.change = func(verb string, _ int64, _ string) (notifier.Badge, error) {
			return notifier.Badge{Unread: 2, Inbox: 2, Ver: 50}, nil
		}
		w.inbox.find = func(seq int64, _ string, opened int64) (notifier.Entry, error) {
			found = append(found, seq, opened)
			return entry(1, noon, false, false), nil
		}
	})
	r := w.script("alice", "/inbox/unread", "e1", "key=like%3A1&back=%2Finbox%3Fopened%3D33").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=entry]") != 1 || r.count("html h1, header") != 0 {
		t.Errorf("the response is not exactly one row:\n%s", r.body)
	}
	if got := r.attr("[data-testid=entry] [name=back]", "value"); got != "/inbox?opened=33" {
		t.Errorf("the row's form returns to %q", got)
	}
	if got := r.told(t); got.Unread != 2 || got.Ver != 50 {
		t.Errorf("the script gets the badge %+v", got)
	}
	if !slices.Equal(found, []int64{1, 33}) {
		t.Errorf("Find got %v", found)
	}
}

func TestDeletedRowKeepsAPlaceForUndo(t *testing.T) {
	t.Parallel()
	var restored []string
	e := entry(1, noon, true, false)
	w := newWorld(t, func(w *world) {
		w.inbox.take = func(int64, string) (notifier.Entry, error) { return e, nil }
		w.inbox.restore = func(_ int64, key string) error {
			restored = append(restored, key)
			return nil
		}
		w.inbox.find = func(int64, string, int64) (notifier.Entry, error) { return e, nil }
	})
	r := w.script("alice", "/inbox/delete", "e1", "key="+e.Key+"&back=%2Finbox%3Fopened%3D0").wantStatus(t, http.StatusOK)
	place := r.attr("li[hidden]", "id")
	if place == "" || r.count("[data-testid=entry]") != 0 {
		t.Fatalf("no hidden row:\n%s", r.body)
	}
	undo := r.page.Find("#done[hx-swap-oob=true] form")
	if got := undo.AttrOr("hx-target", ""); got != "#"+place {
		t.Errorf("Undo replaces %q, the hidden row is %q", got, place)
	}
	fields := []string{}
	undo.Find("input").Each(func(_ int, f *goquery.Selection) {
		fields = append(fields, f.AttrOr("name", "")+"="+f.AttrOr("value", ""))
	})
	r = w.script("alice", undo.AttrOr("action", ""), place, strings.Join(fields, "&")).wantStatus(t, http.StatusOK)
	if len(restored) != 1 || restored[0] != e.Key || r.count("[data-testid=entry]") != 1 {
		t.Errorf("restored %v:\n%s", restored, r.body)
	}
}

func TestMarkAllAsReadCanBeUndoneForEntries(t *testing.T) {
	t.Parallel()
	var did []string
	unread := []notifier.Entry{entry(3, noon, false, false), entry(2, noon.Add(-time.Second), false, false), entry(1, noon.Add(-time.Minute), false, false)}
	w := newWorld(t, func(w *world) {
		w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
			if q.Unread {
				return notifier.Page{Entries: unread}, nil
			}
			return notifier.Page{}, nil
		}
		w.inbox.change = func(verb string, _ int64, arg string) (notifier.Badge, error) {
			did = append(did, verb+" "+arg)
			if arg == unread[2].Key {
				return notifier.Badge{}, notifier.ErrNotFound // it has left the inbox since
			}
			return notifier.Badge{}, nil
		}
	})
	upto := "upto=" + strconv.FormatInt(unread[1].At, 10) // the first one arrived after the page was rendered
	for _, how := range []func() reply{
		func() reply { return w.script("alice", "/inbox/read-all", "inbox", upto) },
		func() reply {
			w.postBody("alice", "/inbox/read-all", upto).wantRedirect(t, "/inbox?done=read-all")
			return w.get("alice", "/inbox?done=read-all")
		},
	} {
		did = nil
		r := how().wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=done] p", "Marked all as read.")
		form := r.page.Find("[data-testid=done] form")
		keys := form.Find("[name=keys]").AttrOr("value", "")
		if keys != unread[1].Key+"\n"+unread[2].Key {
			t.Errorf("Undo names %q", keys)
		}
		w.post("alice", form.AttrOr("action", ""), "keys", keys, "back", "/inbox?opened=4").wantRedirect(t, "/inbox?done=restored&opened=4")
		want := []string{"upto " + strconv.FormatInt(unread[1].At, 10), "unread again " + unread[1].Key + " " + unread[2].Key}
		if !slices.Equal(did, want) {
			t.Errorf("did %q, want %q", did, want)
		}
	}
	w.get("carol", "/inbox?done=read-all").wantText(t, "[data-testid=done] form", "")
}

func TestPanelShowsTheNewestEntriesWithoutOpeningTheInbox(t *testing.T) {
	t.Parallel()
	var asked []notifier.Query
	w := newWorld(t, func(w *world) {
		w.inbox.change = func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, nil }
		w.inbox.open = func(int64) (notifier.Page, error) {
			t.Error("the panel opened the inbox")
			return notifier.Page{}, nil
		}
		w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
			asked = append(asked, q)
			return notifier.Page{Entries: []notifier.Entry{
				entry(2, noon, false, false), entry(1, noon.Add(-48*time.Hour), true, false),
			}, Unread: 1, Ver: 77}, nil
		}
	})
	r := w.get("alice", "/inbox/panel", "HX-Request", "true", "HX-Target", "panel").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=panel-entry]") != 2 || r.count("a.button[href='/inbox']") != 1 || r.count("[data-testid=entry]") != 0 {
		t.Errorf("the panel:\n%s", r.body)
	}
	if r.count("[data-testid=panel-entry] form[action='/inbox/archive'] [name=at]") != 2 || r.count("#panel-unread .tally:not([hidden])") != 1 || r.text("#panel-unread .tally") != "1" {
		t.Errorf("rows cannot be archived, or nothing says how many are unread:\n%s", r.body)
	}
	if got := r.attr("form[action='/inbox/read-all'] [name=upto]", "value"); got != "77" {
		t.Errorf("Mark all as read goes up to %q", got)
	}
	w.script("alice", "/inbox/read-all", "panel", "upto=77").wantStatus(t, http.StatusOK)
	if len(asked) == 0 || asked[0].Limit != 10 || asked[len(asked)-1].Limit != 10 {
		t.Errorf("Look got %+v", asked)
	}
}

func TestResponseWithoutAMessageKeepsThePreviousOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.change = func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, nil }
		w.inbox.find = func(int64, string, int64) (notifier.Entry, error) { return entry(1, noon, true, false), nil }
	})
	r := w.script("alice", "/inbox/read", "e1", "key=like%3A1").wantStatus(t, http.StatusOK)
	if r.count("#done") != 0 {
		t.Errorf("a row has an empty message:\n%s", r.body)
	}
	if r = w.get("alice", "/inbox?filter=unread"); r.count("#done") != 1 || r.count("#done[hx-swap-oob]") != 0 {
		t.Error("a page without a message would clear the message, or has no place for one")
	}
	if w.get("alice", "/inbox?done=read").count("#done[hx-swap-oob=true]") != 1 {
		t.Error("a page with a message does not show it")
	}
}

func TestPanelSaysThatAllIsMarkedAsRead(t *testing.T) {
	t.Parallel()
	unread := []notifier.Entry{entry(2, noon, false, false), entry(1, noon.Add(-time.Minute), false, false)}
	w := newWorld(t, func(w *world) {
		w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return notifier.Page{Entries: unread}, nil }
		w.inbox.change = func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, nil }
	})
	r := w.script("alice", "/inbox/read-all", "panel", "upto="+strconv.FormatInt(noon.UnixMilli(), 10)).wantStatus(t, http.StatusOK)
	r.wantText(t, "#done[hx-swap-oob=true] p", "Marked all as read.")
	form := r.page.Find("#done form[method=post]")
	if form.Length() != 1 {
		t.Fatalf("no Undo:\n%s", r.body)
	}
	for _, attr := range form.Nodes[0].Attr {
		if strings.HasPrefix(attr.Key, "hx-") {
			t.Errorf("Undo has %s, although the page below the panel may be any", attr.Key)
		}
	}
	fields := []string{}
	for _, f := range form.Find("input").EachIter() {
		fields = append(fields, f.AttrOr("name", ""), f.AttrOr("value", ""))
	}
	w.post("alice", form.AttrOr("action", ""), fields...).wantRedirect(t, "/inbox?done=restored")
	if w.get("alice", "/inbox/panel", "HX-Request", "true").count("#done") != 0 {
		t.Error("opening the panel shows the message of an earlier action")
	}
}

func TestScriptWithoutASessionIsSentToLogin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	r := w.do(httptest.NewRequest(http.MethodGet, "/inbox/panel", nil), "", "HX-Request", "true", "HX-Current-URL", "http://c.example/staff/users?q=a").
		wantStatus(t, http.StatusUnauthorized)
	if got := r.Header.Get("HX-Redirect"); got != "/login?next=%2Fstaff%2Fusers%3Fq%3Da" {
		t.Errorf("redirected to %q", got)
	}
	for _, evil := range []string{"https://evil.example//evil.example", "%zz", ""} {
		r = w.do(httptest.NewRequest(http.MethodGet, "/inbox/panel", nil), "", "HX-Request", "true", "HX-Current-URL", evil)
		if got := r.Header.Get("HX-Redirect"); !strings.HasPrefix(got, "/login?next=%2F") || strings.Contains(got, "evil") {
			t.Errorf("from %q redirected to %q", evil, got)
		}
	}
}

func TestPageOfAnotherUserGetsNothingOfThisUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) {
			t.Error("an inbox was read")
			return notifier.Page{}, nil
		}
		w.inbox.change = func(string, int64, string) (notifier.Badge, error) {
			t.Error("an inbox was changed")
			return notifier.Badge{}, nil
		}
	})
	name := w.get("carol", "/settings").attr("body", "hx-headers")
	if name != `{"Carillon-User":"carol"}` {
		t.Errorf("carol's page says %s", name)
	}
	headers := []string{"HX-Request", "true", "Carillon-User", "carol", "HX-Current-URL", "http://c.example/inbox?opened=3"}
	r := w.do(httptest.NewRequest(http.MethodGet, "/inbox/panel", nil), "alice", headers...).wantStatus(t, http.StatusUnauthorized)
	if got := r.Header.Get("HX-Redirect"); got != "/login?next=%2Finbox%3Fopened%3D3" {
		t.Errorf("redirected to %q", got)
	}
	w.postBody("alice", "/inbox/read-all", "upto=9", headers...).wantStatus(t, http.StatusUnauthorized)
}
