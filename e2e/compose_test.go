package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// From the first letter to the button that says when: a group is found where names are typed, the time is chosen in the
// menu, and an announcement names what its readers will not get.
func TestOneFormFindsGroupsSendsLaterAndNamesWhatWillNotWork(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("alice staff", "bob picker", "carol picker")
	w := sender(t, s.serve())

	w.do(chromedp.SendKeys(css("#to-entry"), "pick"))
	w.shows(`#to-names [role=option] span`, "picker")
	w.do(chromedp.KeyEvent(kb.Enter))
	w.until(`document.querySelector("[name=target][value=role]").checked && document.activeElement.id === "to-entry" && document.querySelector("[name=to_role][value=picker]").checked && document.querySelector("#to").value === ""`)
	w.has("#send-label", "Send to 2 people")

	w.fill("title", "The shelf is empty")
	w.clickOn("#later-menu summary").answered(`[name=later][value=tomorrow]`)
	nine := time.Now().AddDate(0, 0, 1).Format("2006-01-02") + "T09:00"
	w.until(`document.activeElement.id === "send_at" && document.activeElement.value === "` + nine + `"`)
	scheduled := "Schedule for " + time.Now().AddDate(0, 0, 1).Format("2 Jan") + ", 09:00"
	w.has("#send-label", scheduled)

	w.chooses("audience")
	w.until(`document.querySelector("#starts_at").value === "` + nine + `" && document.querySelector("#send_at").value === "" && !document.querySelector("#send_at").checkVisibility()`)
	w.fill("body", "plan")
	w.until(`(document.querySelector("#body").select(), true)`).clickOn("[data-markup=link]")
	w.until(`document.querySelector("#body").value === "[plan](/)"`)
	w.do(chromedp.KeyEvent("https://example.com/")) // onto the address, which is chosen
	w.has("#body-lost li", "1 link will not work (not allowed: example.com).")
	w.has("#send-label", scheduled)
	w.clickOn(".kinds .notification")
	w.until(`document.querySelector("#send_at").value === "` + nine + `" && document.querySelector("#body-lost").children.length === 0`)
}
