package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestThePicturesOfTheFeatures takes the pictures below "What it does" in the README, which have the same size.
func TestThePicturesOfTheFeatures(t *testing.T) {
	t.Parallel()
	if err := os.MkdirAll(*pictures, 0o750); err != nil {
		t.Fatal(err)
	}
	i := alone(t).serve("--demo", "--addr", "127.0.0.1:0")
	w := portraitist(t, i)
	alice, bob, carol := i.demo(t, "alice"), i.demo(t, "bob"), i.demo(t, "carol")
	for _, p := range []*person{alice, bob, carol, i.demo(t, "erin")} {
		p.get("/announcements/" + strconv.Itoa(pinnedAnnouncement))
	}
	sends := func(fields ...string) string {
		t.Helper()
		status, _ := alice.post("/staff/send", append([]string{"target", "user", "type", "order"}, fields...)...)
		if status != http.StatusSeeOther {
			t.Fatalf("send %q: status %d", fields, status)
		}
		return alice.location
	}
	bob.get("/inbox")
	carol.get("/inbox")

	w.as(bob).shows2x("light", 520, 340).do(chromedp.Navigate(i.url + "/embed/demo"))
	w.until(inBell(`bell.client?.getSnapshot().user === "bob"`))
	sends("to", "bob", "title", "Order 5120 has arrived", "body", "Pick it up at the harbour until Friday.")
	w.until(inBell(`root?.querySelector(".badge")?.textContent`))
	ask[any](w, inBell(`bell.show()`))
	w.until(inBell(`root.querySelectorAll("li").length > 1`)).feature("bell", "header")

	at := sends("to", "bob, carol, dave, erin", "title", "The lift is out of order", "body", "Use the stairs on the harbour side until Thursday.")
	carol.get("/inbox")
	w.as(alice).visit(at).until(live2).until(`document.querySelector("#progress")?.textContent.includes("4 of 4")`).feature("sent", "h1")
	w.visit("/staff/notices/"+strconv.Itoa(pinnedAnnouncement)).until(live2).feature("announcement", "h1")

	sends("to", "carol", "title", "Refund order 4163?", "body", "The deck lamp arrived broken. 84.50 €.", "choices", "Refund\nReplace")
	w.as(carol).visit("/inbox").until(live).feature("question", "main .row")

	sends("to", "bob, dave", "title", "The forklift needs a new battery", "body", "It stands at gate 2, and the spare one is in hall 3.", "take", "required")
	w.as(i.demo(t, "dave")).visit("/inbox").until(live).feature("task", "main .row")

	letter, err := filepath.Abs("../views/mail/testdata/several.en.html")
	if err != nil {
		t.Fatal(err)
	}
	w.do(chromedp.Navigate("file://" + letter))
	w.feature("mail", "body")
}

// feature writes pictures of the part of the page that begins with an element, in both themes.
func (w *window) feature(name, first string) {
	w.t.Helper()
	for suffix, theme := range map[string]string{"": "light", "-dark": "dark"} {
		w.media("", "prefers-color-scheme", theme)
		w.script(`(e => { e.scrollIntoView(); scrollBy(0, e.matches(".row") ? -48 : -16); document.activeElement.blur(); })(document.querySelector("` + first + `"))`)
		w.portrait("feature-" + name + suffix)
	}
}
