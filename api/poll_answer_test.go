package api

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestAnUnchangedPollIsAnsweredWith304(t *testing.T) {
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
					t.Errorf("If-None-Match %s: %q, %v", held, res.text, res.Header)
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

func TestTheETagOfAPollDoesNotDependOnTheClock(t *testing.T) {
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
		t.Error("the answer of an empty inbox differs an hour later")
	}
	w.sent(t, notifier.Draft{Type: "like"}, "bob")
	if polled(0) != polled(time.Hour) {
		t.Error("the answer with one notice differs an hour later")
	}
}

// awkward are texts that a careless encoder would write without escaping.
var awkward = []string{
	`<b>&amp;"quotes"' ]]></title>`, "日本語 😀 e\u0301", "tab-free, but \u00a0 and \ufeff", "\ufffe and \uffff", "--><!--", "a\u200db", "{{.}} %s \\n",
}

func TestXMLAndJSONHaveTheSameContent(t *testing.T) {
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
	representable := strings.NewReplacer("\ufffe", "\ufffd", "\uffff", "\ufffd")
	for i := range want.Notices {
		n := &want.Notices[i]
		n.Title, n.Body = representable.Replace(n.Title), representable.Replace(n.Body)
	}
	want.Summary = representable.Replace(want.Summary)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheFormatOfAPollIsFixed(t *testing.T) {
	t.Parallel()
	e := notifier.Entry{
		Key: "like:photo:1", NoticeID: 7, At: 5, Read: true, ExpiresAt: time.UnixMilli(1_700_000_001_000),
		Content: notifier.Content{Type: "like", Title: "Bob & co", CreatedAt: time.UnixMilli(1_700_000_000_000), Reason: "role:picker"},
	}
	a := pollAnswer{Unread: 3, Newest: 5, Summary: "3 unread", Next: "C", Notices: []pollNotice{newPollNotice(&e, nil)}}
	for asXML, want := range map[bool]string{
		false: `{"unread":3,"newest":5,"summary":"3 unread","next":"C","notices":[{"key":"like:photo:1","id":7,"type":"like","scope":"","title":"Bob & co",` +
			`"body":"","link":"","read":true,"created_at":"2023-11-14T22:13:20.000Z","expires_at":"2023-11-14T22:13:21.000Z","reason":"role:picker","app":null}]}` + "\n",
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

func TestTheSummaryIsInTheUsersLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for locale, want := range map[string]string{
		"": "1 unread, newest: Hi", "ja": "未読1件、最新：Hi", "zh-Hans": "1 条未读，最新一条：Hi", "zh-Hant": "1 則未讀，最新一則：Hi", "fr": "1 unread, newest: Hi",
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
		t.Errorf("after a change to English: %q", got)
	}
}
