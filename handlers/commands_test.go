package handlers_test

import (
	"strings"
	"testing"
)

func TestPlacesToGoToAreAPartAndAPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, user := range []string{"alice", "carol"} {
		page := w.get(user, "/commands")
		if page.text("main h1") != "Go to a page, or search" || page.count("header nav") == 0 {
			t.Errorf("the page is %q", page.text("main"))
		}
		part := w.get(user, "/commands", "HX-Request", "true")
		if part.count("html head title, main") != 0 {
			t.Error("the part is a page")
		}
		links := part.text("form[action='/inbox'] ul")
		for _, name := range []string{"Inbox › Unread", "Inbox › Later", "Announcements", "Settings › Appearance", "Search notifications"} {
			if !strings.Contains(links, name) {
				t.Errorf("%s: no %q in %q", user, name, links)
			}
		}
		if got := part.count("a[href='/staff/users']") == 1; got != (user == "carol") {
			t.Errorf("%s sees the staff pages: %v", user, got)
		}
	}
}
