package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// desk starts a single-machine site. It returns a window of bob, whose inbox has the given notices,
// and vera, who sends.
func desk(t *testing.T, notices ...notice) (*window, *person) {
	t.Helper()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	vera := i.person(t, "vera")
	for _, n := range notices {
		vera.sends("bob", n)
	}
	w := open(t, i).size(1280, 900)
	return w.as(i.person(t, "bob")), vera
}

// stays marks the document. A later call of same fails the test if the document was replaced.
func (w *window) stays() *window {
	w.t.Helper()
	ask[bool](w, `window.mine = true`)
	return w
}

func (w *window) same() {
	w.t.Helper()
	if !ask[bool](w, `window.mine === true`) {
		w.fail("another page was loaded")
	}
}

// path returns the path of the server's public URL; empty: it uses the whole host.
func (w *window) path() string {
	w.t.Helper()
	u, err := url.Parse(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	return u.Path
}

// at waits until the window is at a path.
func (w *window) at(path string) {
	w.t.Helper()
	w.until(fmt.Sprintf(`location.pathname + location.search === %q`, w.path()+path))
}

// has waits until an element has this text.
func (w *window) has(sel, text string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`%s === %q`, textOf(sel), text))
}

// titles waits until the rows have these titles, from the top.
func (w *window) titles(want ...string) *window {
	w.t.Helper()
	list := "[]"
	if len(want) > 0 {
		list = `["` + strings.Join(want, `", "`) + `"]`
	}
	return w.until(`JSON.stringify([...document.querySelectorAll("main .row:not([hidden]) h3 > [dir]")].map(h => h.textContent)) === JSON.stringify(` + list + `)`)
}

// click presses the button or link with this accessible name.
func (w *window) click(name string) *window {
	w.t.Helper()
	w.do(chromedp.Click(css(fmt.Sprintf(`[aria-label=%q]`, name))))
	return w
}

// settles waits until the page accepts clicks again. When a row disappears and another moves under the pointer,
// clicks are ignored for a moment, because they were meant for the first row.
func (w *window) settles() *window {
	w.t.Helper()
	return w.passes(400 * time.Millisecond)
}

// clickOn clicks the first element of a selector.
func (w *window) clickOn(sel string) *window {
	w.t.Helper()
	w.do(chromedp.Click(css(sel)))
	return w
}

// noTwoAlike checks that no id and no heading of a day occurs twice.
func (w *window) noTwoAlike() {
	w.t.Helper()
	twice := ask[[]string](w, `(() => {
		const all = [...document.querySelectorAll("[id]")].map(e => "#" + e.id).concat([...document.querySelectorAll(".day")].map(e => e.textContent));
		return all.filter((x, i) => all.indexOf(x) !== i);
	})()`)
	if len(twice) > 0 {
		w.t.Errorf("twice in the page: %q", twice)
	}
}

// back goes one step back in the history, which may or may not load a page.
func (w *window) back() {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
}
