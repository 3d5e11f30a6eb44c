package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// sections gives bob notices of several types, scopes and senders, and returns the key of the one that the app sent.
// The app's is the only one with quotes and data that look like those of others.
func (w *world) sections(t *testing.T) {
	t.Helper()
	w.bobHas(t, w.admin,
		`"type":"comment","subject":"1","title":"Carol: \",\"scope\":\"north\"","scope":"south"`,
		`"type":"comment","subject":"2","title":"Dave says hello","scope":"north"`,
		`"type":"like","subject":"3","title":"Erin likes it","body":"type: comment","data":{"type":"x","scope":"north","app":"front","reason":"y"}`,
		`"type":"order.late","subject":"4","title":"Order 4"`,
	)
	w.bobHas(t, w.front.APIKey, `"type":"comment","subject":"5","title":"Of the shop","scope":"north"`)
}

func TestNoticesOfASectionAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sections(t)
	shop := w.shopKey()
	w.did(t, "read", `{"keys":["comment:2"]}`)
	for query, want := range map[string]string{
		"?type=comment":                      shop + "* comment:2 comment:1*",
		"?type=comment,like":                 shop + "* like:3* comment:2 comment:1*",
		"?type=nope,like":                    "like:3*",
		"?type=nope":                         "",
		"?scope=north":                       shop + "* comment:2",
		"?scope=North":                       "",
		"?scope=":                            "order.late:4* like:3*",
		"?app=front":                         shop + "*",
		"?app=":                              "order.late:4* like:3* comment:2 comment:1*",
		"?app=blog":                          "",
		"?app=&scope=north":                  "comment:2",
		"?q=HELLO":                           "comment:2",
		"?q=l&type=comment&filter=unread":    "comment:1*",
		"?type=comment&limit=1":              shop + "*",
		"?filter=unread&scope=north":         shop + "*",
		"?filter=archived":                   "",
		"?filter=all&type=like&scope=&app=":  "like:3*",
		"?q=" + strings.Repeat("x", 101):     "",
		"?filter=archived&type=comment&q=of": "",
	} {
		if got := w.bobSees(t, query); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	w.did(t, "archive", `{"keys":["comment:1","like:3","`+shop+`"]}`)
	for query, want := range map[string]string{
		"?filter=archived": shop + " like:3 comment:1", "?filter=archived&type=comment": shop + " comment:1", "?filter=archived&app=": "like:3 comment:1",
		"?filter=archived&scope=north": shop, "?filter=archived&q=erin": "like:3", "?type=comment": "comment:2",
	} {
		if got := w.bobSees(t, query); got != want {
			t.Errorf("after archiving, %s: %q, want %q", query, got, want)
		}
	}
	var page meNotices
	var keys []string
	for next := "?filter=archived&limit=2"; next != ""; {
		w.call(t, w.bob, "GET", "/me/notices"+next, nil).is(t, http.StatusOK).into(t, &page)
		for _, n := range page.Notices {
			keys = append(keys, n.Key)
		}
		if next = ""; page.Next != nil {
			next = "?filter=archived&limit=2&before=" + strconv.FormatInt(*page.Next, 10)
		}
	}
	if got := strings.Join(keys, " "); got != shop+" like:3 comment:1" {
		t.Errorf("page by page, the archive is %q", got)
	}
}

func TestBadSectionsAreRefusedByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("a,", 20) + "a"
	for query, at := range map[string]string{
		"type=": "query.type", "type=A": "query.type", "type=a,": "query.type", "type=a%20,b": "query.type", "type=" + long: "query.type", "type=a&type=b": "query.type",
		"scope=a%20b": "query.scope", "scope=" + strings.Repeat("a", 65): "query.scope", "scope=a&scope=": "query.scope",
		"app=" + strings.Repeat("a", 201): "query.app", "app=%00": "query.app", "types=a": "query.types", "sort=at": "query.sort",
	} {
		for path, method := range sectioned {
			res := w.call(t, w.bob, method, path+"?"+query, nil).is(t, http.StatusUnprocessableEntity)
			if got := res.faults(t); len(got) != 1 || got[0] != at {
				t.Errorf("%s?%s: faults at %v, want %s", path, query, got, at)
			}
		}
	}
	w.call(t, w.bob, "GET", "/me/notices?type="+long[2:], nil).is(t, http.StatusOK)
	for query, at := range map[string]string{"filter=later2": "query.filter", "filter=": "", "before=-1": "query.before", "limit=201": "query.limit", "limit=0": "query.limit", "limit=x": "query.limit"} {
		res := w.call(t, w.bob, "GET", "/me/notices?"+query, nil)
		if at == "" {
			res.is(t, http.StatusOK)
		} else if got := res.is(t, http.StatusUnprocessableEntity).faults(t); len(got) != 1 || got[0] != at {
			t.Errorf("%s: faults at %v, want %s", query, got, at)
		}
	}
}

