package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestBackAfterSigningOutShowsNobodysInbox(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("bob")
	i := s.serve()
	s.tell("bob", "photo_id:1")
	w := open(t, i).signIn("bob")
	w.goTo("/inbox").goTo("/inbox") // nothing unread: a page that browsers keep
	value[bool](w, `(addEventListener("pageshow", e => sessionStorage.kept = e.persisted), true)`)
	w.goTo("/settings")
	w.press(`main form[action="/logout"] button`)
	w.do(chromedp.WaitVisible(css(`input[name=username]`)))

	w.do(chromedp.Evaluate[chromedp.Void](`history.go(-2)`))
	w.until(`location.pathname === "/login" && document.querySelector("[data-testid=entry]") === null`)
	if ask[string](w, `sessionStorage.kept`) != "true" {
		t.Error("the page did not come out of the history: nothing is proved")
	}
}
