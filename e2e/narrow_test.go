package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// aims checks that an element can be pressed once it is scrolled into the window: that nothing lies over the middle of its first line, and
// that the page does not scroll sideways.
func (w *window) aims(sel string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(e => {
		if (!e?.checkVisibility() || document.documentElement.scrollWidth > innerWidth) return false;
		e.scrollIntoView({block: "center", behavior: "instant"});
		const [r] = e.getClientRects();
		return e.contains(document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2));
	})(document.querySelector(%q))`, sel))
}

// hits presses an element with the mouse.
func (w *window) hits(sel string) *window {
	w.t.Helper()
	return w.aims(sel).clickOn(sel)
}

// leads presses an element that leads to another page.
func (w *window) leads(sel string) *window {
	w.t.Helper()
	w.aims(sel).press(css(sel))
	return w
}

// TestTheWayThroughANarrowWindow goes from signing in to sending, in a window of 1280 by 1024 px at 400 % and in forced
// colours.
func TestTheWayThroughANarrowWindow(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "at-400 staff", "in-forced-colours staff")
	i := s.serve()
	for name, set := range map[string]func(w *window){
		"at-400":            func(w *window) { w.scaled(320, 256, 4, false) },
		"in-forced-colours": func(w *window) { w.size(1280, 900).media("", "forced-colors", "active") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := &instance{t: t, url: i.url}
			vera := mine.person(t, "vera")
			w := open(t, mine)
			set(w)
			w.goesThroughANarrowWindow(name, vera)
		})
	}
}

func (w *window) goesThroughANarrowWindow(reader string, vera *person) {
	w.t.Helper()
	for _, n := range usual[:4] {
		vera.sends(reader, n)
	}
	w.visit("/login?next=/inbox%3Ffilter%3Dunread")
	w.hits("[name=username]").types(reader).hits("[name=password]").types(password).leads("form.card button")
	w.until(live).titles(usual[3].title, usual[2].title, usual[1].title, usual[0].title)

	w.hits("#bell").until(`document.querySelector("#panel .row")`)
	w.aims("#panel .row h3 a, #panel .row h3 > [dir]").types(kb.Escape).until(`document.querySelector("#panel").hidden`)

	w.onNarrowRow(usual[3].title, "/inbox/archive").titles(usual[2].title, usual[1].title, usual[0].title).has("#badge", "3")
	w.hits("#done button").titles(usual[3].title, usual[2].title, usual[1].title, usual[0].title)
	w.settles().onNarrowRow(usual[2].title, "/inbox/read").has("#badge", "3")

	w.leads(`.tab[href$="/inbox"]`).until(live).until(`document.querySelector("#badge").hidden`)
	w.hits("#q").types(usual[1].title + kb.Enter)
	w.until(`location.search.includes("q=")`).titles(usual[1].title)

	w.hits(".menu > summary").leads(`.menu-items a[href$="/settings"]`).until(live2)
	w.leads(`.tabs a[href$="tab=appearance"]`).until(live2)
	w.hits("#keys").has(`.setting:has(#keys) .saved`, "Saved")

	w.leads(`.nav a[href$="/staff/send"]`).until(live2)
	w.hits(".tokens input").types("vera,").hits("[name=title]").types("Sent from a narrow window")
	w.hits(string(submitSend))
	w.until(`location.pathname.includes("/staff/notices/")`).has("h1", "Sent from a narrow window")
	w.do(chromedp.WaitReady(css("[data-testid=state]")))
	w.shot("narrow")
}

// onNarrowRow presses an action of a row, in its menu if the window is too narrow for buttons.
func (w *window) onNarrowRow(title, action string) *window {
	w.t.Helper()
	row := "#" + ask[string](w, fmt.Sprintf(`[...document.querySelectorAll("main .row")].find(row => row.querySelector("h3 > [dir]").textContent === %q).id`, title))
	if value[bool](w, fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, row+" > .dots")) {
		w.hits(row + " > .dots")
	} else {
		w.aims(row + " h3").hovers(row)
	}
	return w.hits(fmt.Sprintf(`%s form[action$=%q] button`, row, action))
}