// shopKey is the key of the app's notice among the sections.
func (w *world) shopKey() string { return "a" + strconv.FormatInt(w.front.ID, 10) + "/comment:5" }

// sectioned are the calls that take a section, with their methods.
var sectioned = map[string]string{"/me/notices": "GET", "/me/badge": "GET", "/me/open": "POST"}

// Opening a section reads it alone, but for what the user marked as unread, and nothing if the settings say so.
func TestASectionIsOpened(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sections(t)
	shop := w.shopKey()
	w.did(t, "unread", `{"keys":["comment:2"]}`)
	open := func(query, want string, unread int64) {
		t.Helper()
		var page meNotices
		w.call(t, w.bob, "POST", "/me/open?"+query, nil).is(t, http.StatusOK).into(t, &page)
		var got []string
		for _, n := range page.Notices {
			switch key := n.Key; {
			case n.New:
				got = append(got, key+" new")
			case n.Read:
				got = append(got, key)
			default:
				got = append(got, key+" unread")
			}
		}
		if line := strings.Join(got, ", "); line != want || page.Badge.Unread != unread {
			t.Errorf("%s: %q and %d unread, want %q and %d", query, line, page.Badge.Unread, want, unread)
		}
	}
	w.call(t, w.bob, "PATCH", "/me/settings", `{"opening_reads":false}`).is(t, http.StatusOK)
	open("scope=north", shop+" unread, comment:2 unread", 5)
	w.call(t, w.bob, "PATCH", "/me/settings", `{"opening_reads":true}`).is(t, http.StatusOK)
	open("scope=north", shop+" new, comment:2 unread", 4)
	open("scope=north", shop+", comment:2 unread", 4)
	open("app=&type=comment,like", "like:3 new, comment:2 unread, comment:1 new", 2)
	open("type=nope", "", 2)
	open("", shop+", order.late:4 new, like:3, comment:2 unread, comment:1", 1)
}

func TestASectionHasABadgeAndCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sections(t)
	w.call(t, w.admin, "POST", "/notices", `{"target":{"audiences":["user"]},"type":"news","title":"News"}`).is(t, http.StatusAccepted)
	testkit.Eventually(t, "the announcement is open", func() bool { return w.badgeOfBob(t).Announcements == 1 })
	w.did(t, "read", `{"keys":["comment:2"]}`)
	whole := w.badgeOfBob(t)
	for query, want := range map[string]int64{
		"type=comment": 2, "type=comment,like": 3, "type=nope": 0, "scope=north": 1, "scope=": 2, "app=front": 1, "app=": 3, "app=blog": 0,
		"type=comment&scope=south": 1, "type=comment&app=": 1, "scope=north&app=front": 1, "scope=north&app=": 0,
	} {
		var got badgeAnswer
		res := w.call(t, w.bob, "GET", "/me/badge?"+query, nil).is(t, http.StatusOK)
		res.into(t, &got)
		if got != (badgeAnswer{Unread: want, Inbox: want, Ver: whole.Ver}) {
			t.Errorf("%s: %+v, want %d unread in version %d", query, got, want, whole.Ver)
		}
		w.call(t, w.bob, "GET", "/me/badge?"+query, nil, "If-None-Match", res.Header.Get("ETag")).is(t, http.StatusNotModified)
	}
	w.did(t, "archive", `{"keys":["order.late:4"]}`)
	for by, want := range map[string]string{
		"type":  `{"type":{"comment":{"rows":3,"unread":2},"like":{"rows":1,"unread":1}}}`,
		"scope": `{"scope":{"":{"rows":1,"unread":1},"north":{"rows":2,"unread":1},"south":{"rows":1,"unread":1}}}`,
		"app":   `{"app":{"":{"rows":3,"unread":2},"front":{"rows":1,"unread":1}}}`,
	} {
		res := w.call(t, w.bob, "GET", "/me/counts?by="+by, nil).is(t, http.StatusOK)
		if got := strings.TrimSpace(res.text); got != want {
			t.Errorf("by %s: %s, want %s", by, got, want)
		}
		w.call(t, w.bob, "GET", "/me/counts?by="+by, nil, "If-None-Match", res.Header.Get("ETag")).is(t, http.StatusNotModified)
	}
	if got := w.call(t, w.token(t, "dave", nil), "GET", "/me/counts?by=scope", nil).is(t, http.StatusOK); strings.TrimSpace(got.text) != `{"scope":{}}` {
		t.Errorf("of an empty inbox: %s", got.text)
	}
	for query, at := range map[string]string{"": "query.by", "?by=sender": "query.by", "?by=type&scope=a": "query.scope"} {
		if got := w.call(t, w.bob, "GET", "/me/counts"+query, nil).is(t, http.StatusUnprocessableEntity).faults(t); len(got) != 1 || got[0] != at {
			t.Errorf("counts%s: faults at %v, want %s", query, got, at)
		}
	}
}

func TestACategoryOrWorkspaceIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sections(t)
	shop := w.shopKey()
	var page meNotices
	w.call(t, w.bob, "GET", "/me/notices?type=comment", nil).is(t, http.StatusOK).into(t, &page)
	second := strconv.FormatInt(page.Notices[1].At, 10)
	for _, c := range []struct{ body, left string }{
		{`{"type":"nope"}`, shop + "* order.late:4* like:3* comment:2* comment:1*"},
		{`{"type":"comment","upto":0}`, shop + "* order.late:4* like:3* comment:2* comment:1*"},
		{`{"type":"comment","upto":"comment:1"}`, shop + "* order.late:4* like:3* comment:2*"},
		{`{"scope":"north","upto":` + second + `}`, shop + "* order.late:4* like:3*"},
		{`{"type":"comment"}`, "order.late:4* like:3*"},
		{`{"scope":""}`, ""},
	} {
		w.did(t, "read", c.body)
		if got := w.bobSees(t, "?filter=unread"); got != c.left {
			t.Errorf("%s leaves %q, want %q", c.body, got, c.left)
		}
	}
	w.call(t, w.bob, "POST", "/me/read", `{"type":"comment","upto":"comment:9"}`).is(t, http.StatusNotFound)
	for body, at := range map[string]string{
		`{}`: "body", `{"type":"a","scope":"b"}`: "body", `{"type":"a","keys":["b"]}`: "body", `{"scope":"a","subject":"b"}`: "body", `{"keys":["a"],"upto":1}`: "body",
		`{"type":""}`: "body.type", `{"type":"A"}`: "body.type", `{"scope":"a b"}`: "body.scope", `{"type":"a","upto":""}`: "body.upto", `{"app":"front"}`: "body.app",
		`{"type":["a"]}`: "body.type", `{"upto":""}`: "body.upto",
	} {
		if got := w.call(t, w.bob, "POST", "/me/read", body).is(t, http.StatusUnprocessableEntity).faults(t); len(got) != 1 || got[0] != at {
			t.Errorf("%s: faults at %v, want %s", body, got, at)
		}
	}
	w.call(t, w.admin, "POST", "/users/bob/read", `{"type":"comment"}`).is(t, http.StatusUnprocessableEntity)
}

func TestWhatIsSeenIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.bobHas(t, w.admin, `"type":"due","subject":"invoice:42","title":"1"`, `"type":"paid","subject":"invoice:42","title":"2"`, `"type":"due","subject":"invoice:4","title":"3"`)
	w.bobHas(t, w.front.APIKey, `"type":"due","subject":"invoice:42","title":"4"`)
	before := w.badgeOfBob(t)
	if b := w.did(t, "seen", `{"subject":"invoice:43"}`); b != before {
		t.Errorf("what is not there changes the badge to %+v, from %+v", b, before)
	}
	stream := w.follow(t, w.bob, "/me/events")
	stream.next(t)
	for range 2 {
		if b := w.did(t, "seen", `{"subject":"invoice:42"}`); b.Unread != 1 || w.bobSees(t, "?filter=unread") != "due:invoice:4*" {
			t.Errorf("seen, the badge is %+v and unread are %q", b, w.bobSees(t, "?filter=unread"))
		}
	}
	if e := stream.next(t); e.name != "read" || strings.Count(e.data, "invoice:42") != 3 {
		t.Errorf("other tabs hear of %s %s", e.name, e.data)
	}
	for body, at := range map[string]string{
		`{}`: "body", `{"subject":""}`: "body.subject", `{"subject":"a b"}`: "body.subject", `{"subject":"` + strings.Repeat("a", 201) + `"}`: "body.subject", `{"subject":"a","type":"b"}`: "body.type",
	} {
		if got := w.call(t, w.bob, "POST", "/me/seen", body).is(t, http.StatusUnprocessableEntity).faults(t); len(got) != 1 || got[0] != at && got[0] != at+".subject" {
			t.Errorf("%s: faults at %v, want %s", body, got, at)
		}
	}
	w.call(t, w.token(t, "bob", map[string]any{"scope": "read"}), "POST", "/me/seen", `{"subject":"invoice:4"}`).is(t, http.StatusForbidden)
}
