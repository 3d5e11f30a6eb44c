package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// shopPage is a page of a host application: two lines, and the content shown without script.
const shopPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css">
<script type="module" src="%s/embed/v1.js"></script>
<header><h1>Shop</h1>
<carillon-bell token-url="/carillon/token" inbox-href="/notifications"><a href="/notifications">Notifications</a></carillon-bell></header>
<main><p>Your orders</p></main><carillon-toasts token-url="/carillon/token"></carillon-toasts>`

// shopInbox is the page of the shop that contains the whole inbox.
const shopInbox = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Notifications</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css">
<script type="module" src="%s/embed/v1.js"></script>
<main><h1>Notifications</h1><carillon-inbox token-url="/carillon/token" read-on="click" announcements="tab" preferences></carillon-inbox></main>`

// strictPolicy is the strictest policy under which the elements work.
const strictPolicy = "default-src 'none'; style-src 'self'; img-src data:; script-src 'self' %[1]s; connect-src 'self' %[1]s; require-trusted-types-for 'script'"

// violations collects in window.refused what the policy has blocked.
const violations = `window.refused = []; addEventListener("securitypolicyviolation", (e) => refused.push(e.violatedDirective + " " + e.blockedURI), true)`

// watchesThePolicy makes each page from now on record what its policy blocks.
func (w *window) watchesThePolicy() *window {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: violations}); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// keepsThePolicy fails the test if the policy of this page has blocked anything.
func (w *window) keepsThePolicy() *window {
	w.t.Helper()
	if refused := ask[[]string](w, `refused`); len(refused) > 0 {
		w.t.Errorf("the policy refused %v", refused)
	}
	return w
}

// shop is a host application with its own session.
type shop struct {
	*hostApp
	mu   sync.Mutex
	user string // signed in to the shop; empty: none

	asked atomic.Int64 // requests for tokens
	old   atomic.Int64 // seconds since the issued tokens expired
}

func (s *shop) signIn(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user = user
}

// newShop starts a host application next to an instance.
func newShop(t *testing.T, s *site, i *instance, user string) *shop {
	t.Helper()
	shop := &shop{hostApp: s.hostApp(t, "shop"), user: user}
	shop.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shop.mu.Lock()
		user := shop.user
		shop.mu.Unlock()
		w.Header().Set("Content-Security-Policy", fmt.Sprintf(strictPolicy, i.url+"/"))
		switch {
		case r.URL.Path == "/shop.css":
			w.Header().Set("Content-Type", "text/css")
			_, _ = fmt.Fprint(w, "body{font:16px/1.5 system-ui;margin:0 24px} header{display:flex;justify-content:space-between;align-items:center}")
		case r.URL.Path == "/notifications":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, shopInbox, i.url)
		case r.URL.Path != "/carillon/token":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, shopPage, i.url)
		case user == "":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			shop.asked.Add(1)
			token := shop.token(t, user)
			if old := shop.old.Load(); old > 0 {
				now := time.Now().Unix()
				token = shop.tokenOf(t, user, now-old-60, now-old)
			}
			_ = json.NewEncoder(w).Encode(map[string]string{"token": token})
		}
	})
	return shop
}

// axeHere lists axe's findings on the current page.
const axeHere = `axe.run(document, { resultTypes: ["violations"] }).then(r => r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html).join(" ")))`

// pleasesAxe checks the current page in both themes, and takes a screenshot in each of three widths.
func (w *window) pleasesAxe(name string) {
	w.t.Helper()
	axe, err := os.ReadFile("testdata/axe.min.js")
	if err != nil {
		w.t.Fatal(err)
	}
	ask[any](w, string(axe)+";0")
	for _, theme := range []string{"light", "dark"} {
		w.media("", "prefers-color-scheme", theme)
		if found := ask[[]string](w, axeHere); len(found) > 0 {
			w.t.Errorf("axe objects to the %s %s: %v", theme, name, found)
		}
		for _, width := range []int64{320, 768, 1280} {
			w.size(width, 800).shot(fmt.Sprintf("%s-%s-%d", name, theme, width))
		}
	}
}

// inBell is an expression about the shadow root of the bell.
func inBell(js string) string {
	return `(() => { const bell = document.querySelector("carillon-bell"), root = bell.shadowRoot; return ` + js + `; })()`
}

