package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestAnnouncementsWorkWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff")
	s.peopleOf("customer", "cara")
	i := s.serve()
	vera := open(t, i).withoutScript().signIn("vera")
	cara := open(t, i).withoutScript().signIn("cara")

	first := vera.publishesWithoutScript()
	i.person(t, "vera").announces("customer", "Second", "body", "Text.")
	cara.goTo("/inbox").heading("2").banner("First").badge("2")
	cara.press(`#pinned button`)
	cara.banner("").has("#done p", "Marked as read.").until(`location.pathname.endsWith("/inbox")`)
	cara.press(`nav a[href$="/announcements"]`)
	cara.posted("First", "Second").turned(first, "read").has("[data-testid=announcement-count]", "1 unread")
	cara.shot("announcements-without-javascript")
	cara.press(`[data-testid=announcement] a`)
	cara.has("h1", "First").has(".prose strong", "now")
	cara.press(`#announcement [action$="/unread"] button`)
	cara.badge("2")
	cara.goTo("/announcements").turned(first, "unread")
	cara.press(`#announcement-read-all button`)
	cara.turned(first, "read").badge("")
	cara.press(`#done button`)
	cara.turned(first, "unread").badge("2")

	vera.goTo("/staff/notices/" + first)
	vera.press(`[data-testid=edit]`)
	vera.fill("title", "First, changed")
	vera.press(`[data-testid=edit-form] button.primary`)
	vera.has("h1", "First, changed")
	cara.goTo("/announcements").posted("First, changed", "Second")
	vera.clickOn(`[data-testid=notice-menu] > summary`).clickOn(`[data-testid=retract] summary`)
	vera.press(`[data-testid=retract] button`)
	vera.has(`[data-testid=state]`, "Retracted")
	cara.goTo("/announcements").posted("Second").badge("1")
	vera.clickOn(`[data-testid=notice-menu] > summary`).clickOn(`[data-testid=delete] summary`)
	vera.press(`[data-testid=delete] button`)
	vera.at("/staff/notices?done=removed")
	vera.shot("deleted-announcement-without-javascript")
}

// publishesWithoutScript fills in the form, opens the preview, corrects a mistake and sends. It
// returns the id of the announcement.
func (w *window) publishesWithoutScript() string {
	w.t.Helper()
	w.goTo("/staff/send").chooses("audience")
	w.ticks("customer")
	w.fill("title", "First")
	w.fill("body", "It begins **now**.")
	w.more().do(chromedp.SetValue(css(`#ends_at`), "2020-01-01T10:00"), chromedp.Click(css(`[name=pinned]`)))
	w.press(submitSend)
	w.until(`document.querySelector("#ends_at-fault")`)
	w.do(chromedp.SetValue(css(`#ends_at`), time.Now().Add(48*time.Hour).Format("2006-01-02T15:04")))
	w.press(`#send button[name=preview]`)
	w.has("[data-testid=recipients]", "1 person will get it.").until(`document.querySelector("[data-testid=schedule]")`)
	w.press(submitSend)
	w.has("#confirm p", "This announcement goes to 1 person.").press(`#confirm button`)
	w.has("h1", "First").has(`[data-testid=state]`, "Open")
	return sentAs.FindStringSubmatch(ask[string](w, `location.pathname`))[1]
}
