package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestListShowsOpenAnnouncementsAndBothCounts(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(4, 30, true, true), post(9, 2, false, false))
	r := b.get("alice", "/announcements", "Cookie", "tz=Asia/Tokyo").wantStatus(t, http.StatusOK)
	b.wantDid(t)
	r.wantText(t, "h1", "Announcements")
	r.wantText(t, "[data-testid=announcement-count]", "2 unread")
	r.wantText(t, "header nav [aria-current=page]", "Announcements 2 2 unread")
	var rows []string
	for _, e := range r.page.Find("[data-testid=announcement]").EachIter() {
		rows = append(rows, fmt.Sprint(e.AttrOr("data-id", ""), " ", e.AttrOr("data-read", ""), e.AttrOr("data-pinned", ""),
			" ", e.AttrOr("data-state", ""), " ", e.Find(".dot").Text(), strings.TrimSpace(e.Find(".pin").Text())))
	}
	want := []string{"5 01 unread UnreadPinned", "4 11 read Pinned", "9 00 unread Unread"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	row := r.page.Find("#a9")
	if link := row.Find("h2 a"); link.Text() != "Post 9 <new>" || link.AttrOr("href", "") != "/announcements/9" {
		t.Errorf("the title %q links to %q", link.Text(), link.AttrOr("href", ""))
	}
	if got := row.Find(".body").Text(); got != "One word\nTwo" {
		t.Errorf("the text is %q", got)
	}
	until := row.Find(".meta > span:last-child time")
	if row.Find(".meta > span:last-child").Text() != "until 30 Nov" || until.AttrOr("datetime", "") != "2026-11-30T21:00:00+09:00" {
		t.Errorf("the end is %q, %q", row.Find(".meta > span:last-child").Text(), until.AttrOr("datetime", ""))
	}
	if at := r.page.Find("#a4 .meta > time"); at.Text() != "19 Nov" || row.Find(".meta > time").Text() != "19:00" {
		t.Errorf("the starts are %q and %q", at.Text(), row.Find(".meta > time").Text())
	}
	for verb, name := range map[string]string{"read": "Mark as read: Post 9 <new>", "unread": "Mark as unread: Post 9 <new>"} {
		form := row.Find("form[method=post][action='/announcements/9/" + verb + "'][data-act=" + verb + "]")
		if got := form.Find("button").AttrOr("aria-label", ""); got != name {
			t.Errorf("%s is named %q", verb, got)
		}
	}
}

func TestUnreadAnnouncementsAreAListOfTheirOwn(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(4, 30, true, true), post(9, 2, false, false))
	ids := func(r reply) (ids []string) {
		for _, e := range r.page.Find("[data-testid=announcement]").EachIter() {
			ids = append(ids, e.AttrOr("data-id", ""))
		}
		return ids
	}
	unread := b.get("alice", "/announcements?filter=unread").wantStatus(t, http.StatusOK)
	if diff := cmp.Diff([]string{"5", "9"}, ids(unread)); diff != "" {
		t.Error(diff)
	}
	unread.wantText(t, "#announcements .tabs [aria-current=page]", "Unread")
	if back := unread.attr("form[action='/announcements/read-all'] [name=back]", "value"); back != "/announcements?filter=unread" {
		t.Errorf("an action leads back to %q", back)
	}
	for i := range b.items {
		b.items[i].Read = true
	}
	read := b.get("alice", "/announcements?filter=unread")
	read.wantText(t, "[data-testid=empty] h2", "All read")
	b.get("alice", "/announcements").wantText(t, "#announcements .tabs [aria-current=page]", "All")
	b.items = nil
	if none := b.get("alice", "/announcements?filter=unread"); none.count("#announcements .tabs") != 0 || none.text("[data-testid=empty] h2") != "No announcements" {
		t.Error("an empty list has tabs")
	}

	// The announcement that ended the last page may have been read since.
	for id := range int64(70) {
		b.items = append(b.items, post(100-id, int(id), false, id == 29))
	}
	first := b.get("alice", "/announcements?filter=unread")
	if got := first.attr("#pager [rel=next]", "href"); got != "/announcements?after=70&filter=unread" {
		t.Errorf("the next page is %q", got)
	}
	b.items[30].Read = true
	if got := ids(b.get("alice", "/announcements?after=70&filter=unread")); len(got) != 30 || got[0] != "69" {
		t.Errorf("the next page has %v", got)
	}
}

func TestEmptyListSaysSo(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t)
	for lang, want := range map[string]string{"en": "No announcements", "ja": "お知らせはありません", "zh-CN": "暂无公告", "zh-HK": "沒有公告"} {
		r := b.get("alice", "/announcements", "Accept-Language", lang).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=empty] h2", want)
		r.wantText(t, "[data-testid=announcement-count]", "")
		if r.count("#announcement-read-all:not([hidden])") != 0 || r.count("#announcements-count:not([hidden])") != 0 || r.count("#pinned:not([hidden])") != 0 {
			t.Errorf("an empty list shows a button, a counter or a banner:\n%s", r.body)
		}
	}
}

