package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBelowAPathOfAnotherApplicationsHost goes through what pages and scripts do at addresses of their
// own. The flag -below has every test do so.
func TestBelowAPathOfAnotherApplicationsHost(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.path = "/notifications"
	s.people("vera staff", "bob")
	i := s.serve()
	vera := i.person(t, "vera")
	w := open(t, i).size(1280, 900)
	see := w.watched()

	w.visit("/settings").at("/login?next=%2Fnotifications%2Fsettings")
	w.do(chromedp.SendKeys(css(`input[name=username]`), "bob"), chromedp.SendKeys(css(`input[name=password]`), password+"\n"))
	w.until(live2).at("/settings")
	vera.sends("bob", usual[0])
	vera.announces("user", "The network is down tonight", "body", "From ten to eleven.", "pinned", "1", "toast", "1")
	w.has("#badge", "2") // by the stream
	w.until(`document.querySelector("#popups a")?.getAttribute("href").startsWith("/notifications/announcements/")`)
	openPanel(w)
	w.until(`document.querySelector("#panel .row h3 a").getAttribute("href").startsWith("/notifications/")`)
	w.clickOn("#panel .bottom-line a").until(live).at("/inbox")
	w.clickOn(`main .row form[action$="/inbox/archive"] button`).until(`document.querySelector("#done.floating form")`)
	w.clickOn("#done form button").has("#done p", "Restored.").titles(usual[0].title)
	w.clickOn(`.nav a[data-go="a"]`).until(live2).at("/announcements")
	w.types("?").until(`document.querySelector("#help[open] kbd")`)
	w.do(chromedp.Navigate("about:blank"))
	for _, asked := range see.asked {
		if _, address, _ := strings.Cut(asked, " "); strings.HasPrefix(address, "http") && !strings.HasPrefix(address, w.url+"/") {
			t.Errorf("the page asks for %s", address)
		}
	}
	if faults := see.complaints(0); len(faults) > 0 {
		t.Errorf("the pages complain:\n%s", strings.Join(faults, "\n"))
	}

	staff := open(t, i).size(1280, 900).as(vera).visit("/staff/send")
	staff.until(`document.querySelector("#to[aria-autocomplete]")`)
	staff.do(chromedp.SendKeys(css("#to"), "bo"))
	staff.until(`document.querySelector("#to-names [role=option]")`)
	staff.do(chromedp.SendKeys(css("#title"), "Sent below a path"))
	staff.until(`document.querySelector("#preview")?.textContent.includes("Sent below a path")`)
}
