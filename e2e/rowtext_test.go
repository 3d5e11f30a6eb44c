package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// drags moves the mouse over an element, from its left edge to the right, with the button down.
// With px = 0 it is a click.
func (w *window) drags(sel string, px float64) *window {
	w.t.Helper()
	at := ask[[]float64](w, fmt.Sprintf(`(r => [r.left + 4, r.top + 9])(document.querySelector(%q).getBoundingClientRect())`, sel))
	mouse := func(kind input.DispatchMouseEventType, x float64) {
		_, err := chromedp.Call(w.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: kind, X: x, Y: at[1], Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1,
		})
		if err != nil {
			w.fail("move the mouse: %v", err)
		}
	}
	mouse(input.DispatchMouseEventTypeMouseMoved, at[0]) // as every mouse does before a press
	w.until(`document.documentElement.classList.contains("selectable")`)
	mouse(input.DispatchMouseEventTypeMousePressed, at[0])
	for x := px / 4; px > 0 && x <= px; x += px / 4 {
		mouse(input.DispatchMouseEventTypeMouseMoved, at[0]+x)
	}
	mouse(input.DispatchMouseEventTypeMouseReleased, at[0]+px)
	return w
}

// The whole row is a link, whose text can still be selected, in the inbox and in the panel.
func TestTextOfALinkedRowIsSelectedAndAClickOnItFollowsTheLink(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[1])
	const selected = `getSelection().toString()`
	for _, part := range []string{".body", "h3 a"} {
		w.visit("/inbox?filter=all").until(live).stays()
		w.drags("main .row "+part, 120).until(selected + `.length > 5`)
		w.until(`document.querySelector("main .row h3 a").href.includes("/n/")`).same()
		w.drags("main .row "+part, 0).at("/settings") // even where text is selected
	}
	w.visit("/announcements").until(live).clickOn("#bell").until(`document.querySelector("#panel .row")`).stays()
	w.drags("#panel .row .body", 120).until(selected + `.length > 5`).same()
	w.drags("#panel .row .avatar", 0).at("/settings")
}
