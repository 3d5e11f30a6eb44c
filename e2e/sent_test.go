package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// sentDesk returns a window of vera, who has sent two notices and an announcement, and started a draft.
func sentDesk(t *testing.T) (*window, *person) {
	t.Helper()
	w, i := officeDesk(t)
	vera := i.person(t, "vera")
	vera.sends("bob", usual[0])
	vera.sends("paula", usual[1])
	vera.announces("user", "We close at four")
	vera.leads("/staff/send", "target", "user", "title", "Half a notice", "save", "1")
	return w, vera
}

const firstSent = `document.querySelector("[data-testid=sent] a").textContent`

func TestSentNoticesAreFilteredWithoutJavaScript(t *testing.T) {
	t.Parallel()
	w, vera := sentDesk(t)
	w.withoutScript()
	w.size(390, 800).visit("/staff/notices").until(firstSent + ` === "We close at four"`)
	w.clickOn(".filters summary")
	w.fill("sender", "vera")
	w.fill("type", usual[0].typ)
	w.press(".filters .primary")
	w.until(firstSent + ` === "` + usual[0].title + `" && document.querySelectorAll("[data-testid=sent]").length === 1`)
	address := ask[string](w, `document.querySelector("[data-testid=export]").getAttribute("href")`)
	status, file := vera.get(strings.TrimPrefix(address, w.path()))
	if lines := strings.Split(strings.TrimSpace(file), "\r\n"); status != 200 || len(lines) != 2 || !strings.Contains(lines[1], usual[0].title) {
		t.Errorf("the file has status %d\n%s", status, file)
	}
	w.press(`.tabs a[href$="/staff/notices?target=audience"]`)
	w.until(firstSent + ` === "We close at four" && document.querySelectorAll("[data-testid=sent]").length === 1`)
	w.press(`.tabs a[href$="/staff/notices?tab=drafts"]`)
	w.has("[data-testid=draft] th", "Half a notice")
	w.press("[data-testid=draft] button")
	w.has(".empty h2", "No drafts").has("#done p", "Draft deleted.")
}

func TestSentNoticesAreFilteredByKeyboard(t *testing.T) {
	t.Parallel()
	w, _ := sentDesk(t)
	w.visit("/staff/notices").until(firstSent + ` === "We close at four"`)
	w.tabsTo("Filters").types(kb.Enter).tabsTo("Category").types(usual[1].typ).types(kb.Enter)
	w.until(firstSent + ` === "` + usual[1].title + `" && document.querySelectorAll("[data-testid=sent]").length === 1`)
	w.tabsTo("Scheduled").types(kb.Enter).at("/staff/notices?state=scheduled")
	w.has(".empty h2", "Nothing found").tabsTo("Drafts").types(kb.Enter).at("/staff/notices?tab=drafts")
	w.tabsTo("Half a notice").types(kb.Enter)
	w.until(`document.querySelector("#title").value === "Half a notice"`)
}

// The notices of an application open in place, and without a script as a list.
func TestTrafficOfApplicationsOpensInPlace(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "paula")
	i := s.serve()
	s.hostApp(t, "shop").send(t, i, `{"target":{"users":["paula"]},"type":"order.late","title":"Order 7 is late"}`)
	i.person(t, "vera").sends("paula", usual[0])
	w := open(t, i).size(1280, 900).as(i.person(t, "vera"))
	const line, rows = "[data-testid=traffic] summary", `document.querySelectorAll("[data-testid=traffic] [data-testid=sent]").length`
	w.visit("/staff/notices").until(firstSent + ` === "` + usual[0].title + `" && document.querySelectorAll("[data-testid=sent]").length === 1`)
	w.tabsTo("By applications").types(kb.Enter).at("/staff/notices?tab=apps")
	w.clickOn(line).until(rows + ` === 1`)
	w.withoutScript().visit("/staff/notices?tab=apps").clickOn(line).press("[data-testid=traffic] p a")
	w.until(firstSent + ` === "Order 7 is late" && document.querySelectorAll("[data-testid=sent]").length === 1`)
}
