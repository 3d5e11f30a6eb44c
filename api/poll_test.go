package api

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// sent sends a notice and waits until these users have it.
func (w *world) sent(t testing.TB, d notifier.Draft, names ...string) notifier.Notice {
	t.Helper()
	if len(names) > 0 && d.Target.Role == "" && d.Target.Topic == (notifier.Topic{}) {
		d.Target.Users = names
	}
	d.Sender = "key shop"
	if d.Title == "" {
		d.Title = "A title"
	}
	n, err := w.pipe.Send(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		eventually(t, name+" has notice "+strconv.FormatInt(n.ID, 10), func() bool {
			return slices.ContainsFunc(w.polled(t, name, "limit=200").Notices, func(p pollNotice) bool { return p.ID == n.ID })
		})
	}
	return n
}

// polled polls.
func (w *world) polled(t testing.TB, name, query string) (a pollAnswer) {
	t.Helper()
	w.call(t, w.read, "GET", "/users/"+name+"/notices?"+query, nil).is(t, http.StatusOK).into(t, &a)
	return a
}

func keysOf(a pollAnswer) (keys []string) {
	for i := range a.Notices {
		keys = append(keys, a.Notices[i].Key)
	}
	return keys
}

func TestAPollAnswersWhatIsNewAndReadsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.polled(t, "bob", "")
	if first.Unread != 0 || len(first.Notices) != 0 || first.Next != "" || first.Summary != "Nothing unread" || first.Newest == 0 {
		t.Errorf("nothing: %+v", first)
	}
	w.sent(t, notifier.Draft{Type: "like", Subject: "photo:1"}, "bob")
	n := w.sent(t, notifier.Draft{
		Type: "rep_notice", Subject: "aisle:7", Scope: "119240", Title: "Aisle 7", Body: "Only 12 units\nare left", Link: "/aisles/7", ExpiresIn: time.Hour,
	}, "bob")
	a := w.polled(t, "bob", "since="+strconv.FormatInt(first.Newest, 10))
	want := pollNotice{
		Key: "rep_notice:aisle:7", ID: n.ID, Type: "rep_notice", Scope: "119240", Title: "Aisle 7", Body: "Only 12 units\nare left", Link: "/aisles/7",
		CreatedAt: rfc3339(n.CreatedAt), ExpiresAt: rfc3339(n.ExpiresAt), Reason: "user",
	}
	if a.Unread != 2 || a.Summary != "2 unread, newest: Aisle 7" || len(a.Notices) != 2 || a.Next != "" {
		t.Fatalf("%+v", a)
	}
	if diff := cmp.Diff(want, a.Notices[0]); diff != "" {
		t.Error(diff)
	}
	// From newest on there is nothing more, however often it is asked, and all is unread.
	for range 3 {
		again := w.polled(t, "bob", "since="+strconv.FormatInt(a.Newest, 10))
		if again.Unread != 2 || len(again.Notices) != 0 || again.Newest != a.Newest || again.Summary != "2 unread" {
			t.Errorf("%+v", again)
		}
	}
	w.sent(t, notifier.Draft{Type: "like", Subject: "photo:1"}, "bob") // the row again
	if got := w.polled(t, "bob", "since="+strconv.FormatInt(a.Newest, 10)); !slices.Equal(keysOf(got), []string{"like:photo:1"}) {
		t.Errorf("%+v", got)
	}
}