func TestTheBellIsLiveInAPageOfAnotherOriginUnderAStrictPolicy(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	w := open(t, i)
	w.watchesThePolicy()
	w.do(chromedp.Navigate(shop.URL))
	w.until(inBell(`root?.querySelector(".bell")?.getAttribute("aria-label") === "Notifications: nothing unread" && root.querySelector(".badge").hidden`))
	for n, title := range []string{"Your order is on its way", "Your order has arrived"} {
		s.carillon("", "send", "--to", "4711", "--type", "order", "--subject", strconv.Itoa(n), "--title", title, "--body", "Order 6", "--link", "/orders/6")
	}
	w.until(inBell(`root.querySelector(".badge").textContent === "2" && !root.querySelector(".badge").hidden`))
	w.until(inBell(`root.querySelector(".bell").getAttribute("aria-label") === "Notifications: 2 unread"`))

	ask[any](w, inBell(`root.querySelector(".bell").focus(), root.querySelector(".bell").click()`))
	w.until(inBell(`root.querySelector(".panel").matches(":popover-open") && root.querySelectorAll("li").length === 2 && root.querySelector(".badge").hidden`))
	if got := ask[string](w, inBell(`[...root.querySelectorAll("li[data-unread] .title")].map(a => a.textContent + " " + a.href).join(", ")`)); got != "Your order has arrived "+shop.URL+"/orders/6, Your order is on its way "+shop.URL+"/orders/6" {
		t.Errorf("the panel shows %s", got)
	}
	w.keepsThePolicy()
	w.pleasesAxe("embed-panel")
	// Escape closes the panel and returns the focus; a notice that arrives then counts again.
	w.types("\x1b").until(inBell(`!root.querySelector(".panel").matches(":popover-open") && root.activeElement === root.querySelector(".bell")`))
	s.carillon("", "send", "--to", "4711", "--type", "order", "--title", "Third")
	w.until(inBell(`root.querySelector(".badge").textContent === "1"`))

	// An element that moves within its page continues, and one that was away for long starts again.
	ask[any](w, `void document.querySelector("main").append(document.querySelector("carillon-bell"))`)
	w.until(inBell(`root.querySelector(".badge").textContent === "1"`))
	ask[any](w, `new Promise(done => { const bell = document.querySelector("carillon-bell"); bell.remove(); setTimeout(() => { document.body.append(bell); done(); }, 100); })`)
	w.until(inBell(`root.querySelector(".badge")?.textContent === "1"`))
	s.carillon("", "send", "--to", "4711", "--type", "order", "--title", "Fourth")
	w.until(inBell(`root.querySelector(".badge").textContent === "2"`))

	// No data of a user is left after another one has signed in.
	shop.signIn("4712")
	ask[any](w, "void "+`document.querySelector("carillon-bell").replaceWith(Object.assign(document.createElement("carillon-bell"), { tokenProvider: async () => (await (await fetch("/carillon/token")).json()).token }))`)
	w.until(inBell(`root?.querySelector(".badge")?.hidden && root.querySelectorAll("li").length === 0`))
	shop.signIn("")
	w.do(chromedp.Navigate(shop.URL))
	w.until(inBell(`bell.hasAttribute("data-signed-out") && root.querySelector(".badge").hidden`))
}

// typesExist waits until the inbox knows a type: that of a command exists soon after its notice.
const typesExist = `(async () => { while (!(await document.querySelector("carillon-inbox").client.me()).types.length) await new Promise(done => setTimeout(done, 200)); })()`

