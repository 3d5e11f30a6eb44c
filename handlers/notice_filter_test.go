package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestSentNoticesAreFilteredAndLinksKeepTheFilters(t *testing.T) {
	t.Parallel()
	var asked notifier.NoticeQuery
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(q notifier.NoticeQuery) ([]notifier.Notice, error) {
			asked = q
			var list []notifier.Notice
			for i := range q.Limit {
				list = append(list, notice(int64(1000-i), notifier.StateSent))
			}
			return list, nil
		}
	})
	const filters = "q=x&sender=ali+ce&since=2026-11-01&state=sent&target=role&type=order.late&until=2026-11-30"
	r := w.get("carol", "/staff/notices?"+filters, inTokyo...).wantStatus(t, http.StatusOK)
	tokyo := time.FixedZone("", 9*60*60)
	want := notifier.NoticeQuery{
		Contains: "x", Sender: "ali ce", Type: "order.late", Target: "role", State: "sent", Limit: 51,
		Since: time.Date(2026, 11, 1, 0, 0, 0, 0, tokyo), Until: time.Date(2026, 12, 1, 0, 0, 0, 0, tokyo),
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
	for sel, want := range map[string]string{
		"a[rel=next]": "/staff/notices?before=951&" + filters, "[data-testid=export]": "/staff/notices.csv?" + filters,
		"th[aria-sort] a": "/staff/notices?q=x&sender=ali+ce&since=2026-11-01&sort=time&state=sent&target=role&type=order.late&until=2026-11-30",
	} {
		if got := r.attr(sel, "href"); got != want {
			t.Errorf("%s links to %s, want %s", sel, got, want)
		}
	}
	for sel, want := range map[string]string{"#q": "x", "#sender": "ali ce", "#type": "order.late", "#since": "2026-11-01", "#state [selected]": "sent", "#target [selected]": "role"} {
		if got := r.attr(sel, "value"); got != want {
			t.Errorf("%s is %q, want %q", sel, got, want)
		}
	}
	r.wantText(t, "[data-testid=filters][open] summary", "Filters 6")

	long := strings.Repeat("long", 201)
	w.get("carol", "/staff/notices?sender="+long+"&type="+long+"&state=else&target=else&since=yesterday&until=2026-02-30").wantText(t, "[data-testid=filters]:not([open]) summary", "Filters")
	if diff := cmp.Diff(notifier.NoticeQuery{Senders: notifier.SentByPeople, Limit: 51}, asked); diff != "" {
		t.Errorf("filters that are none are not ignored: %s", diff)
	}
}

func TestTabsOfSentNotices(t *testing.T) {
	t.Parallel()
	var asked notifier.NoticeQuery
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(q notifier.NoticeQuery) ([]notifier.Notice, error) { asked = q; return nil, nil }
	})
	usual := []string{"By staff", "By applications", "Scheduled", "Drafts", "Announcements"}
	searched := append([]string{"All"}, usual...)
	for address, want := range map[string]struct {
		current string
		tabs    []string
		senders notifier.Senders
		open    bool
	}{
		"":                                 {"By staff", usual, notifier.SentByPeople, false},
		"?tab=staff":                       {"By staff", usual, notifier.SentByPeople, false},
		"?tab=else":                        {"By staff", usual, notifier.SentByPeople, false},
		"?q=x":                             {"All", searched, notifier.SentByAll, false},
		"?sender=shop":                     {"All", searched, notifier.SentByAll, true},
		"?tab=staff&q=x":                   {"By staff", searched, notifier.SentByPeople, false},
		"?tab=apps&q=x":                    {"By applications", searched, notifier.SentByPrograms, false},
		"?tab=apps&type=late":              {"By applications", searched, notifier.SentByPrograms, true},
		"?state=scheduled":                 {"Scheduled", usual, notifier.SentByAll, false},
		"?target=audience":                 {"Announcements", usual, notifier.SentByAll, false},
		"?target=audience&state=scheduled": {"Announcements", usual, notifier.SentByAll, true},
	} {
		r := w.get("carol", "/staff/notices"+address).wantStatus(t, http.StatusOK)
		r.wantText(t, ".tabs [aria-current=page]", want.current)
		if open := r.count("[data-testid=filters][open]") == 1; open != want.open {
			t.Errorf("%s: the filters are open: %v", address, open)
		}
		if diff := cmp.Diff(want.tabs, r.texts(".tabs a")); diff != "" || asked.Senders != want.senders {
			t.Errorf("%s: asks for the notices of %q: %s", address, asked.Senders, diff)
		}
	}
	w.get("carol", "/staff/notices?tab=drafts").wantText(t, ".tabs [aria-current=page]", "Drafts")
	r := w.get("carol", "/staff/notices?q=x&state=sent&tab=apps")
	var links []string
	for _, a := range r.page.Find(".tabs a").EachIter() {
		links = append(links, a.AttrOr("href", ""))
	}
	if diff := cmp.Diff([]string{"/staff/notices?q=x&state=sent", "/staff/notices?q=x&state=sent&tab=staff", "/staff/notices?q=x&state=sent&tab=apps"}, links[:3]); diff != "" {
		t.Errorf("the tabs of a search lose it: %s", diff)
	}
}

