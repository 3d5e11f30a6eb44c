package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/carillonhq/carillon/views/locale"
)

func TestEverythingWorksByKeyboardInEachLanguage(t *testing.T) {
	t.Parallel()
	inEach(t, typed, func(w *window, user string, text *locale.Printer, vera *person) {
		w.signsInByKeyboard(user, text)
		w.opensThePanelByKeyboard(text)
		w.goesThroughTheInboxByKeys(text)
		w.actsByTab(text)
		w.switchesKeysOff(user, text, vera)
	})
}

func (w *window) signsInByKeyboard(user string, text *locale.Printer) {
	w.t.Helper()
	w.visit("/login?next=/inbox%3Ffilter%3Dunread")
	w.tabs().until(`document.activeElement.matches(".skip") && document.activeElement.getBoundingClientRect().top >= 0`)
	w.types(kb.Enter).until(`location.hash === "#main"`)
	w.tabs().types(user).tabs().types(password).tabs().types(kb.Enter)
	w.at("/inbox?filter=unread")
	w.until(`document.readyState === "complete"`).until(live)
	w.until(`document.documentElement.lang === "` + text.Lang() + `"`)
	if role, name := w.named(`document.querySelector("#bell")`); role != "button" || name != text.N("js.bell", 4) {
		w.t.Errorf("the bell is announced as %s %q", role, name)
	}
	for _, want := range []string{
		text.T("app.skip"), text.T("app.name"), text.T("nav.inbox"), text.T("nav.announcements"), text.T("nav.staff"), text.N("js.bell", 4),
		text.F("nav.account", "Name", user), text.T("inbox.filter_all"), text.T("inbox.filter_unread") + " 4", text.T("inbox.filter_archived"),
		text.T("inbox.search"), text.T("inbox.menu"),
	} {
		w.tabs().focusIsOn(want)
	}
	w.tabsTo(usual[3].title).tabs().focusIsOn(text.F("inbox.read_named", "Title", usual[3].title))
}

func (w *window) opensThePanelByKeyboard(text *locale.Printer) {
	w.t.Helper()
	w.visit("/inbox?filter=unread").until(live)
	w.tabsTo(text.N("js.bell", 4))
	for _, key := range []string{kb.Enter, " "} {
		w.types(key).until(`document.querySelector("#bell[aria-expanded=true]") && document.querySelector("#panel .row")`)
		w.tabs().focusIsOn(text.T("nav.settings")).tabs().focusIsOn(text.T("inbox.filter_all")).tabsTo(usual[3].title)
		w.types(kb.Escape).until(`document.querySelector("#panel").hidden && document.querySelector("#bell[aria-expanded=false]")`)
		w.focusIsOn(text.N("js.bell", 4))
	}
	w.tabsTo(text.F("nav.account", "Name", ask[string](w, `document.body.dataset.user`)))
	w.types(kb.Enter).until(`document.querySelector(".menu").open`)
	w.tabs().focusIsOn(text.T("nav.settings"))
	w.types(kb.Escape).until(`!document.querySelector(".menu").open && document.activeElement.matches("summary")`)
}

func (w *window) goesThroughTheInboxByKeys(text *locale.Printer) {
	w.t.Helper()
	w.stays().tabsTo(text.T("inbox.filter_all")).types(kb.Enter).at("/inbox")
	w.until(`document.querySelector("#badge").hidden && document.querySelectorAll("main .mark").length === 4`).focusIsOn(text.T("inbox.filter_all"))
	w.types("j").onRow(usual[3].title).types("j").onRow(usual[2].title).types("k").onRow(usual[3].title)
	w.types("u").has("#badge", "1").onRow(usual[3].title).types("u").until(`document.querySelector("#badge").hidden`)
	w.types("u").types("u").types("d").titles(usual[2].title, usual[1].title, usual[0].title).onRow(usual[2].title)
	w.types("z").titles(usual[3].title, usual[2].title, usual[1].title, usual[0].title).onRow(usual[3].title)
	w.types("?").until(`document.querySelector("#help[open] kbd")`)
	if role, name := w.named(`document.querySelector("#help")`); role != "dialog" || name != text.T("keys.title") {
		w.t.Errorf("the list of keys is announced as %s %q", role, name)
	}
	w.types("d").types(kb.Escape).until(`!document.querySelector("#help").open`)
	w.titles(usual[3].title, usual[2].title, usual[1].title, usual[0].title).onRow(usual[3].title)
	w.same()
	w.types("o").at("/settings")
	w.until(live2).types("g").types("i").at("/inbox")
	w.until(`document.readyState === "complete"`).until(live)
}

// live2 is live for pages without rows.
const live2 = `document.readyState === "complete" && document.querySelector("#bell[aria-expanded]")`

func (w *window) actsByTab(text *locale.Printer) {
	w.t.Helper()
	left := []string{usual[3].title, usual[2].title, usual[1].title, usual[0].title}
	w.types("j").onRow(left[0])
	for len(left) > 0 {
		w.tabsTo(text.F("inbox.delete_named", "Title", left[0])).types(kb.Enter)
		left = left[1:]
		w.titles(left...)
		if len(left) > 0 {
			w.onRow(left[0])
		}
	}
	w.until(`document.activeElement.matches("h1")`)
	w.has("#list .empty h2", text.T("inbox.empty_heading"))
	w.tabs(true).tabs(true).focusIsOn(text.T("done.undo")).types(kb.Enter).titles(usual[0].title).onRow(usual[0].title)
}

func (w *window) switchesKeysOff(user string, text *locale.Printer, vera *person) {
	w.t.Helper()
	w.visit("/settings").until(live2)
	w.tabsTo(text.T("settings.tab_appearance")).types(kb.Enter).at("/settings?tab=appearance")
	w.until(live2)
	w.tabsTo(text.T("settings.keys")).sees().types(" ").has(`.setting:has(#keys) .saved`, text.T("settings.saved"))
	w.until(`document.activeElement.matches("#keys[role=switch]:not(:checked)")`)
	vera.sends(user, usual[4])
	w.visit("/inbox").until(live)
	w.titles(usual[4].title, usual[0].title)
	for _, key := range []string{"j", "?", "d", "u"} {
		w.types(key)
	}
	w.titles(usual[4].title, usual[0].title).until(`document.activeElement === document.body && !document.querySelector("dialog[open]") && document.querySelector("#show-keys") === null`)
}
