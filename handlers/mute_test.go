package handlers_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestMutingReturnsToThePageOfItsForm(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	for _, test := range []struct {
		muted, back, to string
	}{
		{"1", "", "/settings?done=muted"},
		{"0", "", "/settings?done=unmuted"},
		{"1", "/inbox?filter=unread", "/inbox?done=muted&filter=unread"},
		{"0", "/inbox?before=12&opened=3", "/inbox?before=12&done=unmuted&opened=3"},
		{"1", "https://evil.example/inbox", "/inbox?done=muted"},
		{"1", "/staff/send", "/inbox?done=muted"},
	} {
		c.post("alice", "/settings/mute", "type", "order.late", "muted", test.muted, "back", test.back).wantRedirect(t, test.to)
		if muted := c.muted(); (test.muted == "1") != slices.Equal(muted, []string{"order.late"}) || test.muted == "0" && len(muted) != 0 {
			t.Errorf("after %s the muted types are %v", test.muted, muted)
		}
	}
	c.post("alice", "/settings/mute", "type", "like", "muted", "1").wantRedirect(t, "/settings?done=muted")
	if diff := cmp.Diff([]string{"like", "order.late"}, c.muted()); diff != "" {
		t.Error(diff)
	}
	c.get("alice", "/settings?done=muted").wantText(t, "[data-testid=done] p",
		"Muted. You won't get new notifications of this category. Manage muted categories in Settings.")
	c.get("alice", "/inbox?done=unmuted").wantText(t, "[data-testid=done] p", "Unmuted. You'll get notifications of this category again.")
}

func TestMutedTypesAreListedAndCanBeUnmuted(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	r := c.get("alice", "/settings").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=muted]") != 0 {
		t.Errorf("nothing muted: %q", r.text("[data-testid=muted]"))
	}
	c.mute("like", "order.late")
	r = c.get("alice", "/settings").wantStatus(t, http.StatusOK)
	var got []string
	for _, form := range r.page.Find("[data-testid=muted] form").EachIter() {
		got = append(got, form.AttrOr("action", "")+" "+form.Find("[name=type]").AttrOr("value", "")+" "+
			form.Find("[name=muted]").AttrOr("value", "")+" "+form.Find("button").AttrOr("aria-label", ""))
	}
	want := []string{
		"/settings/mute like 0 Unmute notifications of the category like", "/settings/mute order.late 0 Unmute notifications of the category order.late",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTypeThatCannotBeMutedIsExplained(t *testing.T) {
	t.Parallel()
	set := chosen
	set.Locale = "en"
	c := newChooser(t, set)
	for n := range notifier.MaxMutes {
		c.mute(fmt.Sprintf("type%03d", n))
	}
	before := c.muted()
	for _, test := range []struct{ form, say string }{
		{"type=like&muted=2", "Choose on or off."},
		{"type=like", "Choose on or off."},
		{"type=like&type=news&muted=1", "The form is invalid: a field is unknown or was sent twice."},
		{"type=like&muted=1&seq=9", "The form is invalid: a field is unknown or was sent twice."},
		{"type=Like&muted=1", "Use only lower-case letters, digits and . _ - (at most 63), starting with a letter or digit."},
		{"type=like&muted=1&back=/inbox", "At most 200 categories can be muted. Unmute another first."},
	} {
		r := c.postBody("alice", "/settings/mute", test.form).wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, "[data-testid=mute-fault]", test.say)
		if n := r.count("[data-testid=muted] form"); n != notifier.MaxMutes || !slices.Equal(c.muted(), before) {
			t.Errorf("%s: the page shows %d muted types", test.form, n)
		}
	}
}

