package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEveryElementIsSound opens pages of a host application with the elements in each of their states.
func TestEveryElementIsSound(t *testing.T) {
	t.Parallel()
	g, views := openElements(t)
	g.inspect(t, "elements", views...)
}

// elementsPage is a page of a host application with elements.
const elementsPage = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shop</title><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><link rel="stylesheet" href="/shop.css">
<script src="/elements.js"></script><script type="module" src="%s/embed/v1.js"></script></head><body>%s</body></html>`

// elementsScript draws the pictures of rows, whose hosts do not exist here. By the query of the page, rows fail or never come.
const elementsScript = `const set = Element.prototype.setAttribute, real = fetch, how = location.search.slice(1);
const drawn = "data:image/svg+xml," + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"><rect width="16" height="9" fill="teal"/><circle cx="8" cy="4.5" r="3" fill="white"/></svg>');
Element.prototype.setAttribute = function (name, value) { set.call(this, name, this.localName === "img" && name === "src" ? drawn : value); };
window.fetch = (...of) => !how || !/me\/(open|notices|announcements)/.test(of[0]) ? real(...of) : how === "fails" ? Promise.resolve(new Response("{}", { status: 503 })) : new Promise(() => {});`

// openElements starts a site with users of a host application, whose rows are of all kinds, and returns the views of its pages.
func openElements(t *testing.T) (*gallery, []view) {
	t.Helper()
	s := alone(t)
	s.flags = append(s.flags, "--image-hosts", "cdn.example.com")
	i := s.serve()
	shop := newShop(t, s, i, "")
	shop.answers("/token", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"token": shop.token(t, r.URL.RawQuery)})
	})
	shop.answers("/elements.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = fmt.Fprint(w, elementsScript)
	})
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "gallery", "--scope", "send"))}
	for _, user := range []string{"none", "acts", "mixed", "many"} {
		s.user(user)
	}
	fillElements(host)
	g := &gallery{instance: &instance{t: t, url: shop.URL}, serving: i.addr()}
	var views []view
	for _, v := range elementViews() {
		shop.answers("/"+v.name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprintf(w, elementsPage, i.url, v.body)
		})
		views = append(views, view{name: v.name, path: "/" + v.name + v.query, status: v.status, then: v.then})
	}
	return g, views
}

// fillElements sends the users rows of all kinds: the newest ones at the top of a list.
func fillElements(host *application) {
	send := func(user, rest string) {
		host.call(http.MethodPost, "/notices", `{"target":{"users":["`+user+`"]},`+rest+`}`)
	}
	for n := range 120 {
		send("many", fmt.Sprintf(`"type":"order","subject":"%d","title":"Order %d has left the warehouse"`, n, n))
	}
	for _, user := range []string{"acts", "mixed"} {
		send(user, `"type":"report","title":"The report is ready"`)
		for _, n := range hard()[:3] {
			text, _ := json.Marshal(map[string]string{"title": n.title, "body": n.body})
			send(user, `"type":"order.late",`+strings.Trim(string(text), "{}"))
		}
		for _, actor := range []string{"Ann Bell", "Bo Li", "Cem Ay"} {
			send(user, `"type":"like","subject":"photo:1","title":"`+actor+` likes your photo","body":"Fog over the canal","link":"/photos/1","actor":{"id":"`+actor+`","name":"`+actor+`"},`+
				`"more":{"one":"{actor} and {others} other like your photo","other":"{actor} and {others} others like your photo"}`)
		}
		send(user, `"type":"oven","title":"The oven is cold","take":{"within":"30m"}`)
		host.asks(`{"target":{"users":["` + user + `"]},"type":"payment","title":"Pay 4,200 € to Acme?","body":"For the new shelves in hall 3.","answers":"all","choices":[` +
			`{"id":"approve","label":"Approve","style":"primary","comment":"optional"},{"id":"reject","label":"Reject","style":"danger","comment":"required"}]}`)
		host.asks(`{"target":{"users":["` + user + `"]},"title":"Lunch at noon?","expires_in":"2h","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}]}`)
		send(user, `"type":"review","title":"Ann asks you to review the plan of hall 3","body":"The doors have moved, and the shelves beside them, too. Look at the second page above all.","link":"/prs/7",`+
			`"actor":{"id":"u7","name":"Ann Bell","image":"https://cdn.example.com/a.png"},"image":{"url":"https://cdn.example.com/plan.png","alt":"The plan of hall 3"},`+
			`"actions":[{"label":"Review","link":"/prs/7","style":"primary"},{"label":"Not now","link":"/prs"}]`)
	}
	host.call(http.MethodPost, "/notices", `{"target":{"audiences":["user"]},"type":"news","title":"Closed on Sunday","body":"The *shop* is closed, and the office, and whatever else there is to say about it in more than one line.","link":"/news/1",`+
		`"image":{"url":"https://cdn.example.com/plan.png","alt":"A plan"},"actions":[{"label":"Read more","link":"/news/1","style":"primary"}]}`)
}

