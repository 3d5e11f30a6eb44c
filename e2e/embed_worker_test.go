package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// hostWorkers contains service workers of host applications, by how they handle a request.
var hostWorkers = map[string]string{
	"pass it on":      `e.respondWith(fetch(e.request))`,
	"keep its answer": `if (e.request.method === "GET") e.respondWith(caches.open("all").then(async (all) => { const kept = await all.match(e.request); if (kept) return kept; const res = await fetch(e.request); e.waitUntil(all.put(e.request, res.clone()).catch(() => {})); return res; }))`,
}

// A worker of the page intercepts all requests of the elements. The bell is live, and the notices of the previous
// user are never shown.
func TestABellIsLiveBehindAServiceWorkerOfItsPage(t *testing.T) {
	t.Parallel()
	for does, script := range hostWorkers {
		t.Run(does, func(t *testing.T) {
			t.Parallel()
			s := alone(t)
			i := s.measured()
			shop := newShop(t, s, i, "4711")
			shop.page(i, "/worker", `<script>window.users = []; for (const name of ["state", "badge"]) addEventListener("carillon-" + name, (e) => users.push(e.target.client.getSnapshot().user ?? "nobody"));</script>
				<carillon-bell token-url="/carillon/token"></carillon-bell>`)
			shop.answers("/sw.js", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/javascript")
				_, _ = fmt.Fprintf(w, `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim()); onfetch = (e) => { %s; };`, script)
			})
			w := open(t, i)
			w.do(chromedp.Navigate(shop.URL + "/worker"))
			w.until(bellSays(""))
			ask[any](w, `navigator.serviceWorker.register("/sw.js").then(() => 0)`)
			w.until(`navigator.serviceWorker.controller !== null`)

			others := func(user string) {
				t.Helper()
				if users := ask[[]string](w, `users`); slices.ContainsFunc(users, func(u string) bool { return u != user && u != "nobody" }) {
					t.Errorf("the page of %s has shown %q", user, users)
				}
			}
			live := inBell(`bell.client.getSnapshot().state === "live"`)
			rows := inBell(`[...root.querySelectorAll("li .title")].map((title) => title.textContent).join()`)
			w.do(chromedp.Reload())
			w.until(bellSays("")).until(live)
			s.orders("4711", "For the first")
			w.until(bellSays("1"))
			ask[any](w, inBell(`bell.show()`))
			w.until(rows + ` === "For the first"`).until(bellSays("")) // the calls of the panel
			others("4711")
			i.streams("1") // a worker that keeps a copy holds the stream of a page that has left

			shop.signIn("4712")
			w.do(chromedp.Reload())
			w.until(bellSays("")).until(live)
			s.orders("4712", "For the second")
			w.until(bellSays("1"))
			ask[any](w, inBell(`bell.show()`))
			w.until(rows + ` === "For the second"`)
			others("4712")

			// Another user signs in without a new page.
			shop.signIn("4711")
			ask[any](w, `(users.length = 0, document.querySelector("carillon-bell").refresh().then(() => 0))`)
			s.orders("4711", "For the first again")
			w.until(bellSays("1"))
			others("4711")
		})
	}
}
