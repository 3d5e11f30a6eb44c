package api

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// pages gets all pages of a list, and calls between after each but the last. page returns the number of items on a page and its
// next.
func pages[T any](t testing.TB, w *world, key, path string, query url.Values, between func(), page func(T) (items int, next string)) {
	t.Helper()
	query = url.Values(http.Header(query).Clone())
	for {
		var got T
		w.call(t, key, "GET", path+"?"+query.Encode(), nil).is(t, http.StatusOK).into(t, &got)
		items, next := page(got)
		if most, err := strconv.Atoi(cmp.Or(query.Get("limit"), "50")); err != nil || items > most {
			t.Fatalf("a page of %d has %d items: %v", most, items, err)
		}
		if next == "" {
			return
		}
		query.Set("after", next)
		between()
	}
}

// sentList gets the whole list of notices.
func (w *world) sentList(t testing.TB, key string, query url.Values, between func()) (all []noticeOutput) {
	t.Helper()
	pages(t, w, key, "/notices", query, between, func(page noticePage) (int, string) {
		all = append(all, page.Notices...)
		return len(page.Notices), page.Next
	})
	return all
}

// Nothing delivers here, so that no notice changes its state while it is listed.
func TestPagingPassesOverNoNoticeAndDoublesNone(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, address string) {
		w := newStillWorld(t, address, redistest.Client(t))
		crm := w.addApp(t, notifier.App{Name: "crm"})
		keys := map[string]string{"key:admin": w.admin, "key:shop": w.send, "key:crm": crm.APIKey}
		names := []string{"key:admin", "key:shop", "key:crm"}
		var sent []noticeOutput
		send := func(rt *rapid.T) {
			by, typ := rapid.SampledFrom(names).Draw(rt, "by"), rapid.SampledFrom([]string{"order", "like"}).Draw(rt, "type")
			n := w.notice(t, w.accepted(t, keys[by], `{"target":{"users":["bob"]},"type":"`+typ+`","title":"A title"}`))
			if rapid.IntRange(0, 3).Draw(rt, "retracted") == 0 {
				w.call(t, w.admin, "DELETE", "/notices/"+strconv.FormatInt(n.ID, 10), nil).is(t, http.StatusNoContent)
				n = w.notice(t, n.ID)
			}
			sent = append(sent, n)
		}
		rapid.Check(t, func(rt *rapid.T) {
			for range rapid.IntRange(0, 3).Draw(rt, "before") {
				send(rt)
			}
			query, asked := url.Values{}, rapid.SampledFrom(names).Draw(rt, "asks")
			set := func(name string, values ...string) {
				if value := rapid.SampledFrom(append(values, "")).Draw(rt, name); value != "" {
					query.Set(name, value)
				}
			}
			set("limit", "1", "2", "7")
			set("sender", append(names, "user:1", "rule:shop")...)
			set("type", "order", "like", "other")
			set("state", "accepted", "retracting", "sent")
			if len(sent) > 0 {
				set("since", rapid.SampledFrom(sent).Draw(rt, "moment").CreatedAt)
			}
			var want, got []int64
			for _, n := range slices.Backward(sent) {
				by := n.SenderKind + ":" + n.SenderID
				if has := query.Get; (asked == "key:admin" || asked == by) && (has("sender") == "" || has("sender") == by) && (has("type") == "" || has("type") == n.Type) &&
					(has("state") == "" || has("state") == n.State) && has("since") <= n.CreatedAt {
					want = append(want, n.ID)
				}
			}
			for _, n := range w.sentList(t, keys[asked], query, func() { send(rt) }) {
				got = append(got, n.ID)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				rt.Fatalf("%s asks for %v (-want +got):\n%s", asked, query, diff)
			}
		})
	})
}

