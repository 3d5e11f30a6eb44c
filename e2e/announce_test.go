package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The whole story on two instances: a reader with two tabs and a second browser profile, another
// reader, and a user of another audience.
func TestAnAnnouncementReachesAllCustomersAndReadingItLowersAllBadges(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("vera staff", "bob")
	s.peopleOf("customer", "cara", "cyril")
	one, two := s.serve(), s.serve()
	vera := open(t, two).as(two.person(t, "vera")).visit("/staff/send").until(live2)
	here := tabs(t, one, 2, "cara", "/inbox")
	there := open(t, two).signIn("cara").goTo("/settings")
	cyril := open(t, two).signIn("cyril").goTo("/announcements")
	bob := open(t, one).signIn("bob").goTo("/inbox")
	all := append(here[:2:2], there)

	vera.chooses("audience")
	vera.adds("customer")
	vera.fill("title", "The counter closes at four today")
	vera.fill("body", "**Everything** ordered by three is still packed.")
	vera.has(`[data-testid=recipients]`, "2 people will get it.").shot("announce-form")
	vera.answered(sendButton)
	vera.has("#confirm p", "This announcement goes to 2 people.").shot("announce-confirm")
	vera.press(`#confirm button`)
	vera.has(`[data-testid=state]`, "Open")
	bells(all, "1")
	cyril.has("#news", "1 new announcement").heading("1").badge("1")
	bob.badge("")

	second := two.person(t, "vera").announces("customer", "New prices from Monday", "body", "See the list.")
	bells(append(all, cyril), "2")
	cyril.has("#news", "2 new announcements").shot("announcements-offered")
	there.heading("2").until(`document.title.startsWith("(2) ")`)
	bob.heading("").badge("")

	cyril.clickOn("#news").posted("New prices from Monday", "The counter closes at four today").has("[data-testid=announcement-count]", "2 unread")
	here[0].goTo("/announcements").clickOn(string(post(second))+" a").has("h1", "New prices from Monday")
	bells(all, "1")
	here[0].shot("announcement-read")
	there.goTo("/announcements").turned(second, "read").has("[data-testid=announcement-count]", "1 unread")
	cyril.turned(second, "unread").badge("2")

	here[1].goTo("/announcements").stays()
	here[1].click("Mark as unread: New prices from Monday").turned(second, "unread")
	there.turned(second, "unread").has("[data-testid=announcement-count]", "2 unread")
	bells(all, "2")
	there.clickOn("#announcement-read-all button").has("#done p", "Marked all as read.")
	here[1].turned(second, "read").has("[data-testid=announcement-count]", "").same()
	bells(all, "")
	cyril.badge("2")
	vera.has(`[data-testid=state]`, "Open").until(`document.querySelector("progress[data-testid^=read-]").value === 1`).shot("announcement-of-staff")
}

func TestLateJoinersSeeOnlyAnnouncementsForLateJoiners(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	vera := i.person(t, "vera")
	vera.announces("customer", "For who is here")
	vera.announces("customer", "For everybody, also later", "late_joiners", "1")

	s.peopleOf("customer", "late")
	late := open(t, i).as(i.person(t, "late"))
	late.visit("/announcements").until(live2).posted("For everybody, also later").heading("1").badge("1")
	cara := open(t, i).as(i.person(t, "cara"))
	cara.visit("/announcements").posted("For everybody, also later", "For who is here").badge("2")
	vera.announces("customer", "For who is here now")
	late.has("#news", "1 new announcement").badge("2")
	cara.badge("3")
	late.clickOn("#news").posted("For who is here now", "For everybody, also later").shot("announcements-of-a-late-joiner")
}

