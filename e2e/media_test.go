package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

func TestNothingIsLostAt200PercentZoom(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, append(usualNotices(4), hard()...)...)
	post := "/announcements/" + vera.announces("user", "The counter in hall 3 closes at four", "body", richText, "link", "/orders")
	vera.announces("user", usual[1].title, "body", usual[1].body, "pinned", "1")
	look, err := os.ReadFile("testdata/look.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/inbox", "/announcements", post, "/settings", "/staff/send", "/staff/notices", "/staff/users"} {
		if path == "/staff/send" {
			w.as(vera)
		}
		for _, width := range []int64{1280, 768} {
			w.scaled(width, 900, 1, false)
			w.visit(path).until(`!document.getElementById("send") || document.querySelector(".one-to .tokens")`) // its script has made one field of several
			wide := shownTexts(w)
			w.scaled(width/2, 450, 2, false) // the same window at 200 %
			w.do(chromedp.Evaluate[chromedp.Void](string(look)))
			if faults := ask[[]string](w, `look(false)`); len(faults) > 0 {
				t.Errorf("%s at %d px: %q", path, width, faults)
			}
			if lost := missing(wide, shownTexts(w)); len(lost) > 0 {
				t.Errorf("%s at %d px: no longer visible: %q", path, width, lost)
			}
		}
		w.shot("zoom" + strings.ReplaceAll(path, "/", "-"))
	}
}

// shownTexts returns all texts that are visible or read aloud, and the names of all visible
// controls.
func shownTexts(w *window) []string {
	w.t.Helper()
	return ask[[]string](w, `(() => {
		const all = [];
		// Content opened by a visible button is not lost. A phone shows the name of the page in the place of the product.
		const shown = el => el.checkVisibility({visibilityProperty: true}) ||
			document.querySelector('[popovertarget="' + el.closest("[popover]")?.id + '"]')?.checkVisibility();
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walk.nextNode()) {
			const el = walk.currentNode.parentElement;
			const text = walk.currentNode.data.trim();
			if (text && shown(el) && !el.closest("template, .exact, .menu-name, .brand")) all.push(text);
		}
		for (const el of document.querySelectorAll("a[href], button, input, select, textarea, summary"))
			if (shown(el)) all.push(el.localName + " " + (el.getAttribute("aria-label") ?? el.name ?? el.textContent));
		return all;
	})()`)
}

// missing returns the elements of all that are not in some.
func missing(all, some []string) []string {
	has := map[string]bool{}
	for _, s := range some {
		has[s] = true
	}
	var lost []string
	for _, s := range all {
		if !has[s] {
			lost = append(lost, s)
		}
	}
	return lost
}

func TestForcedColoursShowBadgeMarksAndFocus(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, usual[:3]...)
	w.media("", "forced-colors", "active")
	w.visit("/inbox?filter=unread")
	w.highlighted(".dot")
	w.framed("#badge")
	w.types("j").until(`(s => s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2)(getComputedStyle(document.activeElement))`)
	w.until(`getComputedStyle(document.querySelector(".tab[aria-current=page]")).outlineStyle !== "none"`)
	w.shot("forced-colours")
	w.visit("/inbox")
	w.until(`document.querySelector("[data-fresh] h2").checkVisibility()`)
	w.shot("forced-colours-new")
	w.as(vera).visit("/staff/notices/1")
	w.until(`(e => e && e.getBoundingClientRect().height >= 4)(document.querySelector("progress"))`)
	w.shot("forced-colours-notice")
}

// highlighted checks that an element has the system's highlight colour. Without it the system would use the colours
// of the page.
func (w *window) highlighted(sel string) {
	w.t.Helper()
	w.until(fmt.Sprintf(`(() => {
		const own = getComputedStyle(document.querySelector(%q)), probe = document.body.appendChild(document.createElement("i"));
		probe.style.backgroundColor = "Highlight";
		const want = getComputedStyle(probe).backgroundColor;
		probe.remove();
		return own.forcedColorAdjust === "none" && own.backgroundColor === want;
	})()`, sel))
}

// framed checks that a text has a border and the colours of the system, which paints its own
// background behind the text.
func (w *window) framed(sel string) {
	w.t.Helper()
	w.until(fmt.Sprintf(`(s => s.borderTopStyle === "solid" && parseFloat(s.borderTopWidth) >= 1 && s.forcedColorAdjust === "auto" && s.color !== s.backgroundColor)
		(getComputedStyle(document.querySelector(%q)))`, sel))
}

func TestReducedMotionStopsAllMotion(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	const moving = `[...document.querySelectorAll("*")].flatMap(e => [null, "::before", "::after"].map(p => [e, getComputedStyle(e, p)]))
		.filter(([, s]) => [...s.transitionDuration.split(","), ...s.animationDuration.split(",")].some(d => parseFloat(d) > 0))
		.map(([e]) => e.localName + "." + e.className)`
	w.media("", "prefers-reduced-motion", "reduce")
	w.visit("/inbox")
	openPanel(w)
	if found := ask[[]string](w, moving); len(found) > 0 {
		t.Errorf("still animated: %q", found)
	}
	w.media("", "prefers-reduced-motion", "no-preference")
	if len(ask[[]string](w, moving)) == 0 {
		t.Error("nothing moves without the preference either: this test proves nothing")
	}
	slow := ask[[]string](w, `[...document.querySelectorAll("*")].filter(e => getComputedStyle(e).transitionDuration.split(",").some(d => parseFloat(d) >= 0.15)).map(e => e.className)`)
	if len(slow) > 0 {
		t.Errorf("transitions of 150 ms or more: %q", slow)
	}
}

func TestRowsCloseTheGapAndTheBadgePulses(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, usual[:3]...)
	const record = `(window.moves = [], Element.prototype.animate = function (frames, ms) {
		moves.push((this.closest("section") ? "row" : this.id) + " " + Object.keys(frames) + " " + ms);
	}, true)`
	w.media("", "prefers-reduced-motion", "no-preference").visit("/inbox").stays().until(live).until(record)
	w.types("j").onRow(aisle).types("e").titles(late, photo)
	w.until(`String(moves) === "row translate 120,row translate 120"`)
	vera.sends("bob", usual[3])
	w.until(`moves.includes("badge scale 120")`)

	w.media("", "prefers-reduced-motion", "reduce").visit("/inbox").stays().until(live).until(record)
	w.types("j").types("e").has("#done p", "Archived.")
	if moved := ask[[]string](w, "moves"); len(moved) > 0 {
		t.Errorf("against the reader's wish: %q", moved)
	}
}

func TestPrintShowsTheListWithoutControls(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usual[:3]...)
	w.visit("/inbox")
	openPanel(w)
	w.types("?").until(`document.querySelector("#help[open]")`)
	w.media("print")
	seen := ask[[]string](w, `[...document.querySelectorAll("header, nav, button, .button, .top, dialog, #panel, .skip")].filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 80))`)
	if len(seen) > 0 {
		t.Errorf("the print has %q", seen)
	}
	w.until(`document.querySelectorAll("main .row").length === 3 && [...document.querySelectorAll("main .row, main .row .body, main .row .exact, main h1, .day")].every(e => e.checkVisibility({opacityProperty: true}))`)
	w.shot("print")
}
