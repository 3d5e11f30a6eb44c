package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestStaffPagesAreReachedOnAPhoneWithoutJavaScript(t *testing.T) {
	t.Parallel()
	w, _ := officeDesk(t)
	w.withoutScript()
	w.size(390, 800).visit("/staff/notices").until(`!document.querySelector(".side-list").checkVisibility()`)
	w.clickOn(".side-open").until(`document.querySelector(".side-list").checkVisibility()`)
	w.press(`.side-list a[href$="/staff/keys"]`)
	w.has("h1", "API keys").has(`.side-list [aria-current=page]`, "API keys")
}

func TestStaffPagesAreReachedByKeyboard(t *testing.T) {
	t.Parallel()
	w, _ := officeDesk(t)
	w.size(700, 900).visit("/staff/notices").tabsTo("Staff pages").types(kb.Enter)
	w.until(`document.querySelector(".side-list").checkVisibility()`).types(kb.Escape)
	w.until(`!document.querySelector(".side-list").checkVisibility()`).focusIsOn("Staff pages")
	w.types(kb.Enter).tabsTo("Rules").types(kb.Enter).at("/staff/rules")
	w.size(1280, 900).visit("/staff/rules").until(`!document.querySelector(".side-open").checkVisibility()`).tabsTo("People").types(kb.Enter).at("/staff/users")
}
