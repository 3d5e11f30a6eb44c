package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

const (
	photo = "Dana commented on “Harbour at dusk”"
	late  = "Order 4187 is late"
	aisle = "Aisle 7 needs restocking"
)

func TestActionsChangeTheInboxInPlaceAndCanBeUndone(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	w.visit("/inbox").stays().titles(aisle, late, photo)

	w.click("Mark as unread: "+late).has("#badge", "1").has("#count", "1 unread")
	w.click("Mark as read: "+late).until(`document.querySelector("#badge").hidden`).has("#count", "")
	w.click("Delete: "+late).titles(aisle, photo).has("#done p", "Deleted.")
	w.clickOn("#done button").titles(aisle, late, photo).has("#done p", "Restored.").settles()

	w.click("Mark as unread: "+late).has("#badge", "1")
	w.click("Mark as unread: "+photo).has("#badge", "2")
	w.clickOn(".tools > summary").clickOn("#mark-all button").until(`document.querySelector("#badge").hidden`).has("#done p", "Marked all as read.")
	w.until(`document.activeElement.matches("h1")`)
	w.clickOn("#done button").has("#badge", "2").has("#count", "2 unread").titles(aisle, late, photo)
	w.until(`document.activeElement.matches("h1")`)

	for _, title := range []string{aisle, late, photo} {
		w.click("Delete: " + title).until(fmt.Sprintf(`!document.body.textContent.includes(%q) || [...document.querySelectorAll("main .row:not([hidden])")].every(r => !r.textContent.includes(%q))`, title, title)).settles()
	}
	w.has("#list .empty h2", "No notifications yet").until(`document.activeElement.matches("h1")`)
	w.clickOn("#done button").titles(photo).until(`!document.querySelector("#list .empty")`)
	w.at("/inbox")
	w.same()
	w.noTwoAlike()
}

func TestUndoRestoresEntriesDeletedByKeysOneByOne(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:5]...)
	w.visit("/inbox").stays()
	all := []string{usual[4].title, usual[3].title, aisle, late, photo}
	w.titles(all...).types("j").types("ddd").titles(late, photo).has("#done p", "Deleted. 3 changes can be undone.")
	w.onRow(late).types("zzz").titles(all...).has("#done p", "Restored.").settles()
	w.same()
	w.size(390, 844).types("d").titles(all[1:]...)
	w.script(`scrollTo(0, document.documentElement.scrollHeight)`)
	w.until(`[...document.querySelectorAll("main .row")].at(-1).getBoundingClientRect().bottom <= document.querySelector("#done").getBoundingClientRect().top`)
	w.same()
}

func TestOlderRowsAreAddedBelowWithoutASecondHeading(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usualNotices(95)...)
	w.visit("/inbox").stays()
	for _, want := range []int{60, 90, 95} {
		w.clickOn(`a[rel=next]`)
		w.until(fmt.Sprintf(`document.querySelectorAll("main .row").length === %d`, want))
		w.noTwoAlike()
		w.until(fmt.Sprintf(`document.activeElement === document.querySelectorAll("main .row")[%d]`, (want-1)/30*30))
	}
	if keys := ask[[]string](w, `[...document.querySelectorAll("main .row")].map(r => r.dataset.at)`); !slices.IsSortedFunc(keys, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Error("the rows are not newest first")
	}
	w.at("/inbox")
	w.same()
	w.until(`document.querySelector("#pager a") === null`) // no older entries; the newest are above
}

func TestBackReturnsToThePreviousView(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, usual[:3]...)
	w.visit("/inbox").stays()
	w.clickOn(`.tab[href$="/inbox?filter=unread"]`).has("#list .empty h2", "No unread notifications").at("/inbox?filter=unread")
	w.same()
	w.until(`document.title === "Inbox · Carillon"`)
	w.back()
	w.titles(aisle, late, photo).at("/inbox")
	w.until(`document.querySelector(".tab[href$='/inbox']").getAttribute("aria-current") === "page"`)

	w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll(".row a")].find(a => a.textContent === %q).click()`, late)))
	w.at("/settings")
	w.until(`document.readyState === "complete"`)
	w.back()
	w.titles(aisle, late, photo).at("/inbox")

	w.visit("/inbox?filter=unread").stays()
	vera.sends("bob", usual[3])
	w.has("#badge", "1")
	w.clickOn(`.tab[href$="/inbox"]`).at("/inbox")
	w.titles(usual[3].title, aisle, late, photo).until(`document.querySelector("#badge").hidden`)
	w.same()
}

func TestBackReturnsToThePreviousPlaceInTheList(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usualNotices(75)...)
	w.visit("/inbox").has("#count", "75 new")
	for _, n := range []int{60, 75} {
		w.clickOn(`a[rel=next]`).until(fmt.Sprintf(`document.querySelectorAll("main .row").length === %d`, n))
	}
	const row = `[...document.querySelectorAll("main .row")].findIndex((r, i) => i > 50 && r.querySelector("h3 a[href]"))`
	w.script(`window.at = ` + row + `; document.querySelectorAll("main .row")[at - 1].focus()`)
	w.types("j").until(`document.activeElement === document.querySelectorAll("main .row")[at]`)
	w.script(`scrollBy({top: 130, behavior: "instant"})`)
	left := ask[[]float64](w, `[at, Math.round(document.activeElement.getBoundingClientRect().top)]`)
	w.types("o").until(`!location.pathname.endsWith("/inbox") && document.readyState === "complete"`)
	w.back()
	w.until(fmt.Sprintf(`(r => r === document.activeElement && Math.abs(r.getBoundingClientRect().top - %f) < 2)(document.querySelectorAll("main .row")[%f])`, left[1], left[0]))
	w.until(`document.querySelectorAll("main .row").length === 75`).has("#count", "75 new")
	w.types("j").until(fmt.Sprintf(`document.activeElement === document.querySelectorAll("main .row")[%f + 1]`, left[0]))
}

func TestAFailedActionSaysSoAndLosesNothing(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("vera staff", "bob")
	i := s.serve()
	i.person(t, "vera").sends("bob", usual[1])
	w := open(t, i).size(1280, 900).as(i.person(t, "bob"))
	w.visit("/inbox").stays()
	i.kill()
	w.click("Delete: "+late).has("#done p", "Something went wrong. Try again.").titles(late)
	w.has("#announcer", "Something went wrong. Try again.")
	w.until(`!document.querySelector(".htmx-request")`)
	s.serve("--addr", i.addr())
	w.click("Delete: "+late).has("#done p", "Deleted.").titles()
	w.same()
}

func TestAnActionAfterTheSessionEndedLeadsToSignIn(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	i.person(t, "vera").sends("bob", usual[1])
	bob := i.person(t, "bob")
	w := open(t, i).size(1280, 900).as(bob)
	w.visit("/inbox?filter=unread")
	bob.post("/logout")
	w.click("Delete: " + late).at("/login?next=" + url.QueryEscape(w.path()+"/inbox?filter=unread"))
	w.until(`document.querySelector("input[name=username]")`)
	w.fill("username", "bob")
	w.fill("password", password)
	w.press(`form.card button`)
	w.at("/inbox?filter=unread")
	w.titles(late)
}
