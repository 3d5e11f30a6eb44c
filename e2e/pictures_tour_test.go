package e2e

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestThePicturesOfTheTour takes the pictures of the ways in which the demo can be used.
func TestThePicturesOfTheTour(t *testing.T) {
	t.Parallel()
	if err := os.MkdirAll(*pictures, 0o750); err != nil {
		t.Fatal(err)
	}
	i := alone(t).serve("--demo", "--addr", "127.0.0.1:0")
	bob, alice := i.demo(t, "bob"), i.demo(t, "alice")
	alice.sends("bob", notice{"report", "", "The spring inventory is complete", "All 14 aisles are counted. Aisle 7 and aisle 12 differ by more than two per cent from the book, and both will be counted again on Thursday " +
		"between two and four. Please leave pallets there where they are until then; everything else is released.", ""})
	bob.get("/inbox")

	w := portraitist(t, i)
	w.shows2x("light", 900, 900).do(chromedp.Navigate(i.url + "/login"))
	w.portrait("sign-in")

	w.as(bob).shows2x("light", 1280, 620).visit("/inbox").until(live)
	w.types("j").until(`document.activeElement.matches("main .row")`)
	w.clickOn(`main .row:focus .fold > summary`).until(`document.querySelector("#pane .body")`).settles().portrait("pane")
	w.shows2x("light", 900, 560).visit("/inbox").until(live).types("jxjx").until(picked + ` === 2`).settles().portrait("triage")
	w.visit("/inbox").until(live)
	ask[string](w, `document.documentElement.dataset.density = "compact"`)
	w.portrait("compact")

	w.media("", "forced-colors", "active", "prefers-color-scheme", "dark").visit("/inbox").until(live)
	w.portrait("forced-colours")
	w.shows2x("light", 900, 560).speak("ja").visit("/inbox").until(live).portrait("japanese")

	w.speak("en-US").as(alice).shows2x("light", 1000, 620).visit("/staff/users").until(live2)
	w.portrait("people")
}
