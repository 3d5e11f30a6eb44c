package e2e

import (
	"fmt"
	"testing"

	"github.com/carillonhq/carillon/views/locale"
)

func TestEverythingWorksWithoutJavaScriptInEachLanguage(t *testing.T) {
	t.Parallel()
	inEach(t, plain, func(w *window, user string, text *locale.Printer, vera *person) {
		w.withoutScript()
		w.visit("/login?next=/inbox%3Ffilter%3Dunread")
		w.fill("username", user)
		w.fill("password", password)
		w.press(`form.card button`)
		w.until(`document.documentElement.lang === "` + text.Lang() + `"`)
		w.has("#badge", "4").has("h1", text.T("inbox.title"))

		w.readsWithoutScript(text)
		w.pagesWithoutScript(user, text, vera)
		w.choosesWithoutScript(text)
		w.sendsWithoutScript(text)

		w.pressIn(".menu-items", `form[action$="/logout"] button`)
		w.at("/login?done=signed-out")
	})
}

// pressIn opens the user menu and clicks an element in it.
func (w *window) pressIn(around, sel string) {
	w.t.Helper()
	w.clickOn(`.menu summary`).until(fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, around))
	w.press(css(around + " " + sel))
}

// pressNamed clicks the control with this accessible name and waits for the next page.
func (w *window) pressNamed(name string) *window {
	w.t.Helper()
	w.press(css(fmt.Sprintf(`[aria-label=%q]`, name)))
	return w
}

func (w *window) readsWithoutScript(text *locale.Printer) {
	w.t.Helper()
	newest, second := usual[3].title, usual[2].title
	w.pressNamed(text.F("inbox.read_named", "Title", newest)).has("#badge", "3").has("#done p", text.T("done.read"))
	w.titles(second, usual[1].title, usual[0].title)
	w.pressNamed(text.F("inbox.delete_named", "Title", second)).has("#badge", "2").has("#done p", text.T("done.deleted"))
	w.press(`#done button`)
	w.has("#badge", "3").titles(second, usual[1].title, usual[0].title).has("#done p", text.T("done.restored"))

	w.clickOn(`.tools > summary`).press(`#mark-all button`)
	w.has("#list .empty h2", text.T("inbox.empty_unread_heading")).has("#done p", text.T("done.all_read"))
	w.press(`#done button`)
	w.has("#badge", "3").titles(second, usual[1].title, usual[0].title)

	w.press(`.tab[href$="/inbox"]`)
	w.titles(second, usual[1].title, usual[0].title, newest).until(`document.querySelector("#badge").hidden`)
	w.until(`document.querySelectorAll("main .mark").length === 3`)
	w.pressNamed(text.F("inbox.unread_named", "Title", newest)).has("#badge", "1").has("#done p", text.T("done.unread"))
}

func (w *window) pagesWithoutScript(user string, text *locale.Printer, vera *person) {
	w.t.Helper()
	for _, n := range usualNotices(32) {
		vera.sends(user, n)
	}
	w.visit("/inbox").until(`document.querySelectorAll("main .row").length === 30`)
	w.press(`a[rel=next]`)
	w.until(`document.querySelectorAll("main .row").length === 6 && document.querySelectorAll("main .mark").length > 0`)
	w.has(`.pager a`, text.T("inbox.newest"))
	w.press(`.pager a`)
	w.until(`document.querySelectorAll("main .row").length === 30`)
}

func (w *window) choosesWithoutScript(text *locale.Printer) {
	w.t.Helper()
	w.pressIn(".menu-items", `a[href$="/settings"]`)
	w.press(`.tabs a[href$="/settings?tab=appearance"]`)
	w.clickOn(`label:has([name=theme][value=dark])`)
	w.press(`form.card .primary`)
	w.has("#done p", text.T("done.saved")).until(`document.documentElement.dataset.theme === "dark"`)
	w.until(`getComputedStyle(document.documentElement).colorScheme === "dark"`)

	other := map[string]string{"en": "ja", "ja": "zh-Hans", "zh-Hans": "zh-Hant", "zh-Hant": "en"}[text.Lang()]
	before := ask[string](w, `document.querySelector("[name=locale]").value`)
	for _, lang := range []string{other, before} {
		ask[bool](w, fmt.Sprintf(`(document.querySelector("[name=locale]").value = %q, true)`, lang))
		w.press(`form.card .primary`)
		if lang != "" {
			w.until(`document.documentElement.lang === "` + lang + `"`)
		}
	}
	w.until(`document.documentElement.lang === "` + text.Lang() + `"`)
}

func (w *window) sendsWithoutScript(text *locale.Printer) {
	w.t.Helper()
	w.press(`.nav a[href$="/staff/send"]`)
	w.press(submitSend)
	w.until(`document.querySelectorAll("[data-testid=faults] li a").length === 2`).has("#title-fault", text.T("error.required"))
	w.chooses("role").ticksIn("to_role", "crowd").fillText(usual[1])
	w.press(`#send button[name=preview]`)
	w.has("[data-testid=recipients]", text.N("send.recipients", crowd)).until(`document.querySelector("[data-testid=preview] .row")`)
	w.press(submitSend)
	w.has("[data-testid=confirm] h2", text.T("send.confirm_heading"))
	w.press(`[data-testid=confirm] button`)
	w.until(`location.pathname.includes("/staff/notices/")`).has("h1", usual[1].title)

	w.press(`.side a[href$="/staff/users"]`)
	w.fill("q", "picker1203")
	w.press(`.search > .button`)
	w.until(`document.querySelectorAll("[data-testid=user]").length === 1`)
}
