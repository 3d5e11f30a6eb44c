package e2e

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestThePicturesThatMove takes the moving picture of the README: staff send a notice, the bell in a page of the shop rises,
// and falls when the panel opens.
func TestThePicturesThatMove(t *testing.T) {
	t.Parallel()
	if err := os.MkdirAll(*pictures, 0o750); err != nil {
		t.Fatal(err)
	}
	i := alone(t).serve("--demo", "--addr", "127.0.0.1:0")
	erin, alice := i.demo(t, "erin"), i.demo(t, "alice")
	erin.get("/inbox")
	erin.post("/announcements/read-all")
	alice.post("/announcements/read-all")

	staff := portraitist(t, i).as(alice)
	shop := staff.tab()
	r := newReel(t, staff, shop)
	shop.do(chromedp.Navigate(i.url + "/embed/demo"))
	shop.script(`document.querySelector("#user").value = "erin"`)
	shop.press(`.who button`)
	badge := func(shown string) string {
		return inBell(`(root?.querySelector(".badge")?.hidden ? "" : root?.querySelector(".badge")?.textContent) === "` + shown + `"`)
	}
	shop.until(`document.querySelector("#user").value === "erin" && ` + inBell(`bell.client?.getSnapshot().user`)).until(badge(""))
	staff.visit("/staff/send").until(live2)
	staff.script(`document.querySelector("h1").scrollIntoView(); scrollBy(0, -16)`)
	shop.script(`document.querySelector("#orders code").textContent = "http://127.0.0.1:8080"`)
	r.takes(80)

	types := func(field string, parts ...string) {
		staff.do(chromedp.Focus(css("[name=" + field + "]")))
		for _, part := range parts {
			staff.do(chromedp.SendKeys(css("[name="+field+"]"), part))
			r.takes(14)
		}
	}
	types("to", "erin ")
	types("title", "Order 5120", " has", " arrived")
	types("body", "Pick it up", " at the harbour", " until Friday.")
	const send = `document.querySelector("#send button.primary:not([name])")`
	staff.more().script(send + `.scrollIntoView({block: "end"})`)
	r.points("left", `document.querySelector("[name=toast]")`).takes(50)
	staff.clickOn(`[name=toast]`).until(`document.querySelector("[data-testid=preview-toast]")?.checkVisibility()`)
	staff.script(send + `.scrollIntoView({block: "end"})`)
	r.points("left", send).takes(80)
	staff.clickOn(string(submitSend)).until(`location.pathname.startsWith("/staff/notices/")`)
	shop.until(badge("1")).until(`document.querySelector("carillon-toasts").shadowRoot.querySelector(".title")`)
	r.takes(170)
	r.points("right", `document.querySelector("carillon-bell")`).takes(50)
	r.still("bell-still")
	shop.clickOn(`carillon-bell`).until(badge("")).until(inBell(`root.querySelector("li .title")`))
	r.takes(260)
	r.moving("bell")
}
