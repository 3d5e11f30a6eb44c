package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestAPinnedAnnouncementIsOnEveryPageUntilItIsRead(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	s.peopleOf("customer", "cara")
	i := s.serve()
	vera := i.person(t, "vera")
	vera.announces("customer", "Not pinned")
	vera.announces("customer", "Older and pinned", "pinned", "1")
	id := vera.announces("customer", "Fire drill at three", "pinned", "1")

	home := open(t, i).as(i.person(t, "cara"))
	home.visit("/inbox").until(live).banner("Fire drill at three").shot("banner")
	other := home.tab().goTo("/settings").banner("Fire drill at three")
	bob := open(t, i).as(i.person(t, "bob"))
	bob.visit("/inbox").banner("")

	other.moves()
	home.stays().clickOn(`#pinned button`).banner("Older and pinned").badge("2")
	other.badge("2")
	other.banner("")
	if moved := other.moves(); moved != 0 {
		t.Errorf("the content moved by %v px when the banner was dismissed in another tab", moved)
	}
	other.shot("banner-gone-elsewhere")
	other.goTo("/settings").banner("Older and pinned")
	home.clickOn(`#pinned button`).banner("").badge("1").same()
	home.until(`document.activeElement.matches("h1, main")`)
	home.goTo("/inbox").banner("")

	home.goTo("/announcements").turned(id, "read").click("Mark as unread: Fire drill at three").badge("2")
	other.goTo("/announcements").clickOn(`#announcement-read-all button`).banner("").badge("")
	other.until(`document.querySelector("#pinned").hidden`) // its space also closes, because the user acted in this tab
	other.clickOn(`#done button`).badge("2")
	home.goTo("/settings").banner("Fire drill at three")
	home.moves()
	vera.leads("/staff/notices/" + id + "/retract")
	home.banner("").badge("1")
	if moved := home.moves(); moved != 0 {
		t.Errorf("the content moved by %v px when the pinned announcement was retracted", moved)
	}
}

func TestAPinnedAnnouncementThatOpensMovesNoContent(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	vera := i.person(t, "vera")
	for _, n := range usualNotices(30) {
		vera.sends("cara", n)
	}
	cara := i.person(t, "cara")
	top, below := open(t, i).as(cara), open(t, i).as(cara)
	top.visit("/inbox").until(live)
	below.visit("/inbox").until(live)
	below.script(`scrollTo({top: 900, behavior: "instant"})`).until(`scrollY === 900`)
	top.moves()
	below.moves()
	vera.announces("customer", "Fire drill at three", "pinned", "1")
	top.badge("1")
	top.has("#announcer", "1 unread, newest: Fire drill at three")
	if moved := top.moves(); moved != 0 {
		t.Errorf("the content moved by %v px", moved)
	}
	top.banner("")
	below.banner("Fire drill at three") // above the visible part of the page
	if moved := below.moves(); moved != 0 {
		t.Errorf("the content further down moved by %v px", moved)
	}
	below.script(`scrollTo({top: 0, behavior: "instant"})`).shot("banner-came-above")
	top.goTo("/settings").banner("Fire drill at three")
}

func TestAnnouncementsWorkByKeyboard(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	vera := i.person(t, "vera")
	for _, title := range []string{"First", "Second", "Third"} {
		vera.announces("customer", title)
	}
	vera.announces("customer", "Pinned", "pinned", "1")
	w := open(t, i).size(1280, 900).as(i.person(t, "cara"))
	w.visit("/inbox").until(live2).banner("Pinned").stays()
	w.tabsTo("Pinned").tabs().types(kb.Enter).banner("").badge("3").same()
	w.types("g").types("a").at("/announcements")
	w.until(live2).posted("Pinned", "Third", "Second", "First").stays()
	w.types("j").onRow("Pinned").types("j").onRow("Third").types("j").onRow("Second").types("k").onRow("Third")
	w.types("u").badge("2")
	w.onRow("Third").types("u").badge("3")
	w.onRow("Third").until(`document.querySelectorAll(".row[data-state=unread]").length === 3`)
	w.same()
	w.types("o").has("h1", "Third").until(live2).badge("2")
	w.tabsTo("Mark as unread").types(kb.Enter).badge("3")
	w.has("#done p", "Marked as unread.").types("g").types("a").at("/announcements")
	w.until(live2).tabsTo("Mark all as read").types(kb.Enter).has("#done p", "Marked all as read.").badge("")
	w.until(`document.activeElement.matches("h1")`).heading("")
	w.types("?").until(`document.querySelector("#help[open] kbd")`).shot("keys-of-announcements")
	w.types(kb.Escape).types("g").types("i").at("/inbox")
}