func TestPagesOfAPollFollowEachOtherWhateverComesMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		w.sent(t, notifier.Draft{Type: "like", Subject: "photo:" + strconv.Itoa(i), Scope: "s" + strconv.Itoa(i%2)}, "bob")
	}
	first := w.polled(t, "bob", "limit=2")
	if want := []string{"like:photo:4", "like:photo:3"}; !slices.Equal(keysOf(first), want) || first.Next == "" {
		t.Fatalf("%+v", first)
	}
	w.sent(t, notifier.Draft{Type: "late"}, "bob")
	second := w.polled(t, "bob", "limit=2&after="+first.Next)
	third := w.polled(t, "bob", "limit=2&after="+second.Next)
	if got := append(keysOf(second), keysOf(third)...); !slices.Equal(got, []string{"like:photo:2", "like:photo:1", "like:photo:0"}) {
		t.Errorf("%q", got)
	}
	if third.Next != "" || second.Newest != first.Newest || third.Newest != first.Newest || third.Unread != 6 {
		t.Errorf("%+v\n%+v", second, third)
	}
	late := w.polled(t, "bob", "since="+strconv.FormatInt(third.Newest, 10))
	if len(late.Notices) != 1 || late.Notices[0].Type != "late" {
		t.Errorf("what came meanwhile: %+v", late)
	}

	scoped := w.polled(t, "bob", "scope=s0&limit=2")
	if want := []string{"like:photo:4", "like:photo:2"}; !slices.Equal(keysOf(scoped), want) {
		t.Errorf("%+v", scoped)
	}
	rest := w.polled(t, "bob", "scope=s0&limit=2&after="+scoped.Next)
	if want := []string{"like:photo:0"}; !slices.Equal(keysOf(rest), want) || rest.Next != "" {
		t.Errorf("%+v", rest)
	}
	// A cursor of elsewhere, or none, is the first page.
	for _, cursor := range []string{"", scoped.Next, first.Next[1:], "1700000000000", strings.Repeat("A", 27), "%00", "%ff", strings.Repeat("9", 5000)} {
		if got := w.polled(t, "bob", "limit=1&after="+cursor); len(got.Notices) != 1 || got.Notices[0].Type != "late" {
			t.Errorf("%.40q: %+v", cursor, got)
		}
	}
	if got := w.polled(t, "alice", "limit=1&after="+first.Next); len(got.Notices) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestSinceIsTheLastThreeDaysUnlessItIsSaid(t *testing.T) {
	t.Parallel()
	ahead := func(d time.Duration) func(*Config) {
		return func(c *Config) { c.Now = func() time.Time { return time.Now().Add(d) } }
	}
	w := newWorld(t)
	n := w.sent(t, notifier.Draft{Type: "like"}, "bob")
	for _, test := range []struct {
		ahead time.Duration
		since string
		want  int
	}{
		{0, "", 1},
		{pollSince - time.Minute, "", 1},
		{pollSince + time.Minute, "", 0},
		{pollSince + time.Minute, "0", 1},
		{0, rfc3339(n.CreatedAt.Add(-time.Second)), 1},
		{0, n.CreatedAt.Add(-time.Second).In(time.FixedZone("", 9*3600)).Format(time.RFC3339), 1}, // its plus sign as it is
		{0, rfc3339(n.CreatedAt.Add(time.Minute)), 0},
		{0, strconv.FormatInt(n.CreatedAt.Add(time.Minute).UnixMilli(), 10), 0},
	} {
		later, err := newServer(w.configured(ahead(test.ahead)))
		if err != nil {
			t.Fatal(err)
		}
		other := *w
		other.handler = later.middleware(later.mux)
		got := other.polled(t, "bob", "since="+test.since)
		if len(got.Notices) != test.want || got.Unread != 1 {
			t.Errorf("%v later, since %q: %+v", test.ahead, test.since, got)
		}
	}
}

// configured is the configuration of the world's API, changed.
func (w *world) configured(change func(*Config)) Config {
	c := w.Config
	change(&c)
	return c
}

func TestThePolledNumberIsThatOfTheBell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sent(t, notifier.Draft{Type: "like"}, "bob")
	if _, err := w.pipe.Send(t.Context(), notifier.Draft{
		Target: notifier.Target{Audiences: []notifier.Audience{2}}, Title: "The lift is out of order", Sender: "key shop",
	}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the announcement is open", func() bool { return w.polled(t, "bob", "").Unread == 2 })
	a := w.polled(t, "bob", "")
	if len(a.Notices) != 1 || a.Summary != "2 unread, newest: A title" {
		t.Errorf("%+v", a)
	}
	var b badgeAnswer
	w.call(t, w.read, "GET", "/users/bob/badge", nil).is(t, http.StatusOK).into(t, &b)
	if b.Unread != 2 || b.Inbox != 1 || b.Announcements != 1 || b.Ver == 0 || b.AVer == 0 {
		t.Errorf("%+v", b)
	}
	if got := w.polled(t, "erin", ""); got.Unread != 0 {
		t.Errorf("a customer: %+v", got)
	}
}

func TestWhatHasExpiredIsNotPolled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.sent(t, notifier.Draft{Type: "like", ExpiresIn: 2 * time.Second}, "bob")
	w.sent(t, notifier.Draft{Type: "stays"}, "bob")
	for {
		began := time.Now()
		a := w.polled(t, "bob", "")
		gone := len(a.Notices) == 1
		if gone != (a.Unread == 1) {
			t.Errorf("rows and number differ: %+v", a)
		}
		if gone {
			if time.Now().Before(n.ExpiresAt.Add(-time.Second)) {
				t.Errorf("gone at %v, before %v", time.Now(), n.ExpiresAt)
			}
			return
		}
		if began.After(n.ExpiresAt) {
			t.Fatalf("asked at %v, and what expired at %v is there: %+v", began, n.ExpiresAt, a)
		}
	}
}

