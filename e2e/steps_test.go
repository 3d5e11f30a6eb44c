package e2e

import (
	"fmt"

	"github.com/chromedp/chromedp"
)

// What people do on the pages, in steps that several tests take.

const submitSend = css(`#send button.primary:not([name])`)

func (w *window) fill(field, text string) {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("[name=%s]").value = ""`, field)),
		chromedp.SendKeys(css("[name="+field+"]"), text))
}

func (w *window) fillSend(to string, n notice) {
	w.t.Helper()
	w.fill("to", to)
	w.fill("type", n.typ)
	w.fill("title", n.title)
	w.fill("body", n.body)
}

// follow goes where a link leads, whether its script swaps a part or not.
func (w *window) follow(sel string) {
	w.t.Helper()
	w.visit(ask[string](w, fmt.Sprintf("(u => u.pathname + u.search)(new URL(document.querySelector(%q).href))", sel)))
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

func openKeys(w *window) {
	w.t.Helper()
	w.types("?").until(`document.querySelector("#help[open] kbd")`)
}

func deleteFirst(w *window) {
	w.t.Helper()
	w.do(chromedp.Focus(css(`main .row`)))
	w.types("d").until(`document.querySelector("#done.floating form")`)
}

// addOlder adds a page to the list.
func addOlder(w *window) {
	w.t.Helper()
	w.clickOn(`a[rel=next]`).until(`document.querySelectorAll("main .row").length === 60`)
}

// focusOn brings the focus to an element as a script would, to begin there.
func focusOn(sel string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(%q).focus({focusVisible: true})`, sel))
}
