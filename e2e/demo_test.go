package e2e

import (
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestDemoUsersSignInWithOneClick(t *testing.T) {
	t.Parallel()
	i := alone(t).serve("--demo", "--addr", "127.0.0.1:0")
	bob := open(t, i)
	bob.goToSignIn()
	bob.shot("sign-in")
	bob.press(`[data-testid=demo]:has(input[value=bob]) button`)
	bob.shows(`h1`, "Inbox")
	bob.badge("2").banner("The warehouse is closed on " + time.Now().AddDate(0, 0, 29).Format("2 January")) // an announcement to all demo users
	bob.shot("demo-inbox")
	bob.goTo("/announcements").shot("demo-announcements")
	bob.clickOn(`#announcement-read-all button`).badge("")

	alice := open(t, i)
	alice.goToSignIn()
	alice.press(`[data-testid=demo]:has(input[value=alice]) button`)
	alice.goTo("/staff/send")
	alice.shot("demo-send")
	bob.goTo("/inbox?filter=unread")
	alice.send("bob", "reminder", "kitchen", "The kitchen closes at four")
	alice.shot("demo-notice")
	bob.badge("1")
	bob.shot("demo-bell")
}

func TestTheDemoHasAPageOfAnotherApplication(t *testing.T) {
	t.Parallel()
	i := alone(t).serve("--demo", "--addr", "127.0.0.1:0")
	w := open(t, i).size(1280, 1000)
	w.watchesThePolicy()
	w.goToSignIn()
	w.do(chromedp.Navigate(i.url + "/embed/demo"))
	w.until(`location.port !== new URL("` + i.url + `").port && ` + inBell(`root?.querySelector(".badge")?.textContent === "9"`))
	w.until(`document.querySelector("carillon-inbox").shadowRoot.querySelectorAll("li").length > 3`)
	w.clickOn(`[data-send=notice]`).until(inBell(`root.querySelector(".badge").textContent === "10"`))
	w.until(`[...document.querySelectorAll("#events b")].some(b => b.textContent === "carillon-notice")`)
	w.clickOn(`[data-send=toast]`).until(`document.querySelector("carillon-toasts").shadowRoot.querySelector(".title")?.textContent === "Saved"`)
	w.shot("embed-demo")
	ask[any](w, `(() => { const p = document.querySelector("#preset"); p.value = "Dark slate"; p.dispatchEvent(new Event("change")); document.querySelector("carillon-bell").show(); })()`)
	w.until(`document.querySelector("#css").textContent.includes("--carillon-surface: #0f172a;")`)
	w.until(inBell(`getComputedStyle(root.querySelector(".panel")).backgroundColor === "rgb(15, 23, 42)"`))
	w.shot("embed-demo-theme")
	ask[any](w, `document.querySelector("carillon-bell").hide()`)

	// A user unknown to Carillon gets only the announcements for late joiners.
	w.picks("user", "customer 4711").press(".who button")
	w.until(inBell(`root?.querySelector(".badge")?.textContent === "2"`))
	w.clickOn(`[data-send=notice]`).until(inBell(`root.querySelector(".badge").textContent === "3"`))
	w.keepsThePolicy()
	w.size(390, 800).shot("embed-demo-phone")
}