func TestAListedNoticeIsTheNotice(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, w *world) {
		ids := []int64{
			w.accepted(t, w.send, `{"target":{"users":["bob","carol"]},"type":"order","title":"To two","data":{"n":1.50},"actor":{"name":"Zoë"}}`),
			w.accepted(t, w.send, `{"target":{"role":"picker"},"title":"To a role"}`),
			w.accepted(t, w.send, `{"target":{"audiences":["customer"]},"title":"To an audience","pinned":true}`),
		}
		w.call(t, w.send, "POST", "/notices", `{"target":{"audiences":["customer"]},"title":"Later","send_at":"`+stamp(time.Now().Add(time.Hour))+`"}`).is(t, http.StatusAccepted)
		for _, id := range ids {
			testkit.Eventually(t, "it is sent", func() bool { return w.notice(t, id).State == "sent" })
		}
		listed := w.sentList(t, w.send, nil, func() {})
		for _, n := range listed {
			if diff := gocmp.Diff(w.notice(t, n.ID), n); diff != "" {
				t.Errorf("notice %d and its row differ:\n%s", n.ID, diff)
			}
		}
		if later := w.sentList(t, w.send, url.Values{"state": {"scheduled"}}, func() {}); len(listed) != 4 || len(later) != 1 || later[0].ID != listed[0].ID {
			t.Errorf("%d are listed, and scheduled are %+v", len(listed), later)
		}
	})
}

func TestTheListOfNoticesRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, want := range map[string]string{
		"after=1":                        "query.after: must be next of an earlier answer of this call",
		"after=" + idCursor(5)[1:]:       "query.after: must be next",
		"after=" + placeCursor('u', "5"): "query.after: must be next",
		"after=" + placeCursor('n', "x"): "query.after: must be next",
		"after=" + placeCursor('n', "0"): "query.after: must be next",
		"state=done":                     `query.state: expected value to be one of "scheduled, accepted, sending, sent, retracting, retracted"`,
		"since=yesterday":                "query.since: must be an RFC 3339 time",
		"since=1763800000000":            "query.since: must be an RFC 3339 time",
		"sender=shop":                    "query.sender: must be KIND:ID",
		"sender=app:shop":                "query.sender: must be KIND:ID",
		"sender=user:alice":              "query.sender: must be KIND:ID",
		"sender=user:07":                 "query.sender: must be KIND:ID",
		"sender=key:":                    "query.sender: must be KIND:ID",
		"type=No":                        "query.type: must be a type",
		"type=a&type=b":                  "query.type: must not be given more than once",
		"limit=0":                        "query.limit: expected number >= 1",
		"limit=201":                      "query.limit: expected number <= 200",
		"senders=key:shop":               "query.senders: unknown query parameter; did you mean sender?",
		"before=3":                       "query.before: unknown query parameter",
	} {
		w.refuses(t, "/notices?"+query, want)
	}
	w.call(t, w.read, "GET", "/notices", nil).is(t, http.StatusForbidden)
	w.call(t, w.bob, "GET", "/notices", nil).is(t, http.StatusUnauthorized)
	zone := w.call(t, w.send, "GET", "/notices?since=2025-11-22T08:00:00+09:00&state=&sender=&type=&after=", nil).is(t, http.StatusOK)
	if zone.text != `{"notices":[]}`+"\n" && zone.text != `{"notices":[]}` {
		t.Errorf("an empty list is %s", zone.text)
	}
}

// refuses checks that a call has exactly one fault, and the beginning of its text.
func (w *world) refuses(t *testing.T, path, want string) {
	t.Helper()
	var p struct {
		Errors []struct{ Location, Message string }
	}
	w.call(t, w.admin, "GET", path, nil).is(t, http.StatusUnprocessableEntity).into(t, &p)
	if len(p.Errors) != 1 || !strings.HasPrefix(p.Errors[0].Location+": "+p.Errors[0].Message, want) {
		t.Errorf("%s is refused by %+v, want %s", path, p.Errors, want)
	}
}

func FuzzPlace(f *testing.F) {
	f.Add("")
	f.Add(placeCursor(noticeList, "12"))
	f.Add(placeCursor(userList, "Zoë"))
	f.Fuzz(func(t *testing.T, text string) {
		if place, ok := parsePlace(userList, text); ok && (place == "" || placeCursor(userList, place) != text) {
			t.Errorf("%q decodes to %q", text, place)
		}
	})
}
