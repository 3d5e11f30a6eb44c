package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// inInbox is an expression about the inbox element: its shadow root, its rows by type, its rows as text with a star for
// unread ones, and the entries of the open menu.
func inInbox(js string) string {
	return `(() => { const inbox = document.querySelector("carillon-inbox"), root = inbox.shadowRoot, row = (type) => root?.querySelector("li[data-key^='" + type + ":']");
		const rows = () => [...(root?.querySelectorAll("li") ?? [])].map(li => (li.dataset.unread === undefined ? "" : "*") + li.querySelector(".title").textContent).join();
		const named = (name) => root?.querySelector("button[aria-label='" + name + "']"), item = (text) => [...(root?.querySelectorAll("[role=menuitem]") ?? [])].find((item) => item.querySelector("span").textContent === text);
		const tab = (name) => root?.querySelector("[part=tab][data-tab=" + name + "]");
		return ` + js + `; })()`
}

// The actions of rows come with a second module, under the strictest policy, and are undone.
func TestRowsOfAnInboxInAHostAreActedOn(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	s.user("4711")
	for _, typ := range []string{"report", "review", "order"} {
		s.carillon("", "send", "--to", "4711", "--type", typ, "--subject", "1", "--title", "The "+typ, "--link", "/"+typ)
	}
	w := open(t, i)
	w.watchesThePolicy().do(chromedp.Navigate(shop.URL + "/notifications"))
	w.until(inInbox(`rows() === "*The order,*The review,*The report" && root.querySelectorAll("li > .actions").length === 3`))
	seen := `getComputedStyle(row("order").querySelector(".actions")).opacity`
	w.until(inInbox(seen + ` === "0"`))
	ask[any](w, inInbox(`row("order").querySelector("a").focus()`))
	w.until(inInbox(seen + ` === "1"`))

	// By the keyboard: read, later, archive, more. The next row gets the focus of one that leaves.
	w.types("\t\t\t").until(inInbox(`root.activeElement === named("Archive: The order")`))
	w.types("\r").until(inInbox(`rows() === "*The review,*The report" && root.querySelector(".said").textContent.startsWith("Archived.") && row("review").contains(root.activeElement)`))
	w.until(`document.querySelector("carillon-inbox").client.getSnapshot().badge.unread === 2`)
	ask[any](w, inInbox(`root.querySelector(".said button").click()`))
	w.until(inInbox(`rows() === "*The order,*The review,*The report" && root.querySelector(".said").textContent === "" && root.querySelectorAll("li > .actions").length === 3`))

	// Escape closes a menu and gives the focus back.
	ask[any](w, inInbox(`named("Later: The review").focus()`))
	w.types("\r").until(inInbox(`root.querySelector(".menu").matches(":popover-open") && root.activeElement?.textContent.startsWith("Later today")`))
	w.types("\x1b").until(inInbox(`!root.querySelector(".menu") && root.activeElement === named("Later: The review")`))
	w.types("\r").until(inInbox(`root.activeElement?.textContent.startsWith("Later today")`))
	w.shot("embed-actions-later")
	w.types(kb.ArrowDown).types("\r").until(inInbox(`rows() === "*The order,*The report" && root.querySelector(".said").textContent.startsWith("Put away.")`))
	if until := ask[string](w, `document.querySelector("carillon-inbox").client.load({ filter: "later" }).then(() => { const at = new Date(document.querySelector("carillon-inbox").client.getSnapshot().notices[0].until); return at.getHours() + " " + Math.round((at - new Date().setHours(9, 0, 0, 0)) / 3600000); })`); until != "9 24" {
		t.Errorf("tomorrow at 9 is %s", until)
	}
	ask[any](w, `document.querySelector("carillon-inbox").client.load({ filter: "all" }).then(() => 0)`)
	ask[any](w, inInbox(`root.querySelector(".said button").click()`))
	w.until(inInbox(`rows() === "*The order,*The review,*The report"`))

	// A muted type comes back by Undo, too.
	w.until(inInbox(`named("More: The report")`))
	ask[any](w, typesExist)
	ask[any](w, inInbox(`named("More: The report").click()`))
	w.until(inInbox(`item("Mute “report”")`))
	w.shot("embed-actions-menu")
	ask[any](w, inInbox(`item("Mute “report”").click()`))
	const muted = `document.querySelector("carillon-inbox").client.me().then((me) => String(me.types.find((t) => t.type === "report").muted))`
	w.until(inInbox(`root.querySelector(".said").textContent.startsWith("“report” is muted.")`))
	if got := ask[string](w, muted); got != "true" {
		t.Errorf("the type is muted: %s", got)
	}
	ask[any](w, inInbox(`root.querySelector(".said button").click()`))
	w.until(inInbox(`root.querySelector(".said").textContent === ""`))
	if got := ask[string](w, muted); got != "false" {
		t.Errorf("the type is muted after Undo: %s", got)
	}
	w.keepsThePolicy()

	w.shot("embed-actions-hover")

	// On a touch screen there is one button, which is large enough; a sheet has the rest.
	w.pleasesAxe("embed-actions")
	w.scaled(390, 800, 1, true)
	w.until(inInbox(`matchMedia("(hover: none)").matches && [...row("order").querySelectorAll(".do")].filter((b) => b.checkVisibility()).map((b) => b.className + b.offsetWidth + b.offsetHeight).join() === "do dots4444"`))
	ask[any](w, inInbox(`named("More: The order").click()`))
	w.until(inInbox(`item("Archive") && innerHeight - root.querySelector(".menu").getBoundingClientRect().bottom < 1`))
	w.shot("embed-actions-phone")
	ask[any](w, inInbox(`item("Archive").click()`))
	w.until(inInbox(`rows() === "*The review,*The report"`))

	ask[any](w, inInbox(`inbox.setAttribute("actions", "none")`))
	w.until(inInbox(`rows() === "*The review,*The report" && !root.querySelector(".actions")`))
	ask[any](w, inInbox(`inbox.setAttribute("actions", "menu")`))
	w.until(inInbox(`[...row("report")?.querySelectorAll(".do") ?? []].map((b) => b.title).join() === "More"`))
}

