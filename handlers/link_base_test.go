package handlers_test

import "testing"

func TestRelativeLinksOfNoticesLeadToTheLinkBase(t *testing.T) {
	t.Parallel()
	const base = "https://shop.example.com"
	var did []string
	w := followWorld(t, &did)
	w.config.LinkBase = base
	w.rebuild()
	w.get("alice", "/n/1").wantRedirect(t, base+"/photos/1")
	w.get("alice", "/n/8").wantRedirect(t, "/announcements/8") // a page of ours

	one := post(5, 1, false, true)
	one.Body = "See [the prices](/prices) and [the terms](https://example.com/terms)."
	b := newAnnouncements(t, one)
	b.config.LinkBase = base
	b.rebuild()
	page := b.get("alice", "/announcements/5")
	for sel, want := range map[string]string{"#announcement .button.primary": base + "/news/1", ".prose a": base + "/prices"} {
		if got := page.attr(sel, "href"); got != want {
			t.Errorf("%s leads to %q, want %q", sel, got, want)
		}
	}
	if got := page.attr("body", "data-links"); got != base {
		t.Errorf("scripts receive %q", got)
	}
}
