package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// seenIn returns an expression that is true if an element can be scrolled into view and nothing
// covers it then.
func seenIn(sel string) string {
	return fmt.Sprintf(`(e => {
		e.scrollIntoView({block: "nearest"});
		const {left, top, width, height} = e.getBoundingClientRect();
		const found = document.elementFromPoint(left + width / 2, top + height / 2);
		return height > 0 && (e.contains(found) || found?.contains(e));
	})(document.querySelector(%q))`, sel)
}

func TestInASmallWindowThePanelIsASheetThatScrollsAsAWhole(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual...)
	for _, size := range [][2]int64{{320, 256}, {320, 225}, {844, 390}} {
		w.size(size[0], size[1]).visit("/settings").until(live2)
		openPanel(w)
		w.until(`document.querySelectorAll("#panel .row").length > 4`)
		for _, part := range []string{"#panel .row h3", "#panel .row:last-child h3", "#panel a[href$='/inbox'].button", "#panel .panel-close"} {
			w.until(seenIn(part))
		}
		w.clickOn("#panel .panel-close").until(`document.querySelector("#panel").hidden && document.activeElement.id === "bell"`)
		// The header covers at most half of the window, and nothing of a small one once the page is scrolled.
		w.visit("/inbox").until(`document.querySelector(".top").getBoundingClientRect().height <= innerHeight / 2`)
		w.until(`(scrollTo(0, 300), Math.max(0, document.querySelector(".top").getBoundingClientRect().bottom) <= innerHeight / 6)`)
		w.until(seenIn("#list .row h3"))
	}
}

func TestALongTitleCanBeReadInFullOnAPhoneEvenWithoutScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	title := strings.Repeat("A title of many words ", 9)[:197]
	i.person(t, "vera").sends("bob", notice{typ: "report", title: title})
	i.person(t, "vera").sends("bob", notice{typ: "report", title: "From right to left", body: strings.Repeat("هذا نص طويل من اليمين إلى اليسار ", 20)})
	const cut = `(h => h.scrollHeight > h.clientHeight + 1)([...document.querySelectorAll("main .row h3")].at(-1))`
	for _, scripted := range []bool{true, false} {
		w := open(t, i).size(390, 844)
		if !scripted {
			w.withoutScript()
		}
		w.as(i.person(t, "bob")).visit("/inbox?opened=1")
		w.until(cut)
		w.until(`[...document.querySelectorAll("main .row")].every(row => {
			const more = row.querySelector("summary").getBoundingClientRect(), text = row.querySelector(".body") ?? row.querySelector("h3");
			const { right, bottom } = text.getBoundingClientRect();
			return more.height >= 24 && (bottom <= more.top + more.height / 2 || right - parseFloat(getComputedStyle(text).paddingRight) <= more.left);
		})`)
		w.do(chromedp.Click(css(`main section:last-of-type .row:last-child summary`)))
		w.until("!" + cut)
	}
}
