package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/chromedp"
)

// A host page with the strictest policy shows pictures of the hosts that its policy names, and initials for the others.
func TestRowsInAPageOfAHostHaveActorsPicturesAndButtons(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.flags = append(s.flags, "--image-hosts", "cdn.example.com,other.example.com")
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	// The worker of the page has the pictures, because their hosts do not exist here.
	shop.answers("/sw.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprint(w, `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());
			onfetch = (e) => { if (new URL(e.request.url).hostname.endsWith(".example.com")) e.respondWith(new Response('<svg xmlns="http://www.w3.org/2000/svg" width="160" height="90"><rect width="160" height="90" fill="teal"/></svg>', { headers: { "Content-Type": "image/svg+xml" } })); };`)
	})
	shop.answers("/rows", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", fmt.Sprintf("default-src 'none'; style-src 'self'; worker-src 'self'; img-src https://cdn.example.com data:; script-src 'self' %[1]s; connect-src 'self' %[1]s; require-trusted-types-for 'script'", i.url+"/"))
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, shopInbox, i.url)
	})
	s.user("4711")
	send := func(args ...string) { s.carillon("", append([]string{"send", "--to", "4711"}, args...)...) }
	send("--type", "report", "--title", "The report is ready")
	send("--type", "comment", "--title", "عمر commented on your photo", "--actor", "عمر السيد", "--actor-image", "https://other.example.com/b.png", "--link", "/photos/1", "--image", "https://other.example.com/photo.png", "--image-alt", "A photo")
	w := open(t, i)
	w.watchesThePolicy().do(chromedp.Navigate(shop.URL + "/rows"))
	ask[any](w, `navigator.serviceWorker.register(trustedTypes.createPolicy("worker", { createScriptURL: (url) => url }).createScriptURL("/sw.js")).then(() => 0)`)
	w.until(`navigator.serviceWorker.controller !== null`)
	in := func(js string) string {
		return `(() => { const inbox = document.querySelector("carillon-inbox"), root = inbox.shadowRoot, row = (type) => root?.querySelector("li[data-key^='" + type + ":']"); return ` + js + `; })()`
	}
	w.until(in(`row("report") && row("comment")`))
	// This one comes by the stream.
	send("--type", "review", "--title", "Ann asks you to review the plan of hall 3", "--body", "The doors have moved.", "--link", "/prs/7",
		"--actor", "Ann Bell", "--actor-id", "u7", "--actor-image", "https://cdn.example.com/a.png",
		"--image", "https://cdn.example.com/plan.png", "--image-alt", "The plan of hall 3", "--action", "Review=/prs/7?tab=a", "--action", "Not now=/prs")
	w.until(in(`[...row("review")?.querySelectorAll("img") ?? []].filter((img) => img.naturalWidth > 0).map((img) => img.getAttribute("part") + " " + img.alt + " " + img.referrerPolicy + " " + img.loading).join() === "face  no-referrer lazy,image The plan of hall 3 no-referrer lazy"`))
	w.until(in(`row("comment").querySelectorAll("img").length === 0 && row("comment").querySelector("[part=avatar]").textContent === "عا"`))
	w.until(in(`row("review").querySelector("[part=avatar]").textContent === "AB" && row("review").querySelector(".corner path") && row("report").querySelector("[part=avatar] path") !== null`))
	if box := ask[string](w, in(`(({ width, height }) => width + "x" + height)(row("review").querySelector("[part=image]").getBoundingClientRect())`)); box != "160x90" {
		t.Errorf("the picture has %s", box)
	}
	w.until(in(`refused.every((text) => text.startsWith("img-src https://other.example.com/"))`))
	w.pleasesAxe("embed-rows")
	ask[any](w, `document.querySelector("carillon-inbox").style.setProperty("--carillon-font", "monospace")`)
	w.until(in(`getComputedStyle(root.querySelector(".title")).fontFamily === "monospace"`))

	// The application follows a button, which reads the row.
	ask[any](w, `void (window.left = [], addEventListener("carillon-navigate", (e) => { e.preventDefault(); left.push(e.detail.href + " " + e.detail.notice.type); }))`)
	if names := ask[string](w, in(`[...row("review").querySelectorAll("[part=button]")].map((a) => a.textContent + " " + a.href.replace(location.origin, "")).join()`)); names != "Review /prs/7?tab=a,Not now /prs" {
		t.Errorf("the buttons are %s", names)
	}
	ask[any](w, in(`row("review").querySelector("[part=button]").focus()`))
	w.types("\r").until(in(`left.join() === "/prs/7?tab=a review" && row("review").dataset.unread === undefined`))
}

// An inbox whose rows cannot be loaded asks again after some seconds, not at once.
func TestAnInboxThatCouldNotBeLoadedIsLoadedLater(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/fails", `<script>
		const ask = fetch;
		window.asked = 0, window.fails = true;
		window.fetch = async (...of) => String(of[0]).includes("/me/open") && ++asked && fails ? new Response("{}", { status: 503 }) : ask(...of);</script>
		<carillon-inbox token-url="/carillon/token"></carillon-inbox>`)
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/fails"))
	w.until(`asked > 0 && document.querySelector("carillon-inbox").shadowRoot.querySelector(".state")?.hidden === false`)
	s.orders("4711", "Shipped") // the stream works
	w.until(`asked > 1`)
	if asked := ask[int](w, `asked`); asked > 20 {
		t.Errorf("the inbox has asked %d times", asked)
	}
	ask[any](w, `void (fails = false)`)
	w.until(`document.querySelector("carillon-inbox").shadowRoot.querySelector("li .title")?.textContent === "Shipped"`)
}
