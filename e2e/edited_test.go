package e2e

import (
	"testing"
)

// The editor uses one instance; readers use both.
func TestAnEditThatMarksAsUnreadReachesAllPagesOnBothInstances(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara", "cyril")
	one, two := s.serve(), s.serve()
	vera := two.person(t, "vera")
	id := vera.announces("customer", "The counter closes at 15:00", "body", "Today only.", "pinned", "1")
	vera.announces("customer", "Canteen", "body", "Soup on Friday.")

	cara := open(t, one).signIn("cara").goTo("/announcements").turned(id, "unread")
	cara.clickOn(string(post(id))+" a").has("h1", "The counter closes at 15:00").badge("1")
	cara.goTo("/announcements").turned(id, "read")
	elsewhere := open(t, two).signIn("cara").goTo("/settings").badge("1")
	cyril := open(t, two).signIn("cyril").goTo("/announcements").turned(id, "unread").badge("2")

	desk := open(t, two).as(vera)
	desk.visit("/staff/notices/" + id)
	desk.press(`[data-testid=edit]`)
	desk.fill("title", "The counter closes at 17:00")
	desk.clickOn("#unread")
	desk.shot("announcement-edit-unread")
	desk.press(`[data-testid=edit-form] button.primary`)
	desk.has("#done p", "The announcement has been saved, and is unread for everyone.")

	cara.badge("2").turned(id, "unread").has("#news", "1 changed announcement").has("[data-testid=announcement-count]", "2 unread")
	elsewhere.badge("2")
	cyril.badge("2").turned(id, "unread")
	cara.clickOn("#news").posted("The counter closes at 17:00", "Canteen").until(`document.querySelector("[data-testid=edited] time") !== null`).shot("announcements-edited")
	elsewhere.goTo("/settings").banner("The counter closes at 17:00").until(`document.querySelector("#pinned [data-testid=edited] time") !== null`)

	cara.clickOn(string(post(id))+" a").has("h1", "The counter closes at 17:00").badge("1").shot("announcement-edited")
	elsewhere.badge("1")
	cyril.badge("2")
}