// Rows, links and reading work without the second module, and the console shows once what is missing.
func TestAnInboxWorksWithoutTheModuleOfItsActions(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.answers("/without", func(w http.ResponseWriter, _ *http.Request) {
		// Only the first script is allowed.
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("script-src 'self' 'unsafe-inline' %s/embed/v1.js", i.url))
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><script>window.said = []; console.error = (...what) => said.push(what.join(" "));</script>`+
			`<script type="module" src="%s/embed/v1.js"></script><carillon-inbox token-url="/carillon/token" read-on="click" preferences></carillon-inbox>`, i.url)
	})
	s.user("4711")
	s.orders("4711", "One")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/without"))
	w.until(inInbox(`rows() === "*One" && said.length === 1 && said[0].startsWith("Carillon: no actions, toasts and preferences")`))
	s.orders("4711", "Two")
	w.until(inInbox(`rows() === "*Two,*One"`))
	ask[any](w, inInbox(`root.querySelector(".head > .action").click()`))
	w.until(inInbox(`rows() === "Two,One" && said.length === 1`))
}

// Live events keep the right rows in each tab, whichever element or device acts.
func TestTheTabsOfAnInboxInAHostShowWhatIsArchivedAndPutAway(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/tabs", `<carillon-bell token-url="/carillon/token"></carillon-bell><carillon-inbox token-url="/carillon/token" read-on="click" tabs="all archived later"></carillon-inbox>`)
	s.user("4711")
	for _, name := range []string{"One", "Two", "Three"} {
		s.orders("4711", name)
	}
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/tabs"))
	w.until(inInbox(`rows() === "*Three,*Two,*One" && [...root.querySelectorAll("[part=tab]")].map((b) => b.textContent).join() === "All,Archived,Later"`))
	// Another client of the user acts.
	ask[any](w, `void (window.away = customElements.get("carillon-bell") && import("`+i.url+`/embed/core.js").then(({ connect }) => connect({ tokenUrl: "/carillon/token?2" })))`)
	w.until(inInbox(`named("Archive: Two")`))
	ask[any](w, inInbox(`named("Archive: Two").click()`))
	w.until(inInbox(`rows() === "*Three,*One"`))
	ask[any](w, inInbox(`tab("archived").click()`))
	w.until(inInbox(`rows() === "Two" && tab("archived").getAttribute("aria-pressed") === "true" && named("Move to inbox: Two")`))
	ask[any](w, `away.then((client) => client.archive(["order:One"])).then(() => 0)`)
	w.until(inInbox(`rows().split(",").sort().join() === "One,Two"`))
	s.orders("4711", "Four") // not here
	w.until(inInbox(`inbox.client.getSnapshot().badge.inbox === 2 && rows().split(",").sort().join() === "One,Two"`))
	w.shot("embed-tabs-archived")
	w.until(inInbox(`named("Move to inbox: Two")`))
	ask[any](w, inInbox(`named("Move to inbox: Two").click()`))
	w.until(inInbox(`rows() === "One" && root.querySelector(".said").textContent.startsWith("Moved to the inbox.")`))
	ask[any](w, inInbox(`root.querySelector(".said button").click()`))
	w.until(inInbox(`rows().split(",").sort().join() === "One,Two"`))

	ask[any](w, inInbox(`tab("later").click()`))
	w.until(inInbox(`rows() === "" && !root.querySelector(".empty").hidden`))
	ask[any](w, `away.then((client) => client.snooze("order:Three", new Date(Date.now() + 3600000).toISOString())).then(() => 0)`)
	w.until(inInbox(`rows() === "Three" && root.querySelector(".until").textContent.startsWith("Back ")`))
	w.shot("embed-tabs-later")
	ask[any](w, inInbox(`named("Back now: Three").click()`))
	w.until(inInbox(`rows() === "" && root.querySelector(".said").textContent.startsWith("It is back.")`))

	// The bell of the page shows the inbox, so the tabs follow.
	ask[any](w, inBell(`bell.setAttribute("read-on", "click"), bell.show()`))
	w.until(inInbox(`rows() === "*Three,*Four" && tab("all").getAttribute("aria-pressed") === "true"`))
}

// A page that shows a thing reads the notices about it, also those that arrive later.
func TestAPageOfAHostReadsWhatItShows(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.answers("/invoices/42", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><head><title>Invoice 42</title><meta name="carillon-subject" content="invoice:42"></head><script type="module" src="%s/embed/v1.js"></script><carillon-bell token-url="/carillon/token"></carillon-bell>`, i.url)
	})
	s.user("4711")
	about := func(typ, subject string) {
		s.carillon("", "send", "--to", "4711", "--type", typ, "--subject", subject, "--title", typ)
	}
	about("comment", "invoice:42")
	about("payment", "invoice:42")
	about("comment", "invoice:43")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	w.until(bellSays("3"))
	w.do(chromedp.Navigate(shop.URL + "/invoices/42"))
	w.until(bellSays("1"))
	about("reminder", "invoice:42")
	about("reminder", "invoice:43")
	w.until(bellSays("2"))
	// The page shows another thing, after the bell was drawn again, and then none.
	ask[any](w, inBell(`bell.setAttribute("actions", "menu")`))
	ask[any](w, `void (document.querySelector("meta[name=carillon-subject]").content = "invoice:43")`)
	w.until(bellSays(""))
	ask[any](w, `void document.querySelector("meta[name=carillon-subject]").remove()`)
	about("thanks", "invoice:43")
	w.until(bellSays("1"))
}