func TestTheWholeInboxIsAPartOfAPageOfAHost(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/notifications"))
	in := func(js string) string {
		return `(() => { const root = document.querySelector("carillon-inbox").shadowRoot; const press = (name) => root.querySelector("button[aria-label='" + name + "']").click();
			const rows = () => [...(root?.querySelectorAll("li") ?? [])].map(li => (li.dataset.unread === undefined ? "" : "*") + li.querySelector(".title").textContent).join(" "); return ` + js + `; })()`
	}
	w.until(in(`root && !root.querySelector(".empty").hidden`))
	for n, title := range []string{"First", "Second", "Third"} {
		s.carillon("", "send", "--to", "4711", "--type", "order", "--subject", strconv.Itoa(n), "--title", title, "--body", "Order "+strconv.Itoa(n))
	}
	w.until(in(`rows() === "*Third *Second *First"`))
	w.until(in(`root.querySelectorAll(".actions").length === 3`))
	ask[any](w, in(`press("Mark as read: Second")`))
	w.until(in(`rows() === "*Third Second *First"`))
	w.pleasesAxe("embed-inbox")
	ask[any](w, in(`root.querySelectorAll(".tab")[1].click()`))
	w.until(in(`rows() === "*Third *First"`))
	w.until(in(`root.querySelectorAll(".actions").length === 2`))
	ask[any](w, typesExist) // a menu names the type
	ask[any](w, in(`press("More: Third")`))
	w.until(in(`[...root.querySelectorAll("[role=menuitem]")].map(item => item.textContent.replace(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun).*/, "")).join() === "Mark as read,Later,Archive,Mute “order”,Delete"`))
	ask[any](w, in(`[...root.querySelectorAll("[role=menuitem]")].at(-1).click()`))
	w.until(in(`rows() === "*First" && root.querySelector(".said").textContent.startsWith("Deleted.")`))
	ask[any](w, in(`root.querySelector(".said button").click()`))
	w.until(in(`rows() === "*Third *First"`))
	s.carillon("", "send", "--to", "4711", "--type", "order", "--subject", "9", "--title", "Fourth")
	w.until(in(`rows() === "*Fourth *Third *First"`))
	ask[any](w, in(`root.querySelector(".head > .action").click()`))
	w.until(in(`rows() === "" && !root.querySelector(".empty").hidden`))

	s.carillon("", "announce", "--audience", "user", "--type", "news", "--title", "Closed on Sunday", "--body", "The shop is closed.")
	w.until(in(`document.querySelector("carillon-inbox").client.getSnapshot().announcements?.length === 1`))
	ask[any](w, in(`root.querySelector(".tab[data-tab=announcements]").click()`))
	w.until(in(`rows() === "*Closed on Sunday"`))
	ask[any](w, in(`press("Dismiss: Closed on Sunday")`))
	w.until(in(`rows() === "Closed on Sunday"`))

	// Notices of a muted type no longer arrive.
	ask[any](w, in(`(root.querySelector(".prefs").open = false, 0)`))
	ask[any](w, in(`(root.querySelector(".prefs").open = true, 0)`))
	w.until(in(`root.querySelectorAll(".types input:checked").length > 0`))
	w.shot("embed-preferences")
	typ := ask[string](w, in(`(() => { const box = root.querySelector(".types input:checked"); box.click(); return box.parentElement.textContent; })()`))
	testkit.Eventually(t, "the type is muted", func() bool {
		muted := ask[bool](w, `document.querySelector("carillon-inbox").client.me().then(me => me.types.some(t => t.muted && t.name === `+strconv.Quote(typ)+`))`)
		return muted
	})
	// The application draws the rows.
	ask[any](w, `void document.querySelector("main").append(Object.assign(document.createElement("carillon-inbox"), { id: "own", tokenProvider: async () => (await (await fetch("/carillon/token")).json()).token, renderRow: (row) => new Text("own: " + row.title) }))`)
	w.until(`document.querySelector("#own").shadowRoot?.querySelector("li")?.textContent.startsWith("own: Fourth")`)
}

func TestAToastAppearsOnceInThePagesOfAHost(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	one, other := open(t, i), open(t, i)
	for _, w := range []*window{one, other} {
		w.do(chromedp.Navigate(shop.URL))
		w.until(inBell(`root?.querySelector(".bell")?.getAttribute("aria-label") === "Notifications: nothing unread"`))
	}
	const shown = `document.querySelector("carillon-toasts").shadowRoot.querySelectorAll(".toast").length`
	s.carillon("", "send", "--to", "4711", "--type", "order", "--title", "Your order is on its way", "--toast")
	for _, w := range []*window{one, other} {
		w.until(inBell(`root.querySelector(".badge").textContent === "1"`))
	}
	testkit.Eventually(t, "one of the browsers shows the toast", func() bool {
		return ask[int](one, shown)+ask[int](other, shown) == 1
	})
	for n, w := range []*window{one, other} {
		if ask[int](w, shown) == 1 {
			w.pleasesAxe("embed-toast")
			if got := ask[string](w, `document.querySelector("carillon-toasts").shadowRoot.querySelector(".title").textContent`); got != "Your order is on its way" {
				t.Errorf("browser %d shows %q", n, got)
			}
			ask[any](w, `document.querySelector("carillon-toasts").shadowRoot.querySelector(".close").click()`)
		}
	}
	s.carillon("", "send", "--to", "4711", "--type", "order", "--title", "Second", "--toast")
	for _, w := range []*window{one, other} {
		w.until(inBell(`root.querySelector(".badge").textContent === "2"`))
	}
	testkit.Eventually(t, "one of the browsers shows the second toast and none the first", func() bool {
		return ask[int](one, shown)+ask[int](other, shown) == 1
	})
}

func TestTheScriptsForHostApplicationsStaySmall(t *testing.T) {
	t.Parallel()
	i := alone(t).serve()
	// GNU gzip -9 makes them some 50 bytes longer than the server does, and holds the promise, too.
	const slack = 60
	for name, most := range map[string]int64{"core.js": 6<<10 - slack, "v1.js": 14<<10 - slack} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.url+"/embed/"+name, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Encoding", "gzip")
		res, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		head := res.Header
		if res.ContentLength <= 0 || res.ContentLength > most || head.Get("Access-Control-Allow-Origin") != "*" || head.Get("Cross-Origin-Resource-Policy") != "cross-origin" || head.Get("Cache-Control") != "public, max-age=300" {
			t.Errorf("%s has %d bytes, at most %d; %v", name, res.ContentLength, most, head)
		}
	}
}
