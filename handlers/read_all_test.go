package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// bothHalves returns a board with two unread inbox entries as well.
func bothHalves(t *testing.T) *board {
	t.Helper()
	b := newAnnouncements(t, post(5, 1, true, false), post(4, 2, true, true), post(9, 3, false, false))
	unread := []notifier.Entry{entry(2, noon, false, false), entry(1, noon.Add(-time.Minute), false, false)}
	b.inbox.look = func(int64, notifier.Query) (notifier.Page, error) {
		return notifier.Page{Entries: unread, Unread: 2, Ver: noon.UnixMilli()}, nil
	}
	b.inbox.change = func(verb string, _ int64, arg string) (notifier.Badge, error) {
		b.did = append(b.did, verb+" "+arg)
		return notifier.Badge{}, nil
	}
	return b
}

func TestMarkAllAsReadClearsTheBadgeAndIsUndoneInBothHalves(t *testing.T) {
	t.Parallel()
	b := bothHalves(t)
	script := func(page reply, form, target string) reply {
		values := url.Values{}
		fields := page.fields(form)
		for i := 0; i < len(fields); i += 2 {
			values.Set(fields[i], fields[i+1])
		}
		return b.script("alice", "/inbox/read-all", target, values.Encode())
	}
	for name, mark := range map[string]func(page, panel reply) reply{
		"without script": func(page, _ reply) reply {
			b.submit("alice", page, "#mark-all").wantStatus(t, http.StatusSeeOther)
			return b.get("alice", "/inbox?done=read-all")
		},
		"by script":    func(page, _ reply) reply { return script(page, "#mark-all", "inbox") },
		"in the panel": func(_, panel reply) reply { return script(panel, "form", "panel") },
	} {
		page, panel := b.get("alice", "/inbox?opened=1"), b.get("alice", "/inbox/panel")
		b.items = append(b.items, post(12, 4, true, false)) // opens after both pages were rendered
		r := mark(page, panel).wantStatus(t, http.StatusOK)
		upto := "upto 1795176000000"
		b.wantDid(t, upto, "read 5", "read 9")
		if got := r.attr("#pinned:not([hidden])", "data-id"); got != "12" {
			t.Errorf("%s: %q is pinned, want the unseen announcement", name, got)
		}
		b.submit("alice", r, "#done form").wantStatus(t, http.StatusSeeOther)
		b.wantDid(t, "unread again like:photo:2 like:photo:1", "unread 5", "unread 9")
		b.items = b.items[:len(b.items)-1]
	}
}

func TestMarkAllAsReadIsOfferedForAnnouncementsAlone(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, true, false))
	for _, address := range []string{"/inbox", "/inbox/panel"} {
		if r := b.get("alice", address); r.count("form[action='/inbox/read-all']:not([hidden]) [name=announcements][value='5']") != 1 {
			t.Errorf("%s does not offer to mark the announcement:\n%s", address, r.body)
		}
	}
	// A form without the field announcements means all open ones.
	b.inbox.change = func(string, int64, string) (notifier.Badge, error) { return notifier.Badge{}, nil }
	b.post("alice", "/inbox/read-all", "upto", "77").wantRedirect(t, "/inbox?done=read-all")
	b.wantDid(t, "all")
	if r := b.get("alice", "/inbox"); r.count("#mark-all:not([hidden])") != 0 {
		t.Error("all is read, but Mark all as read is offered")
	}
}

func TestAllIsReadOnlyWhenBothHalvesAre(t *testing.T) {
	t.Parallel()
	says := func(b *board) string {
		return b.get("alice", "/inbox?filter=unread").text("[data-testid=empty] h2, [data-testid=empty] p:not([hidden])")
	}
	if got := says(newAnnouncements(t, post(5, 1, true, true))); !strings.HasSuffix(got, "You're all caught up.") {
		t.Errorf("with all read the page says %q", got)
	}
	b := newAnnouncements(t, post(5, 1, true, false))
	if got := says(b); got != "No unread notifications1 unread announcement" {
		t.Errorf("with an unread announcement the page says %q", got)
	}
	if got := b.get("alice", "/inbox?filter=unread").attr("[data-when=left] a", "href"); got != "/announcements" {
		t.Errorf("the link is %q", got)
	}
}

func TestCachedPageIsNotSentWhenOtherAnnouncementsAreUnread(t *testing.T) {
	t.Parallel()
	b := newAnnouncements(t, post(5, 1, false, false))
	b.inbox.badge = func(int64) (notifier.Badge, error) { return notifier.Badge{Ver: 50}, nil }
	b.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Ver: 50}, nil }
	b.get("alice", "/inbox")
	b.items = []notifier.OpenAnnouncement{post(6, 1, false, false)} // as many as before
	if got := b.get("alice", "/inbox").attr("#mark-all [name=announcements]", "value"); got != "6" {
		t.Errorf("Mark all as read names %q, which has closed", got)
	}
}
