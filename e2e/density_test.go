package e2e

import (
	"strings"
	"testing"
)

func TestCompactRowsShowOneLineOfText(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, notice{typ: "report", title: "A long one", body: strings.Repeat("It goes on and on. ", 40)})
	const height = `document.querySelector("[data-testid=entry]").getBoundingClientRect().height`
	w.visit("/inbox").until(live).titles("A long one")
	before := ask[float64](w, height)
	w.visit("/settings?tab=appearance").until(live2)
	w.clickOn(`input[name=density][value=compact]`)
	w.has(`.setting:has([name=density]) .saved`, "Saved").until(`document.documentElement.dataset.density === "compact"`)
	w.visit("/inbox?filter=all").until(live)
	if after := ask[float64](w, height); after > before-16 {
		t.Errorf("a row was %v px high and is %v", before, after)
	}
	w.shot("compact")
	w.size(1000, 900) // a wider screen has a pane beside the list
	w.clickOn(`.row .body`).until(`document.querySelector(".row .body").getBoundingClientRect().height > 100`)
}
