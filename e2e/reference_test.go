package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// inSight returns an expression that is true if an element is in the window and nothing covers its
// start.
func inSight(sel string) string {
	return fmt.Sprintf(`((el, b) => b.top >= 0 && b.bottom <= innerHeight && el.contains(document.elementFromPoint(b.left + 4, b.top + b.height / 2)))(
		document.querySelector(%[1]q), document.querySelector(%[1]q).getBoundingClientRect())`, sel)
}

// The page is opened signed out. It has no script.
func TestTheContentsOfTheAPIReferenceStayVisible(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	i := s.serve()

	phone := open(t, i).size(390, 844).visit("/api/v1/docs#unsubscribe")
	phone.until(inSight("#unsubscribe")).until(inSight("details.contents summary"))
	for _, id := range []string{"send-notice", "poll", "subscribe"} {
		if !ask[bool](phone, `document.querySelector("details.contents").open`) {
			phone.clickOn("details.contents summary")
		}
		phone.clickOn(fmt.Sprintf("details.contents a[href='#%s']", id))
		phone.until(inSight("#" + id)).until(inSight("details.contents summary"))
	}
	// Each table cell comes after its label, and none is outside the window.
	phone.until(`[...document.querySelectorAll("tbody :is(th, td)")].every(cell => (b => b.left >= 0 && b.right <= 390)(cell.getBoundingClientRect())
		&& getComputedStyle(cell, "::before").content.startsWith(JSON.stringify(cell.dataset.label)))`)

	desk := open(t, i).size(1280, 900).as(i.person(t, "vera")).visit("/api/v1/docs")
	desk.tabs().focusIsOn("Skip to content").types(kb.Enter)
	desk.until(`document.activeElement.id === "main"`)
	for _, id := range []string{"unsubscribe", "send-notice"} {
		desk.clickOn(fmt.Sprintf("nav.contents a[href='#%s']", id))
		desk.until(inSight("#" + id)).until(inSight(fmt.Sprintf("nav.contents a[href='#%s']", id)))
	}
	desk.tabsTo("Link to this call: Send a notice").sees()
	desk.clickOn("header nav a").until(`location.pathname.endsWith("/staff/keys")`)
}