func TestAnAnnouncementOpensAndClosesOnTimeInAnOpenPage(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	vera := i.person(t, "vera")
	cara := open(t, i).as(i.person(t, "cara"))
	cara.visit("/announcements").until(live2).until(`document.querySelector("[data-testid=empty]")`)
	id := vera.announces("customer", "Inventory now", "starts_at", after(time.Hour), "ends_at", after(2*time.Hour))
	desk := open(t, i).as(vera)
	desk.visit("/staff/notices/"+id).has(`[data-testid=state]`, "Scheduled")
	cara.until(`document.querySelector("#badge").hidden`)

	// The near times are set only after all pages wait for them, however slow this machine is.
	vera.editsNotice("/staff/notices/"+id, "title", "Inventory now", "starts_at", after(2*time.Second), "ends_at", after(2*time.Hour))
	cara.has("#news", "1 new announcement").badge("1")
	desk.has(`[data-testid=state]`, "Open")
	cara.clickOn("#news").posted("Inventory now").until(live2).stays()
	reader := cara.tab()
	reader.visit("/announcements/" + id).until(live2)
	cara.turned(id, "read").badge("")

	vera.editsNotice("/staff/notices/"+id, "title", "Inventory now", "ends_at", after(2*time.Second))
	desk.has(`[data-testid=state]`, "Closed")
	cara.posted().until(`document.querySelector("main .empty") && document.querySelector("#announcement-count").textContent === ""`).same()
	reader.has("#done p", "This announcement has ended.").has("h1", "Inventory now").shot("announcement-over")
	cara.shot("announcements-closed")
	if status, _ := i.person(t, "cara").get("/announcements/" + id); status != 404 {
		t.Errorf("the page of a closed announcement has status %d", status)
	}
}

func TestEditedAndRetractedAnnouncementsChangeInOpenPages(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara", "cyril")
	i := s.serve()
	vera := i.person(t, "vera")
	first := vera.announces("customer", "Parking", "body", "Level 2 is closed.")
	vera.announces("customer", "Canteen", "body", "Soup on Friday.")
	cara := open(t, i).as(i.person(t, "cara"))
	cara.visit("/announcements").until(live2).posted("Canteen", "Parking").badge("2")
	reader := open(t, i).as(i.person(t, "cyril"))
	reader.visit("/announcements/"+first).until(live2).has("[data-testid=announcement-body]", "Level 2 is closed.")

	desk := open(t, i).as(vera)
	desk.visit("/staff/notices/" + first)
	desk.press(`[data-testid=edit]`)
	desk.fill("title", "Parking on Sunday")
	desk.fill("body", "Level 3 is closed.")
	desk.shot("announcement-edit")
	desk.press(`[data-testid=edit-form] button.primary`)
	desk.has("h1", "Parking on Sunday")
	reader.has("#done p", "This announcement has changed.").has("[data-testid=announcement-body]", "Level 2 is closed.").shot("announcement-changed")
	cara.has("#news", "1 changed announcement").posted("Canteen", "Parking").badge("2")
	reader.press(`#done a`)
	reader.until(live2).has("h1", "Parking on Sunday").has("[data-testid=announcement-body]", "Level 3 is closed.").badge("1")
	cara.clickOn("#news").until(live2).posted("Canteen", "Parking on Sunday").stays()

	cara.do(chromedp.Focus(post(first)))
	desk.clickOn(`[data-testid=notice-menu] > summary`).clickOn(`[data-testid=retract] summary`)
	desk.press(`[data-testid=retract] button`)
	desk.has(`[data-testid=state]`, "Retracted")
	cara.posted("Canteen").until(`document.activeElement.textContent.includes("Canteen")`).badge("1")
	cara.has("[data-testid=announcement-count]", "1 unread").same()
	reader.has("#done p", "This announcement has ended.").has("h1", "Parking on Sunday")
	cara.shot("announcements-retracted")

	desk.clickOn(`[data-testid=notice-menu] > summary`).clickOn(`[data-testid=delete] summary`)
	desk.press(`[data-testid=delete] button`)
	desk.at("/staff/notices?done=removed")
	desk.until(`document.querySelectorAll("[data-testid=sent]").length === 1`)
}

func TestAListThatLostItsStreamCatchesUpAfterReconnecting(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	one, two := s.serve(), s.serve()
	vera := two.person(t, "vera")
	over := vera.announces("customer", "Soon over")
	read := vera.announces("customer", "Read elsewhere")
	cara := open(t, one).as(one.person(t, "cara"))
	cara.visit("/announcements").until(live2).posted("Read elsewhere", "Soon over").stays()
	reader := cara.tab()
	reader.visit("/announcements/" + over).until(live2).badge("1")

	one.kill()
	cara.connection("Reconnecting…")
	vera.announces("customer", "New meanwhile")
	vera.leads("/staff/notices/" + over + "/retract")
	two.person(t, "cara").get("/announcements/" + read)
	s.serve("--addr", one.addr())
	cara.has("#news", "1 new announcement").posted("Read elsewhere").turned(read, "read").badge("1")
	cara.has("[data-testid=announcement-count]", "1 unread").same()
	reader.has("#done p", "This announcement has ended.")
}
