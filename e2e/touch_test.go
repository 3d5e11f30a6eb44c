package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// finger puts a finger on an element, moves it and lifts it.
func (w *window) finger(sel string, dx float64, held string) *window {
	w.t.Helper()
	at := ask[[]float64](w, `(() => { const r = document.querySelector(`+"`"+sel+"`"+`).getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()`)
	touch := func(kind input.DispatchTouchEventType, x float64) {
		p := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{{X: x, Y: at[1]}}}
		if kind == input.DispatchTouchEventTypeTouchEnd {
			p.TouchPoints = []*input.TouchPoint{}
		}
		if _, err := chromedp.Call(w.ctx, input.DispatchTouchEvent, p); err != nil {
			w.t.Fatalf("%s: %v", kind, err)
		}
	}
	touch(input.DispatchTouchEventTypeTouchStart, at[0])
	for step := range 8 {
		if dx != 0 {
			touch(input.DispatchTouchEventTypeTouchMove, at[0]+dx*float64(step+1)/8)
		}
	}
	if held != "" {
		w.until(held)
	}
	touch(input.DispatchTouchEventTypeTouchEnd, at[0]+dx)
	return w
}

func TestFingersArchiveMarkAndSelect(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:5]...)
	first := func(n string) string { return "main [data-testid=entry]:nth-child(" + n + ") article" }
	w.size(390, 844).visit("/inbox").until(live).titles(usual[4].title, usual[3].title, aisle, late, photo)
	w.finger(first("2"), 100, `document.querySelector("[data-swipe=\"right far\"]")`).has("#badge", "1")
	w.titles(usual[4].title, usual[3].title, aisle, late, photo)
	w.finger(first("1"), -40, `document.querySelector("[data-swipe=left]")`).until(`!document.querySelector("[data-swipe]")`)
	w.finger(first("1"), -100, `document.querySelector("[data-swipe=\"left far\"]")`).titles(usual[3].title, aisle, late, photo).has("#done p", "Archived.")
	w.clickOn("#done form button").titles(usual[4].title, usual[3].title, aisle, late, photo)

	w.finger(first("3"), 0, `document.querySelector("#inbox[data-selecting]")`).until(picked + ` === 1`).at("/inbox")
	w.finger(first("4"), 0, "").until(picked + ` === 2`)
	w.shot("phone-selecting")
	w.clickOn(`#bulk [formaction$="/inbox/archive"]`).titles(usual[4].title, usual[3].title, photo).has("#done p", "2 archived.")
	w.clickOn(".tools > summary").clickOn("#select-rows").until(`document.querySelector("#bulk").checkVisibility()`)
	w.clickOn("#bulk [type=reset]").until(`!document.querySelector("#bulk").checkVisibility()`)
}