func TestAnAnswerThatSaysTheSameIsNotSentTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sent(t, notifier.Draft{Type: "like"}, "bob")
	for _, query := range []string{"", "?since=5", "?since=" + strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10)} {
		path := "/users/bob/notices" + query
		tags := map[string]string{}
		for _, accept := range []string{typeJSON, typeXML} {
			res := w.call(t, w.read, "GET", path, nil, "Accept", accept).is(t, http.StatusOK)
			tag := res.Header.Get("ETag")
			if tags[tag] != "" || len(tag) < 10 || res.Header.Get("Cache-Control") != "private, no-cache" || !strings.Contains(res.Header.Get("Vary"), "Accept") {
				t.Errorf("%s: %v", accept, res.Header)
			}
			tags[tag] = accept
		}
		for tag, accept := range tags {
			for _, held := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
				res := w.call(t, w.read, "GET", path, nil, "Accept", accept, "If-None-Match", held).is(t, http.StatusNotModified)
				if res.text != "" || res.Header.Get("ETag") != tag {
					t.Errorf("%s held: %q, %v", held, res.text, res.Header)
				}
			}
			for _, held := range []string{`"other"`, "", "W/", tag[:len(tag)-2] + `"`, strings.Trim(tag, `"`)} {
				w.call(t, w.read, "GET", path, nil, "Accept", accept, "If-None-Match", held).is(t, http.StatusOK)
			}
		}
		w.sent(t, notifier.Draft{Type: "like"}, "bob")
		for tag, accept := range tags {
			w.call(t, w.read, "GET", path, nil, "Accept", accept, "If-None-Match", tag).is(t, http.StatusOK)
		}
	}
}

func TestAnAnswerStaysTheSameWhileTimePasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	polled := func(ahead time.Duration) string {
		later, err := newServer(w.configured(func(c *Config) { c.Now = func() time.Time { return time.Now().Add(ahead) } }))
		if err != nil {
			t.Fatal(err)
		}
		other := *w
		other.handler = later.middleware(later.mux)
		return other.call(t, w.read, "GET", "/users/bob/notices", nil).is(t, http.StatusOK).Header.Get("ETag")
	}
	if polled(0) != polled(time.Hour) {
		t.Error("nothing came, and the answer is another an hour later")
	}
	w.sent(t, notifier.Draft{Type: "like"}, "bob")
	if polled(0) != polled(time.Hour) {
		t.Error("one came, and the answer is another an hour later")
	}
}

// awkward are texts that a careless encoder would let out as they are.
var awkward = []string{
	`<b>&amp;"quotes"' ]]></title>`, "日本語 😀 e\u0301", "tab-free, but \u00a0 and \ufeff", "\ufffe and \uffff", "--><!--", "a\u200db", "{{.}} %s \\n",
}

func TestXMLSaysTheSameAsJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, text := range awkward {
		w.sent(t, notifier.Draft{Type: "text", Subject: "n:" + strconv.Itoa(i), Title: text, Body: text + "\n" + text, Link: "/a?b=c&d=%3C"}, "bob")
	}
	want := w.polled(t, "bob", "")
	res := w.call(t, w.read, "GET", "/users/bob/notices", nil, "Accept", "application/xml").is(t, http.StatusOK)
	if kind := res.Header.Get("Content-Type"); kind != "application/xml; charset=utf-8" || !strings.HasPrefix(res.text, `<?xml version="1.0" encoding="UTF-8"?>`) {
		t.Errorf("%s: %.60s", kind, res.text)
	}
	var got pollAnswer
	if err := xml.Unmarshal([]byte(res.text), &got); err != nil {
		t.Fatalf("%v in %s", err, res.text)
	}
	got.XMLName = xml.Name{}
	sayable := strings.NewReplacer("\ufffe", "\ufffd", "\uffff", "\ufffd")
	for i := range want.Notices {
		n := &want.Notices[i]
		n.Title, n.Body = sayable.Replace(n.Title), sayable.Replace(n.Body)
	}
	want.Summary = sayable.Replace(want.Summary)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheShapeOfAnAnswerIsTheDocumentedOne(t *testing.T) {
	t.Parallel()
	e := notifier.Entry{
		Key: "like:photo:1", NoticeID: 7, At: 5, Read: true, ExpiresAt: time.UnixMilli(1_700_000_001_000),
		Content: notifier.Content{Type: "like", Title: "Bob & co", CreatedAt: time.UnixMilli(1_700_000_000_000), Reason: "role:picker"},
	}
	a := pollAnswer{Unread: 3, Newest: 5, Summary: "3 unread", Next: "C", Notices: []pollNotice{newPollNotice(&e)}}
	for asXML, want := range map[bool]string{
		false: `{"unread":3,"newest":5,"summary":"3 unread","next":"C","notices":[{"key":"like:photo:1","id":7,"type":"like","scope":"","title":"Bob & co",` +
			`"body":"","link":"","read":true,"created_at":"2023-11-14T22:13:20.000Z","expires_at":"2023-11-14T22:13:21.000Z","reason":"role:picker"}]}` + "\n",
		true: `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
			`<poll><unread>3</unread><newest>5</newest><summary>3 unread</summary><next>C</next><notices><notice><key>like:photo:1</key><id>7</id><type>like</type>` +
			`<scope></scope><title>Bob &amp; co</title><body></body><link></link><read>true</read><created_at>2023-11-14T22:13:20.000Z</created_at>` +
			`<expires_at>2023-11-14T22:13:21.000Z</expires_at><reason>role:picker</reason></notice></notices></poll>` + "\n",
	} {
		got, err := a.encode(asXML)
		if err != nil || string(got) != want {
			t.Errorf("%s\nwant %s, %v", got, want, err)
		}
	}
	empty, err := (&pollAnswer{Notices: []pollNotice{}}).encode(false)
	if err != nil || !json.Valid(empty) || !strings.Contains(string(empty), `"notices":[]`) {
		t.Errorf("%s, %v", empty, err)
	}
}

func TestTheSummaryIsInTheLanguageOfTheUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for locale, want := range map[string]string{
		"": "1 unread, newest: Hi", "ja": "未読1件、最新：Hi", "zh-Hans": "1 条未读，最新一条：Hi", "fr": "1 unread, newest: Hi",
	} {
		name := "u" + locale
		w.call(t, w.admin, "PUT", "/users/"+name, map[string]any{"locale": locale}).is(t, http.StatusCreated)
		w.sent(t, notifier.Draft{Type: "like", Title: "Hi"}, name)
		if got := w.polled(t, name, "").Summary; got != want {
			t.Errorf("%q: %q", locale, got)
		}
	}
	w.call(t, w.admin, "PUT", "/users/uja", `{"locale": "en"}`).is(t, http.StatusOK)
	if got := w.polled(t, "uja", "").Summary; got != "1 unread, newest: Hi" {
		t.Errorf("he speaks English now: %q", got)
	}
}

func TestAUserWhoIsGoneIsNotPolled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sent(t, notifier.Draft{Type: "like"}, "bob")
	w.call(t, w.admin, "DELETE", "/users/bob", nil).is(t, http.StatusNoContent)
	for _, path := range []string{"/users/bob/notices", "/users/bob/badge"} {
		w.call(t, w.read, "GET", path, nil).is(t, http.StatusNotFound)
	}
	// Whoever bears his name later has nothing of his, whoever made him.
	if _, err := w.store.CreateUser(t.Context(), store.NewUser{Name: "bob", Audience: 2}); err != nil {
		t.Fatal(err)
	}
	if got := w.polled(t, "bob", "since=0"); got.Unread != 0 || len(got.Notices) != 0 {
		t.Errorf("%+v", got)
	}
	// Who was deleted elsewhere is known here for some seconds: his inbox is nobody's.
	w.polled(t, "carol", "")
	if err := (directory{w}).DeleteUser(t.Context(), "carol"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/users/carol/notices", "/users/carol/badge"} {
		w.call(t, w.read, "GET", path, nil).is(t, http.StatusNotFound)
	}
	w.call(t, w.read, "POST", "/users/carol/read", `{"upto": 5}`).is(t, http.StatusNotFound)
	w.call(t, w.admin, "PUT", "/users/carol", `{}`).is(t, http.StatusCreated)
	if got := w.polled(t, "carol", "since=0"); got.Unread != 0 || len(got.Notices) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestNamesReachTheirUserHoweverTheyLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, name := range []string{"a/b", "..", ".", "a//b", "50%", "%2F", "two words", "日本", "a?b=c", "#1", "a+b", "a;b", "0", "-1", strings.Repeat("é", 100)} {
		escaped := escapeName(name)
		w.call(t, w.admin, "PUT", "/users/"+escaped, `{}`).is(t, http.StatusCreated)
		w.sent(t, notifier.Draft{Type: "like", Subject: strconv.Itoa(i), Target: notifier.Target{Users: []string{name}}})
		eventually(t, name+" has it", func() bool { return w.polled(t, escaped, "").Unread == 1 })
		var u userAnswer
		w.call(t, w.admin, "GET", "/users/"+escaped, nil).is(t, http.StatusOK).into(t, &u)
		if u.Name != name {
			t.Errorf("%q became %q", name, u.Name)
		}
	}
}

// escapeName escapes whatever means something in a path.
func escapeName(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}
