package e2e

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The steps of users that several tests share.

const submitSend = css(`#send button.primary:not([name])`)

func (w *window) fill(field, text string) {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(e => { e.value = ""; if (e.closest("details")) e.closest("details").open = true })(document.querySelector("[name=%s]"))`, field)),
		chromedp.SendKeys(css("[name="+field+"]"), text))
}

// picks selects a value from a list.
func (w *window) picks(list, value string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(e => {
		e.value = %[2]q;
		e.dispatchEvent(new Event("input", {bubbles: true}));
		e.dispatchEvent(new Event("change", {bubbles: true}));
		return e.value === %[2]q && e.checkVisibility();
	})(document.querySelector("select[name=%[1]s]"))`, list, value))
}

// adds types the beginning of each recipient into the field To and takes the first that is suggested. A user's whole name
// has no suggestion.
func (w *window) adds(recipients ...string) *window {
	w.t.Helper()
	for _, typed := range recipients {
		w.do(chromedp.WaitVisible(css("#to-entry")))
		tokens := ask[int](w, `document.querySelectorAll(".token").length`)
		w.do(chromedp.SendKeys(css("#to-entry"), typed))
		w.until(`document.querySelector("#to-names [aria-selected=true]")`)
		w.do(chromedp.KeyEvent(kb.Enter))
		w.until(fmt.Sprintf(`document.querySelectorAll(".token").length === %d && document.querySelector("#to-entry").value === ""`, tokens+1))
	}
	return w
}

// emptiesTo removes all recipients.
func (w *window) emptiesTo() *window {
	w.t.Helper()
	return w.until(`(all => { for (const one of all) one.click(); return document.querySelectorAll(".token").length === 0; })([...document.querySelectorAll(".token button")])`)
}

// ticks ticks the boxes of these audiences and unticks all others.
func (w *window) ticks(audiences ...string) *window {
	w.t.Helper()
	return w.ticksIn("to_audience", audiences...)
}

// ticksIn ticks these boxes of a field and unticks all others.
func (w *window) ticksIn(field string, values ...string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`(all => {
		for (const box of all) if (box.checked !== %q.split(" ").includes(box.value)) box.click();
		return all.length > 0 && all[0].checkVisibility();
	})([...document.querySelectorAll("[name=%s][type=checkbox]")])`, strings.Join(values, " "), field))
}

// more shows the optional fields of the send form.
func (w *window) more() *window {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("more").open = true`))
	return w
}

func (w *window) fillSend(to string, n notice) {
	w.t.Helper()
	w.fill("to", to)
	w.fillText(n)
}

func (w *window) fillText(n notice) {
	w.t.Helper()
	w.fill("type", n.typ)
	w.fill("title", n.title)
	w.fill("body", n.body)
}

// answered presses a button of a form that a script submits, and waits until the response has
// replaced the page.
func (w *window) answered(sel css) {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("#main > *").dataset.before = "1"`), chromedp.Click(sel))
	w.until(`document.querySelector("#main > *") && !document.querySelector("#main > [data-before]")`)
}

// follow opens the address of a link as a full page, even if a script would replace only a part.
func (w *window) follow(sel string) {
	w.t.Helper()
	w.do(chromedp.Navigate(ask[string](w, fmt.Sprintf("document.querySelector(%q).href", sel))))
}

func signInWrong(w *window) {
	w.fill("username", "vera")
	w.fill("password", "wrong")
	w.press(`form.card button`)
}

func openPanel(w *window) {
	w.t.Helper()
	w.do(chromedp.Click(css(`#bell`)), chromedp.WaitVisible(css(`#panel .bottom-line`)))
}

func openPanelUnread(w *window) {
	w.t.Helper()
	openPanel(w)
	w.clickOn("#panel-unread").until(`document.querySelector("#panel-unread[aria-current]") && document.activeElement.id === "panel-unread"`)
}

func openKeys(w *window) {
	w.t.Helper()
	w.types("?").until(`document.querySelector("#help[open] kbd")`)
}

func deleteFirst(w *window) {
	w.t.Helper()
	w.do(chromedp.Focus(css(`main .row`)))
	w.types("d").until(`document.querySelector("#done.floating form")`)
}

// addOlder adds the next page of older entries to the list.
func addOlder(w *window) {
	w.t.Helper()
	w.clickOn(`a[rel=next]`).until(`document.querySelectorAll("main .row").length === 60`)
}

// focusOn focuses an element by script, as a starting point for the keyboard.
func focusOn(sel string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).focus({focusVisible: true})`, sel))
}