func TestLongListHasPages(t *testing.T) {
	t.Parallel()
	var items []notifier.OpenAnnouncement
	for i := range int64(notifier.MaxOpen) {
		items = append(items, post(100-i, int(i), false, true))
	}
	b := newAnnouncements(t, items...)
	var seen []string
	for address, pages := "/announcements", 0; address != ""; pages++ {
		r := b.get("alice", address).wantStatus(t, http.StatusOK)
		for _, e := range r.page.Find("[data-testid=announcement]").EachIter() {
			seen = append(seen, e.AttrOr("data-id", ""))
		}
		if back := r.attr("[data-testid=announcement] [name=back]", "value"); back != address || (pages > 0) != (r.count("#pager a[href='/announcements']") == 1) {
			t.Errorf("%s: an action returns to %q", address, back)
		}
		address = r.attr("a[rel=next]", "href")
	}
	if len(seen) != notifier.MaxOpen || seen[0] != "100" || seen[30] != "70" || seen[63] != "37" {
		t.Errorf("the pages show %v", seen)
	}
	for _, after := range []string{"1", "0", "-1", "x", "37", "9223372036854775808", strings.Repeat("9", 10000)} {
		if got := b.get("alice", "/announcements?after="+after).attr("[data-testid=announcement]", "data-id"); got != "100" {
			t.Errorf("the page after %.10s begins with %s", after, got)
		}
	}
}

func TestListWithoutRedisOrArchiveIs503(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t)
	b.err = fmt.Errorf("list: %w", notifier.ErrUnavailable)
	b.get("alice", "/announcements").wantStatus(t, http.StatusServiceUnavailable)
	b.err = errors.New("secret")
	if r := b.get("alice", "/announcements").wantStatus(t, http.StatusInternalServerError); strings.Contains(r.body, "secret") {
		t.Error("the page shows an internal error")
	}
}

func TestMarkAllAnnouncementsAsReadCanBeUndone(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(4, 2, true, true), post(9, 3, false, false))
	page := b.get("alice", "/announcements")
	b.submit("alice", page, "#announcement-read-all").wantRedirect(t, "/announcements?done=read-all")
	b.wantDid(t, "all")
	page = b.get("alice", "/announcements?done=read-all")
	page.wantText(t, "[data-testid=done] p", "Marked all as read.")
	page.wantText(t, "[data-testid=announcement-count]", "")
	b.submit("alice", page, "[data-testid=done] form").wantRedirect(t, "/announcements?done=restored")
	b.wantDid(t, "unread 5", "unread 9")
	if b.get("carol", "/announcements?done=read-all").count("[data-testid=done] form") != 0 {
		t.Error("carol can undo an action of alice")
	}
}

func TestScriptMarksAllInPlace(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(9, 3, false, false))
	r := b.script("alice", "/announcements/read-all", "announcements", "back=%2Fannouncements").wantStatus(t, http.StatusOK)
	if got := r.told(t); got.Unread != 2 || got.Announcements != 0 || got.AVer != 901 || got.Inbox != 2 || got.Ver != 50 {
		t.Errorf("the script gets the badge %+v", got)
	}
	undo := r.page.Find("#done[hx-swap-oob=true] form")
	if undo.AttrOr("hx-target", "") != "#announcements" || undo.AttrOr("hx-select", "") != "#announcements" || r.count("#announcements [data-read='0']") != 0 {
		t.Errorf("Undo is %v:\n%s", undo.Nodes, r.body)
	}
	if got := strings.Join(r.fields("#done form"), " "); got != "page_user alice ids 5,9 back /announcements" {
		t.Errorf("Undo sends %q", got)
	}
	if r = b.script("alice", "/announcements/read-all", "announcements", ""); r.count("#done form") != 0 {
		t.Error("nothing was marked, and yet Undo is offered")
	}
}

func TestUndoRestoresOnlyAnnouncementsThatAreStillOpen(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, true))
	b.post("alice", "/announcements/unread", "ids", "4,5", "back", "/announcements?after=3").wantRedirect(t, "/announcements?after=3&done=restored")
	b.wantDid(t, "unread 5")
	for _, ids := range []string{"", "x", "5,-1", "0", "5,,5", strings.Repeat("9", 5000)} {
		b.did = nil
		b.post("alice", "/announcements/unread", "ids", ids).wantStatus(t, http.StatusUnprocessableEntity)
	}
	b.did = nil
	b.post("alice", "/announcements/unread", "ids", strings.TrimSuffix(strings.Repeat("5,", 1000), ",")).wantStatus(t, http.StatusSeeOther)
	if len(b.did) != notifier.MaxOpen {
		t.Errorf("%d announcements were marked", len(b.did))
	}
}