// elementView is a page with elements in one of their states.
type elementView struct {
	name, body, query string
	status            int64 // as in view
	then              func(*window)
}

// bellFor is a page with the bell of a user.
func bellFor(user, attributes string) string {
	return `<header><h1>Shop</h1><carillon-bell token-url="/token?` + user + `" read-on="click" inbox-href="/inbox" ` + attributes + `><a href="/inbox">Notifications</a></carillon-bell></header><main><p>Your orders</p></main>`
}

// inboxFor is a page with the inbox of a user.
func inboxFor(user, attributes string) string {
	return `<main><h1>Notifications</h1><carillon-inbox token-url="/token?` + user + `" read-on="click" ` + attributes + `></carillon-inbox></main>`
}

func elementViews() []elementView {
	const tabs = `tabs="all unread archived later"`
	opensBell := func(w *window) {
		w.until(inBell(`/^[1-9]/.test(root?.querySelector(".badge")?.textContent)`))
		ask[any](w, inBell(`bell.show()`))
		w.until(inBell(`root.querySelector("li .avatar svg")`))
	}
	filled := func(w *window) { w.until(inInbox(`root?.querySelectorAll("li .avatar svg").length > 5`)) }
	// presses the button with a name once it is there.
	presses := func(w *window, name string) {
		w.until(inInbox(`named("` + name + `")`))
		ask[any](w, inInbox(`named("`+name+`").click()`))
	}
	return []elementView{
		{name: "bell", body: bellFor("many", ""), then: func(w *window) { w.until(inBell(`root?.querySelector(".badge")?.textContent === "99+"`)) }},
		{name: "bell-none", body: bellFor("none", ""), then: func(w *window) {
			w.until(inBell(`root?.querySelector(".bell")?.ariaLabel`))
			ask[any](w, inBell(`bell.client.readAnnouncements({ all: true }).then(() => bell.show())`))
			w.until(inBell(`!root.querySelector(".empty").hidden`))
		}},
		{name: "bell-open", body: bellFor("mixed", ""), then: opensBell},
		{name: "bell-unread", body: bellFor("many", ""), then: func(w *window) {
			opensBell(w)
			ask[any](w, inBell(`root.querySelector("[data-tab=unread]").click()`))
			w.until(inBell(`root.querySelector("[data-tab=unread]").textContent === "Unread 121" && root.querySelector("[data-tab=unread]").ariaPressed === "true" && root.querySelector("li .avatar svg")`))
		}},
		{name: "bell-settings", body: bellFor("mixed", "preferences"), then: func(w *window) {
			opensBell(w)
			ask[any](w, inBell(`(root.querySelector(".prefs").open = true, 0)`))
		}},
		{name: "bell-waits", query: "?never", body: bellFor("none", ""), then: func(w *window) {
			w.until(inBell(`root?.querySelector(".bell")?.ariaLabel`))
			ask[any](w, inBell(`bell.show()`))
			w.until(inBell(`[...root.querySelectorAll(".skeleton")].every((el) => el.checkVisibility({ visibilityProperty: true }))`))
		}},
		{name: "inbox", body: inboxFor("mixed", tabs+" preferences"), then: filled},
		{name: "inbox-unread", body: inboxFor("mixed", tabs+` filter="unread"`), then: filled},
		{name: "inbox-news", body: inboxFor("mixed", `announcements="tab"`), then: func(w *window) {
			filled(w)
			ask[any](w, inInbox(`tab("announcements").click()`))
			w.until(inInbox(`root.querySelector("li[data-key^=announcement] .avatar")`))
		}},
		{name: "inbox-none", body: inboxFor("none", tabs+` announcements="off"`), then: func(w *window) { w.until(inInbox(`root?.querySelector(".empty")?.hidden === false`)) }},
		{name: "inbox-waits", query: "?never", body: inboxFor("none", ""), then: func(w *window) {
			w.until(inInbox(`root && [...root.querySelectorAll(".skeleton")].filter((el) => el.checkVisibility({ visibilityProperty: true })).length === 3`))
		}},
		{name: "inbox-fails", query: "?fails", body: inboxFor("none", ""), then: func(w *window) { w.until(inInbox(`root?.querySelector(".state")?.hidden === false`)) }},
		{name: "inbox-offline", body: inboxFor("mixed", ""), then: func(w *window) {
			filled(w)
			ask[any](w, `dispatchEvent(new Event("offline"))`)
			w.until(inInbox(`root.querySelector(".state").hidden === false`))
		}},
		{name: "inbox-signed-out", status: http.StatusUnauthorized, body: `<main><h1>Notifications</h1><carillon-inbox token-url="/token"></carillon-inbox></main>`, then: func(w *window) {
			w.until(inInbox(`root?.querySelector(".state")?.hidden === false`))
		}},
		{name: "inbox-menu", body: inboxFor("acts", `actions="menu"`), then: func(w *window) {
			presses(w, "More: The report is ready")
			w.until(inInbox(`root.querySelector(".menu [role=menuitem]")`))
		}},
		{name: "inbox-own-time", body: inboxFor("acts", ""), then: func(w *window) {
			presses(w, "Later: The report is ready")
			w.until(inInbox(`item("Another time")`))
			ask[any](w, inInbox(`item("Another time").click()`))
			w.until(inInbox(`root.querySelector(".pick input")`))
		}},
		{name: "inbox-comment", body: inboxFor("acts", ""), then: func(w *window) {
			presses(w, "Reject: Pay 4,200 € to Acme?")
			w.until(inInbox(`root.querySelector(".fault").textContent !== ""`))
		}},
		{name: "inbox-answered", body: inboxFor("acts", ""), then: func(w *window) {
			presses(w, "Yes: Lunch at noon?")
			presses(w, "Approve: Pay 4,200 € to Acme?")
			presses(w, "Take: The oven is cold")
			w.until(inInbox(`root.querySelectorAll(".became").length === 3 && root.querySelector(".said div")`))
		}},
		{name: "inbox-later", body: inboxFor("acts", tabs), then: func(w *window) {
			presses(w, "Later: The report is ready")
			w.until(inInbox(`item("Tomorrow")`))
			ask[any](w, inInbox(`item("Tomorrow").click()`))
			w.until(inInbox(`root.querySelector(".said div")`))
			ask[any](w, inInbox(`tab("later").click()`))
			w.until(inInbox(`root.querySelectorAll("li .until").length === 1`))
		}},
		{name: "inbox-archived", body: inboxFor("acts", tabs), then: func(w *window) {
			presses(w, "Archive: Ann asks you to review the plan of hall 3")
			w.until(inInbox(`root.querySelector(".said div")`))
			ask[any](w, inInbox(`tab("archived").click()`))
			w.until(inInbox(`root.querySelectorAll("li .avatar").length === 1`))
		}},
		{name: "toasts", body: `<main><h1>Shop</h1><p>Your orders</p></main><carillon-toasts token-url="/token?mixed"></carillon-toasts>`, then: func(w *window) {
			w.until(`document.querySelector("carillon-toasts").client?.getSnapshot().state === "live"`)
			ask[any](w, `void document.querySelector("carillon-toasts").client.dispatchEvent(new CustomEvent("toast", { detail: { toast: { id: "1", title: "Mika invites you to the spring inventory in hall 3, which begins at eight", body: "It lasts until noon.", link: "/events/1" }, shown() {} } }))`)
			w.until(`document.querySelector("carillon-toasts").shadowRoot.querySelector(".toast")`)
			w.do(chromedp.Evaluate[chromedp.Void](`document.querySelector("carillon-toasts").shadowRoot.querySelector(".close").focus()`)) // it stays
		}},
	}
}
