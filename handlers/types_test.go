package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// typedEntry returns an entry with a type and a reason.
func typedEntry(n int, typ, reason string) notifier.Entry {
	e := entry(n, noon.Add(-time.Minute), true, false)
	e.Type, e.Reason = typ, reason
	return e
}

func TestRowShowsReasonAndTypeInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		page := func() (notifier.Page, error) {
			return notifier.Page{Entries: []notifier.Entry{
				typedEntry(1, "like", "user"), typedEntry(2, "rep_notice", "role:picker"), typedEntry(3, "rep_notice", "topic:rep_notice:119240"),
				typedEntry(4, "recall", "topic:news:"), typedEntry(5, "like", "audience"), typedEntry(6, "like", "something:else"),
			}, Ver: 3}, nil
		}
		w.inbox.open = func(int64) (notifier.Page, error) { return page() }
		w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return page() }
		w.haveTypes(knownTypes...)
	})
	for lang, want := range map[string][]string{
		"en": {
			"", "picker|Restocking", "Restocking (119240)", "News|Recall", "Everyone", "",
		},
		"ja": {
			"", "picker|補充", "補充（119240）", "ニュース|Recall", "全員", "",
		},
		"zh": {
			"", "picker|Restocking", "Restocking（119240）", "News|Recall", "所有人", "",
		},
	} {
		for _, address := range []string{"/inbox", "/inbox/panel"} {
			r := w.get("alice", address, "Accept-Language", lang).wantStatus(t, http.StatusOK)
			var got []string
			for _, meta := range r.page.Find(".row .meta").EachIter() {
				says := meta.Find(".why").Text()
				if kind := meta.Find(".kind").Text(); kind != "" {
					says += "|" + kind
				}
				got = append(got, says)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: %s", address, lang, diff)
			}
		}
	}
}

func TestRowOfAnUnmutableTypeDoesNotOfferToMute(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	c.mute("news", "recall")
	c.haveTypes(knownTypes...)
	c.inbox.open = func(int64) (notifier.Page, error) {
		return notifier.Page{Entries: []notifier.Entry{typedEntry(1, "news", "user"), typedEntry(2, "recall", "user"), typedEntry(3, "unheard.of", "user")}}, nil
	}
	r := c.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	var got []string
	for _, input := range r.page.Find("[action='/settings/mute'] [name=type]").EachIter() {
		got = append(got, input.AttrOr("value", ""))
	}
	if diff := cmp.Diff([]string{"news", "unheard.of"}, got); diff != "" || r.count("[action='/inbox/delete']") != 3 {
		t.Errorf("%s\n%d rows have a delete action", diff, r.count("[action='/inbox/delete']"))
	}
	r = c.get("alice", "/settings")
	var listed []string
	for _, row := range r.page.Find("[data-testid=wants] tbody tr").EachIter() {
		listed = append(listed, strings.Join(strings.Fields(row.Find("th > span:last-child").Text()), " ")+map[int]string{0: " | off"}[row.Find("[checked]").Length()])
	}
	if diff := cmp.Diff([]string{"like", "News | off", "RecallAlways comes to the inbox.", "RestockingAlways comes to the inbox."}, listed); diff != "" || r.count("[data-testid=muted]") > 0 {
		t.Errorf("%s\n%d lists repeat the table", diff, r.count("[data-testid=muted]"))
	}
	c.post("alice", "/settings/mute", "type", "recall", "muted", "1").wantStatus(t, http.StatusUnprocessableEntity).
		wantText(t, "[data-testid=mute-fault]", "Notifications of this category can't be muted.")
	c.post("alice", "/settings/mute", "type", "recall", "muted", "0").wantRedirect(t, "/settings?done=unmuted")
	if diff := cmp.Diff([]string{"news"}, c.muted()); diff != "" {
		t.Error(diff)
	}
}

func TestCachedPageIsOnlyForTheTypesItWasRenderedWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.haveTypes(knownTypes...)
	tag := w.get("alice", "/inbox").Header.Get("Etag")
	w.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusNotModified)
	w.haveTypes(notifier.NoticeType{Slug: "zebra"})
	w.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusNotModified) // the page looks the same
	for name, change := range map[string]notifier.NoticeType{
		"a name":  {Slug: "like", Names: map[string]string{"ja": "いいね"}},
		"no mute": {Slug: "like", NoMute: true},
	} {
		w.haveTypes(change)
		if w.get("alice", "/inbox", "If-None-Match", tag).StatusCode != http.StatusOK {
			t.Errorf("%s: the old page is still used", name)
		}
	}
	other := newWorld(t, nil)
	other.haveTypes(knownTypes...)
	if got := other.get("alice", "/inbox").Header.Get("Etag"); !strings.HasPrefix(got, strings.Join(strings.Split(tag, "-")[:2], "-")) {
		t.Errorf("another instance has the tag %s, not %s", got, tag)
	}
}
