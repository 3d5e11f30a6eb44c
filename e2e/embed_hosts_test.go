package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hostPage is a page that a test fills; window.said contains what it wrote to the console.
const hostPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<script>window.said = []; console.error = (...what) => said.push(what.join(" "));</script>
<script type="module" src="%s/embed/v1.js"></script><main>%s</main>`

// answers makes the shop respond to a path with another handler.
func (s *shop) answers(path string, answer http.HandlerFunc) {
	pages := s.Config.Handler
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			pages.ServeHTTP(w, r)
			return
		}
		answer(w, r)
	})
}

// page makes the shop respond to a path with a custom page, without a policy.
func (s *shop) page(i *instance, path, body string) {
	s.answers(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, hostPage, i.url, body)
	})
}

// An element without settings joins the client of the page, whichever came first; the next user starts with one call.
func TestElementsOfAPageShareItsClientAndTheNextUserBeginsByOneCall(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/page", `<carillon-toasts></carillon-toasts><carillon-inbox read-on="click"></carillon-inbox><carillon-bell token-url="/carillon/token" server="`+i.url+`" title-badge></carillon-bell>`)
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/page"))
	w.until(bellSays(""))
	s.orders("4711", "For the first")
	w.until(bellSays("1")).until(`document.title === "(1) Shop"`)
	const same = `new Set([...document.querySelectorAll("carillon-bell, carillon-inbox, carillon-toasts")].map(e => e.client)).size === 1`
	w.until(same + ` && document.querySelector("carillon-inbox").shadowRoot.querySelectorAll("li").length === 1`)
	w.until(`[...document.querySelectorAll("carillon-bell, carillon-inbox, carillon-toasts")].reduce((n, e) => n + e.shadowRoot.querySelectorAll("[role=status]").length, 0) === 1`)

	// The router changes the title, and restores one that it read here.
	ask[any](w, `void (document.title = "(3) Orders")`)
	w.until(`document.title === "(1) (3) Orders"`)
	ask[any](w, `void (document.title = "(1) Shop")`)
	w.until(`document.title === "(1) Shop"`)

	// Another bell replaces the first.
	ask[any](w, `document.querySelector("carillon-bell").remove()`)
	w.until(`document.title === "Shop"`)
	ask[any](w, `void document.body.append(Object.assign(document.createElement("carillon-bell"), { lang: "en" }))`)
	w.until(bellSays("1"))
	// Settings made before, later or repeatedly all apply.
	ask[any](w, inBell(`bell.texts = { title: "News" }, bell.lang = "ja", 0`))
	w.until(inBell(`root.querySelector(".panel").getAttribute("aria-label") === "News" && root.querySelector(".bell").getAttribute("aria-label").includes("1")`))

	ask[any](w, inBell(`bell.signOut(), 0`))
	w.until(inBell(`bell.hasAttribute("data-signed-out") && root.querySelector(".badge").hidden && bell.client.getSnapshot().badge.unread === null`))
	w.until(`document.querySelector("carillon-inbox").shadowRoot.querySelectorAll("li").length === 0`)
	shop.signIn("4712")
	ask[any](w, inBell(`bell.refresh().then(() => 0)`))
	w.until(bellSays(""))
	s.orders("4712", "For the second")
	s.orders("4712", "Another one")
	w.until(bellSays("2")).until(`document.querySelector("carillon-inbox").shadowRoot.querySelectorAll("li").length === 2`)
	// One call is also enough without signOut.
	shop.signIn("4711")
	ask[any](w, inBell(`bell.refresh().then(() => 0)`))
	w.until(bellSays("1"))
	if said := ask[[]string](w, `said`); len(said) > 0 {
		t.Errorf("the console has %q", said)
	}
}

// Properties that a page sets on an element before the script has loaded apply, and so do later changes.
func TestAnElementHearsWhatItsPageSetsEarlyLateAndAgain(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/early", `<carillon-bell></carillon-bell><carillon-inbox read-on="click"></carillon-inbox><script>
		const [bell, inbox] = document.querySelectorAll("carillon-bell, carillon-inbox");
		window.asked = [];
		const provider = (name) => async () => { asked.push(name); return (await (await fetch("/carillon/token")).json()).token; };
		bell.tokenProvider = provider("early");
		bell.texts = { title: "Early" };
		inbox.renderRow = (row) => document.createTextNode("early " + row.title);</script>`)
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/early"))
	w.until(bellSays(""))
	s.orders("4711", "Shipped")
	w.until(bellSays("1"))
	row := func(says string) string {
		return `document.querySelector("carillon-inbox").shadowRoot.querySelector("li")?.textContent.startsWith(` + strconv.Quote(says) + `)`
	}
	label := func(says string) string {
		return inBell(`root.querySelector(".panel").getAttribute("aria-label") === ` + strconv.Quote(says))
	}
	w.until(row("early Shipped")).until(label("Early"))

	ask[any](w, `void (bell.texts = { title: "Late" }, inbox.renderRow = (row) => document.createTextNode("late " + row.title))`)
	w.until(row("late Shipped")).until(label("Late")).until(bellSays("1"))
	ask[any](w, `void (bell.tokenProvider = provider("again"), inbox.renderRow = null)`)
	w.until(`document.querySelector("carillon-inbox").shadowRoot.querySelector("li .title")?.textContent === "Shipped"`).until(bellSays("1")).until(`asked.includes("early") && asked.at(-1) === "again"`)
	ask[any](w, `void (bell.tokenProvider = null, bell.setAttribute("token-url", "/carillon/token"))`)
	w.until(bellSays("1"))
	if said := ask[[]string](w, `said`); len(said) > 0 {
		t.Errorf("the console has %q", said)
	}
}

// With two bells, one number stands before the title, whatever the page writes there, and it is removed with them.
func TestTheTitleHasOneNumberAndBelongsToThePage(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	const bell = `<carillon-bell token-url="/carillon/token" title-badge></carillon-bell>`
	shop.page(i, "/titles", bell+bell)
	w := open(t, i)
	title := func(want string) { t.Helper(); w.until("document.title === " + strconv.Quote(want)) }
	w.do(chromedp.Navigate(shop.URL + "/titles"))
	w.until(bellSays(""))
	title("Shop")
	s.orders("4711", "One")
	title("(1) Shop")
	for _, change := range []struct{ writes, gives string }{
		{`"(3) Orders"`, "(1) (3) Orders"},
		{`document.title`, "(1) (3) Orders"},
		{`document.title + " of May"`, "(1) (3) Orders of May"},
		{`"New: " + document.title`, "(1) New: (3) Orders of May"},
		{`"(1) Shop"`, "(1) Shop"}, // as a router read it here before
		{`"(3) Orders"`, "(1) (3) Orders"},
	} {
		ask[any](w, `void (document.title = `+change.writes+`)`)
		title(change.gives)
	}
	s.orders("4711", "Two")
	title("(2) (3) Orders")
	ask[any](w, `void document.querySelector("carillon-bell").remove()`)
	title("(2) (3) Orders")
	ask[any](w, inBell(`bell.show()`))
	title("(3) Orders")
	s.orders("4711", "Three")
	title("(1) (3) Orders")
	ask[any](w, `void document.querySelector("carillon-bell").remove()`)
	title("(3) Orders")
}

// knowsNothing is an expression that is true while the bell has no number and shows the reason.
var knowsNothing = inBell(`bell.client?.getSnapshot().badge.unread === null && root.querySelector(".badge").hidden && root.querySelector(".bell").getAttribute("aria-label") === "Notifications" && root.querySelector(".bell").getAttribute("aria-description") !== null`)

// Without a signed-in user nothing is shown, and the console names the cure.
func TestABellThatKnowsNothingShowsNoNumberAndTheConsoleSaysWhy(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	const both = `<carillon-bell token-url="/carillon/token"%s></carillon-bell><carillon-inbox></carillon-inbox>`
	shop.page(i, "/wrong", fmt.Sprintf(both, ` server="notices.example.com"`))
	shop.page(i, "/right", fmt.Sprintf(both, ""))
	shop.page(i, "/framed", `<iframe sandbox="allow-scripts" src="/right"></iframe>`)

	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/wrong"))
	w.until(`said.some(line => line.includes("<carillon-bell> server=\"notices.example.com\" must be an address"))`)

	// localhost instead of 127.0.0.1 is another origin.
	there := strings.Replace(shop.URL, "127.0.0.1", "localhost", 1)
	w.do(chromedp.Navigate(there + "/right"))
	w.until(knowsNothing)
	w.until(`document.querySelector("carillon-inbox").shadowRoot.querySelector(".state").textContent === "The notifications couldn't be loaded." && document.querySelector("carillon-inbox").shadowRoot.querySelector(".empty").hidden`)
	w.until(`said.some(line => line.includes(` + strconv.Quote("carillon app set NAME --origin "+there) + `))`)
}

// A frame without an origin cannot get a token, and reports that.
func TestABellInASandboxShowsNoNumber(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/in", `<carillon-bell token="a.eyJzdWIiOiI0NzExIn0.b"></carillon-bell><script>
		setInterval(() => { const bell = document.querySelector("carillon-bell"), button = bell.shadowRoot?.querySelector(".bell"); if (button?.getAttribute("aria-description")) parent.postMessage({ name: button.getAttribute("aria-label"), hidden: bell.shadowRoot.querySelector(".badge").hidden, said }, "*"); }, 50);</script>`)
	shop.page(i, "/out", `<script>window.heard = null; onmessage = (e) => (heard = e.data);</script><iframe sandbox="allow-scripts" src="/in"></iframe>`)
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/out"))
	w.until(`heard?.name === "Notifications" && heard.hidden && heard.said.some(line => line.includes("allow-same-origin"))`)
}