func TestMutingFailsWithTheUsualErrorPages(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	c.postBody("alice", "/settings/mute", "type=like&muted=1", "Origin", "https://evil.example").wantStatus(t, http.StatusForbidden)
	c.get("alice", "/settings/mute").wantStatus(t, http.StatusMethodNotAllowed)
	if muted := c.muted(); len(muted) != 0 {
		t.Errorf("the muted types are %v", muted)
	}
	c.closeSQL()
	c.post("alice", "/settings/mute", "type", "like", "muted", "1").wantStatus(t, http.StatusServiceUnavailable)
	newWorld(t, nil).post("", "/settings/mute", "type", "like", "muted", "1").wantRedirect(t, "/login?next=%2Finbox")
}

func TestScriptThatMutesGetsAMessageWithUndo(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	r := c.script("alice", "/settings/mute", "e1", "type=like&muted=1&back=/inbox?opened=3").wantStatus(t, http.StatusOK)
	if r.Header.Get("HX-Reswap") != "none" || r.count("[data-testid=entry], h1") != 0 {
		t.Errorf("the row would be replaced:\n%s", r.body)
	}
	if muted := c.muted(); !slices.Equal(muted, []string{"like"}) {
		t.Errorf("the muted types are %v", muted)
	}
	r.wantText(t, "#done[hx-swap-oob=true] p", "Muted “like”. You won't get new ones. Manage muted categories in Settings.")
	undo := r.page.Find("#done form")
	r = c.script("alice", undo.AttrOr("action", ""), "done",
		"type="+undo.Find("[name=type]").AttrOr("value", "")+"&muted="+undo.Find("[name=muted]").AttrOr("value", "")).wantStatus(t, http.StatusOK)
	if muted := c.muted(); len(muted) != 0 || r.count("#done form") != 0 {
		t.Errorf("muted %v:\n%s", muted, r.body)
	}
}

func TestRowOfAMutedTypeOffersToUnmuteIt(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	c.haveTypes(notifier.NoticeType{Slug: "like", Names: map[string]string{"en": "Liké 👍"}})
	c.inbox.open = func(int64) (notifier.Page, error) {
		return notifier.Page{Entries: []notifier.Entry{entry(1, noon, true, false)}, Ver: 9}, nil
	}
	c.inbox.badge = func(int64) (notifier.Badge, error) { return notifier.Badge{Ver: 9}, nil }
	offers := func() string {
		r := c.get("alice", "/inbox").wantStatus(t, http.StatusOK)
		form := "[data-testid=entry] form[action='/settings/mute'] "
		return fmt.Sprint(r.count(form+"button"), " ", r.attr(form+"[name=muted]", "value"), " ", r.attr(form+"button", "aria-label"))
	}
	const mute, unmute = "1 1 Mute “Liké 👍”: Photo 1 <liked>", "1 0 Unmute “Liké 👍”: Photo 1 <liked>"
	if got := offers(); got != mute {
		t.Errorf("an unmuted type offers %q", got)
	}
	c.post("alice", "/settings/mute", "type", "like", "muted", "1")
	// The previous page was cached, and is now different.
	if got := offers(); got != unmute {
		t.Errorf("a muted type offers %q", got)
	}
	r := c.script("alice", "/settings/mute", "", "type=like&muted=1")
	if got := r.Header.Get("HX-Trigger"); got != `{"carillon:muted":{"muted":true,"name":"Lik\u00e9 \ud83d\udc4d","type":"like"}}` {
		t.Errorf("the script gets %s", got)
	}
}

func TestMutesAreReadAgainAfterSeconds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.inbox.open = func(int64) (notifier.Page, error) {
			return notifier.Page{Entries: []notifier.Entry{entry(1, noon, true, false)}, Ver: 9}, nil
		}
	})
	w.get("alice", "/inbox")
	w.mute("like") // by another instance
	for _, step := range []struct {
		after time.Duration
		muted string
	}{{0, "1"}, {4 * time.Second, "1"}, {time.Second, "0"}} {
		w.now.Add(int64(step.after))
		r := w.get("alice", "/inbox").wantStatus(t, http.StatusOK)
		if got := r.attr("[data-testid=entry] form[action='/settings/mute'] [name=muted]", "value"); got != step.muted {
			t.Errorf("after %v more, the row offers %q, want %q", step.after, got, step.muted)
		}
	}
}
