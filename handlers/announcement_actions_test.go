package handlers_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestRowIsMarkedWithoutScript(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(9, 2, false, true))
	page := b.get("alice", "/announcements")
	b.submit("alice", page, "#a5 [data-act=read]").wantRedirect(t, "/announcements?done=read")
	b.submit("alice", page, "#a9 [data-act=unread]").wantRedirect(t, "/announcements?done=unread")
	b.wantDid(t, "read 5", "unread 9")
	b.get("alice", "/announcements?done=unread").wantText(t, "[data-testid=done] p", "Marked as unread.")
	for _, back := range []string{"https://evil.example/inbox", "//evil.example/", "/\\evil.example", "javascript:1", "%zz", "/a\nb", "/" + strings.Repeat("x", 600)} {
		b.post("alice", "/announcements/5/read", "back", back).wantRedirect(t, "/announcements?done=read")
	}
	b.post("alice", "/announcements/5/read", "back", "/staff/users?q=a%26b&done=saved").wantRedirect(t, "/staff/users?done=read&q=a%26b")
	b.post("alice", "/announcements/5/read", "other", "1").wantStatus(t, http.StatusUnprocessableEntity)
}

func TestFormOfAnAnnouncementClosedMeanwhileRedirectsBackWithAMessage(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false))
	list, banner := b.get("alice", "/announcements"), b.get("alice", "/settings")
	own := b.get("alice", "/announcements/5?done=read")
	b.did, b.items = nil, nil // the announcement has closed
	b.submit("alice", banner, "#pinned form").wantRedirect(t, "/settings?done=announcement-over")
	b.submit("alice", list, "#a5 [data-act=read]").wantRedirect(t, "/announcements?done=announcement-over")
	b.submit("alice", list, "#a5 [data-act=unread]").wantRedirect(t, "/announcements?done=announcement-over")
	b.submit("alice", own, "#announcement [data-act]").wantRedirect(t, "/announcements?done=announcement-over")
	b.post("alice", "/announcements/7/read", "back", "/inbox?filter=unread&done=read").wantRedirect(t, "/inbox?done=announcement-over&filter=unread")
	for _, address := range []string{"/announcements", "/settings", "/inbox"} {
		b.get("alice", address+"?done=announcement-over").wantText(t, "[data-testid=done] p", "This announcement has ended.")
	}
	for _, back := range []string{"", "https://evil.example/inbox", "//evil.example", "/" + strings.Repeat("x", 600)} {
		b.post("alice", "/announcements/5/read", "back", back).wantStatus(t, http.StatusNotFound)
	}
	b.post("alice", "/announcements/05/read", "back", "/inbox").wantStatus(t, http.StatusNotFound)
	b.script("alice", "/announcements/5/read", "a5", "back=%2Finbox").wantStatus(t, http.StatusNotFound)
	b.wantDid(t)
}

func TestScriptGetsTheRowTheCountsAndThePinnedBanner(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(9, 2, false, false))
	r := b.script("alice", "/announcements/5/read", "a5", "back=%2Fannouncements%3Fafter%3D3").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=announcement]") != 1 || r.attr("#a5", "data-read") != "1" || r.count("#a5 .dot, h1, header") != 0 {
		t.Errorf("the response is not exactly one row:\n%s", r.body)
	}
	if got := r.attr("#a5 [name=back]", "value"); got != "/announcements?after=3" {
		t.Errorf("the row's form returns to %q", got)
	}
	r.wantText(t, "#announcement-count[hx-swap-oob=true]", "1 unread")
	if r.count("#pinned[hx-swap-oob=true][hidden]") != 1 {
		t.Error("a read announcement is still pinned at the top")
	}
	if got := r.told(t); got.Announcements != 1 || got.AVer != 901 || got.Ver != 0 {
		t.Errorf("the script gets the badge %+v", got)
	}
	r = b.script("alice", "/announcements/5/unread", "a5", "").wantStatus(t, http.StatusOK)
	if r.attr("#a5", "data-state") != "unread" || r.attr("#pinned:not([hidden])", "data-id") != "5" {
		t.Errorf("after marking it unread again:\n%s", r.body)
	}
	r = b.postBody("alice", "/announcements/5/unread", "", "HX-Request", "true", "HX-Target", "a5", "HX-Current-URL", "http://c.example/announcements")
	if r.count("#pinned[hx-swap-oob=true][hidden]") != 1 {
		t.Error("the list shows it twice")
	}
	b.script("alice", "/announcements/7/read", "a7", "").wantStatus(t, http.StatusNotFound)
	// On the announcement's own page, all of that changes too.
	b.script("alice", "/announcements/5/unread", "announcement", "back=%2Fannouncements%2F5").wantRedirect(t, "/announcements/5?done=unread")
}

func TestEveryAnnouncementFormNamesThePagesUser(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false), post(6, 1, true, false))
	for address, forms := range map[string]int{"/announcements": 5, "/announcements?after=5": 4, "/announcements/5": 2, "/settings": 1} {
		r := b.get("alice", address)
		for _, form := range r.page.Find("form[action^='/announcements']").EachIter() {
			forms--
			if got := form.Find("[name=page_user]").AttrOr("value", ""); got != "alice" {
				t.Errorf("%s: the form of %s names the user %q", address, form.AttrOr("action", ""), got)
			}
		}
		if forms != 0 {
			t.Errorf("%s: %d forms missing", address, forms)
		}
	}
}

func TestNobodyMarksAnnouncementsForAnotherUser(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false))
	for _, address := range []string{"/announcements/5/read", "/announcements/5/unread", "/announcements/read-all", "/announcements/unread"} {
		b.post("alice", address, "page_user", "carol", "ids", "5").wantStatus(t, http.StatusConflict)
		b.postBody("alice", address, "", "HX-Request", "true", "Carillon-User", "carol").wantStatus(t, http.StatusUnauthorized)
		b.post("", address).wantRedirect(t, "/login?next=%2Finbox")
		b.postBody("alice", address, "", "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusForbidden)
	}
	b.get("", "/announcements/5").wantRedirect(t, "/login?next=%2Fannouncements%2F5")
	b.get("", "/announcements").wantRedirect(t, "/login?next=%2Fannouncements")
	b.get("", "/announcements/pinned").wantRedirect(t, "/login?next=%2Fannouncements%2Fpinned")
	b.wantDid(t)
}