func TestWhatApplicationsSendIsALineForEachCategoryAndDay(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("", 9*60*60)
	var asked notifier.TrafficQuery
	next := int64(77)
	w := newWorld(t, func(w *world) {
		w.sent.traffic = func(q notifier.TrafficQuery) ([]notifier.Traffic, int64) {
			asked = q
			day := time.Date(2026, 3, 2, 0, 0, 0, 0, tokyo)
			return []notifier.Traffic{
				{Type: "order.late", Day: day, Notices: 1204, Recipients: 3000},
				{Type: "like", Day: day, Notices: 1},
				{Type: "like", Day: day.AddDate(0, 0, -1), Notices: 20_000, Recipients: 1, Partly: true},
			}, next
		}
	})
	r := w.get("carol", "/staff/notices?tab=apps&before=99", inTokyo...).wantStatus(t, http.StatusOK)
	if asked.Before != 99 || asked.Zone.String() != "Asia/Tokyo" {
		t.Errorf("asks before %d in %s", asked.Before, asked.Zone)
	}
	r.wantText(t, ".tabs [aria-current=page]", "By applications")
	for class, want := range map[string][]string{
		"name": {"Order late", "Like", "Like"}, "count:not(.hint)": {"1,204 notifications", "1 notification", "over 20,000 notifications"}, "count.hint": {"3,000 recipients", "", "over 1 recipient"},
	} {
		if diff := cmp.Diff(want, r.texts(".traffic-"+class)); diff != "" {
			t.Error(diff)
		}
	}
	if got := r.count("[data-testid=traffic-day]"); got != 2 {
		t.Errorf("%d days", got)
	}
	const list = "/staff/notices?since=2026-03-02&tab=apps&type=order.late&until=2026-03-02"
	if got := r.attr("[data-testid=traffic] a", "href"); got != list || r.attr("[data-testid=traffic] [hx-get]", "hx-get") != list {
		t.Errorf("the first line leads to %s", got)
	}
	if got := r.attr("a[rel=next]", "href"); got != "/staff/notices?before=77&tab=apps" {
		t.Errorf("the next page is %s", got)
	}
	if got := r.attr("[data-testid=export]", "href"); got != "/staff/notices.csv?tab=apps" {
		t.Errorf("the file is %s", got)
	}
	w.sent.traffic = nil
	w.get("carol", "/staff/notices?tab=apps").wantText(t, ".empty h2", "Nothing from applications yet")
	if got := w.get("carol", "/staff/notices?tab=apps&q=x").count("[data-testid=traffic]"); got != 0 {
		t.Error("a search counts instead of listing")
	}
}

func TestDraftsAreListedForTheirAuthorOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.haveDraft(notifier.SavedDraft{Author: carol.Seq, ID: "two"})
	w.now.Add(int64(time.Hour))
	w.haveDraft(notifier.SavedDraft{Author: carol.Seq, ID: "one", Title: "Half a notice"})
	w.haveDraft(notifier.SavedDraft{Author: alice.Seq, ID: "three", Title: "Of somebody else"})
	r := w.get("carol", "/staff/notices?tab=drafts")
	if diff := cmp.Diff([]string{"Half a notice", "Untitled"}, r.texts("[data-testid=draft] th")); diff != "" {
		t.Error(diff)
	}
	if got := r.attr("[data-testid=draft] a", "href"); got != "/staff/send?draft=one" {
		t.Errorf("a draft links to %s", got)
	}
	w.post("carol", "/staff/send/drafts/delete", "draft", "one").
		wantRedirect(t, "/staff/notices?done=draft-deleted&tab=drafts")
	w.post("carol", "/staff/send/drafts/delete", "draft", "two")
	w.get("carol", "/staff/notices?tab=drafts").wantText(t, ".empty h2", "No drafts")
}

func TestASearchThatEndsEarlySaysHowFarItGot(t *testing.T) {
	t.Parallel()
	var rows []notifier.Notice
	w := newWorld(t, func(w *world) {
		w.sent.notices = func(notifier.NoticeQuery) ([]notifier.Notice, error) { return rows, nil }
		w.sent.reached = notifier.Reached{ID: 77, At: time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)}
	})
	r := w.get("carol", "/staff/notices?q=x", inTokyo...).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=empty]", "Nothing found yetSearched back to 2 March 2026, 10:00.")
	r.wantText(t, "a[rel=next]", "Search on")
	if got := r.attr("a[rel=next]", "href"); got != "/staff/notices?before=77&q=x" {
		t.Errorf("the search continues at %s", got)
	}
	rows = []notifier.Notice{notice(90, notifier.StateSent)}
	r = w.get("carol", "/staff/notices?q=x&sort=time", inTokyo...)
	r.wantText(t, "[data-testid=reached]", "Searched up to 2 March 2026, 10:00.")
	if got := r.attr("a[rel=next]", "href"); got != "/staff/notices?after=77&q=x&sort=time" {
		t.Errorf("oldest first, the search continues at %s", got)
	}
}
