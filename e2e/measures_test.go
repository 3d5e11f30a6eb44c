package e2e

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// rowsOnScreen returns where the first row begins, how high the rows are that have one line of text, and how many rows
// are whole on the first screen, above whatever lies at its bottom.
const rowsOnScreen = `(() => {
	const rows = [...document.querySelectorAll("[data-testid=entry]")].map((e) => e.getBoundingClientRect());
	const nav = document.querySelector(".nav").getBoundingClientRect();
	const bottom = nav.top > innerHeight / 2 ? nav.top : innerHeight;
	return [rows[0].top, Math.min(...rows.map((r) => r.height)), Math.max(...rows.map((r) => r.height)), rows.filter((r) => r.bottom <= bottom).length];
})()`

// manyRows returns notices of two kinds, all with one line of text.
func manyRows() []notice {
	notices := make([]notice, 25)
	for i := range notices {
		notices[i] = notice{typ: []string{"comment", "order.late"}[i%2], subject: strconv.Itoa(i), title: fmt.Sprintf("Order %d is late", i), body: "The parcel has not left Rotterdam."}
	}
	return notices
}

func TestRowsAndTheLinesAboveThemHaveTheirHeights(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, manyRows()...)
	vera.announces("user", "The warehouse is closed on 28 December", "pinned", "1")
	for _, test := range []struct {
		name          string
		width, height int64
		compact       bool
		first, row    float64
		rows          float64
	}{
		{"a desk", 1440, 900, false, 190, 56, 12},
		{"a compact desk", 1440, 900, true, 190, 36, 19},
		{"a phone", 390, 844, false, 172, 72, 8},
	} {
		w.size(test.width, test.height)
		if test.width > 600 {
			w.mouse()
		}
		w.visit("/inbox").until(live).until(`!document.getElementById("pinned").hidden`)
		if test.compact {
			ask[string](w, `document.documentElement.dataset.density = "compact"`)
		}
		got := ask[[]float64](w, rowsOnScreen)
		w.shot("measures-" + fmt.Sprint(test.width, test.compact))
		if got[0] > test.first || got[1] != test.row || got[2] != test.row || got[3] < test.rows {
			t.Errorf("%s: the first row begins at %v, rows are %v to %v high, %v are on the screen; want at most %v, %v and at least %v",
				test.name, got[0], got[1], got[2], got[3], test.first, test.row, test.rows)
		}
	}
}

func TestWhatIsNewSurvivesReloadAndBackUntilItIsDismissed(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, notice{typ: "comment", title: "Seen before"})
	w.visit("/inbox").until(live).titles("Seen before").clickOn(".day button").until(`!document.querySelector("[data-fresh]")`)
	vera.sends("bob", notice{typ: "comment", subject: "1", title: "First"})
	vera.sends("bob", notice{typ: "like", subject: "2", title: "Second", link: "/settings"})
	const news = `[...document.querySelectorAll("[data-fresh] h3 [dir]")].map((e) => e.textContent).join()`
	for range 2 {
		w.visit("/inbox").until(live).has("[data-fresh] h2", "New · 2").until(news + ` === "Second,First"`)
	}
	w.clickOn(`[data-fresh] h3 a`).at("/settings")
	w.back()
	w.until(live).has("[data-fresh] h2", "New · 2")
	w.shot("inbox-new")
	w.visit("/inbox").until(live).clickOn("[data-fresh] .day button").titles("Second", "First", "Seen before").until(`!document.querySelector("[data-fresh]")`)
	w.visit("/inbox").until(live).titles("Second", "First", "Seen before").until(`!document.querySelector("[data-fresh]")`)
}

func TestTheUndoLineLiesAboveTheBarOfSelectedRows(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:5]...)
	for _, width := range []int64{1440, 390} {
		w.size(width, 844)
		if width > 600 {
			w.mouse()
		}
		w.visit("/inbox").until(live).types("j").onRow(usual[4].title).types("e").titles(usual[3].title, aisle, late, photo).has("#done p", "Archived.")
		w.types("x").until(picked + ` === 1`)
		w.until(`document.querySelector("#done").getBoundingClientRect().bottom <= document.querySelector("#bulk").getBoundingClientRect().top`)
		w.types(kb.Escape).types("z").titles(usual[4].title, usual[3].title, aisle, late, photo)
	}
}

func TestFortyQuickPressesArchiveForty(t *testing.T) {
	t.Parallel()
	notices := make([]notice, 45)
	for i := range notices {
		notices[i] = notice{typ: "comment", subject: strconv.Itoa(i), title: fmt.Sprintf("Notice %d", i)}
	}
	w, _ := desk(t, notices...)
	w.visit("/inbox").until(live)
	w.types("j")
	ask[bool](w, `new Promise((done) => {
		let left = 40;
		const timer = setInterval(() => {
			(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", { key: "e", bubbles: true }));
			if (--left === 0) { clearInterval(timer); done(true); }
		}, 60);
	})`)
	w.titles("Notice 4", "Notice 3", "Notice 2", "Notice 1", "Notice 0")
	w.visit("/inbox?filter=archived").until(`document.querySelectorAll("[data-testid=entry]").length === 30`)
}
