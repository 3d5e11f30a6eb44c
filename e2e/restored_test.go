package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// Signing out notifies the other pages of the browser, which also removes the inbox from its
// back/forward cache. Back therefore loads a copy from disk.
func TestBackAfterSigningOutShowsNoInbox(t *testing.T) {
	t.Parallel()
	w := readInbox(t)
	w.goTo("/settings?tab=account")
	w.press(`main form[action$="/logout"] button`)
	w.do(chromedp.WaitVisible(css(`input[name=username]`)))

	w.do(chromedp.Evaluate[chromedp.Void](`history.go(-2)`))
	w.until(`location.pathname.endsWith("/login") && document.querySelector("[data-testid=entry]") === null`)
}

// A session that ends elsewhere leaves the page unchanged in the browser's back/forward cache.
func TestBackAfterTheSessionEndedShowsNoInbox(t *testing.T) {
	t.Parallel()
	w := readInbox(t)
	value[bool](w, `(addEventListener("pageshow", e => sessionStorage.kept = e.persisted), true)`)
	w.goTo("/settings").as(nil)

	w.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	w.until(`location.pathname.endsWith("/login") && document.querySelector("[data-testid=entry]") === null`)
	if ask[string](w, `sessionStorage.kept`) != "true" {
		t.Error("the page did not come from the back/forward cache: this test proves nothing")
	}
}

// readInbox returns a window that shows bob's inbox with nothing unread. Browsers keep such a page
// in memory or on disk.
func readInbox(t *testing.T) *window {
	t.Helper()
	s := alone(t)
	s.user("bob")
	i := s.serve()
	s.tell("bob", "photo_id:1")
	return open(t, i).signIn("bob").goTo("/inbox").goTo("/inbox")
}
