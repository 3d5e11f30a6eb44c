package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// While an inbox loads it has three rows without content, after a moment; without rows it says so.
func TestAnInboxInAHostShowsThatItLoadsAndThatItIsEmpty(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	held, tokens := make(chan struct{}), shop.Config.Handler
	shop.answers("/late-token", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-held:
		case <-r.Context().Done():
			return
		}
		r.URL.Path = "/carillon/token"
		tokens.ServeHTTP(w, r)
	})
	shop.page(i, "/late", `<h1>Shop</h1><carillon-inbox token-url="/late-token" tabs="all archived later"></carillon-inbox>`)
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/late"))
	const waiting = `[...root?.querySelectorAll("[part=skeleton]") ?? []].filter((el) => el.checkVisibility({ visibilityProperty: true }))`
	w.until(inInbox(waiting + `.length === 3 && root.querySelector(".empty").hidden`))
	if style := ask[string](w, inInbox(`(({ animationDelay, animationFillMode }) => animationDelay + " " + animationFillMode)(getComputedStyle(`+waiting+`[0]))`)); style != "0.2s backwards" {
		t.Errorf("the rows without content appear after %s", style)
	}
	w.shot("embed-skeleton")
	close(held)
	w.until(inInbox(waiting + `.length === 0 && !root.querySelector(".empty").hidden && root.querySelector(".empty svg") !== null && root.querySelector(".empty").innerText.replaceAll("\n", "|")=== "You're all caught up.|New notifications appear here."`))
	w.pleasesAxe("embed-empty")
	ask[any](w, inInbox(`tab("archived").click()`))
	w.until(inInbox(`root.querySelector(".empty").innerText.startsWith("Nothing archived")`))
	ask[any](w, inInbox(`tab("later").click()`))
	w.until(inInbox(`root.querySelector(".empty").innerText.startsWith("Nothing for later")`))
}

// A task is taken, given back and reported as done in a page of a host, under the strictest policy; somebody who is slower learns who has it.
func TestATaskIsTakenInAPageOfAHost(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	s.user("4711")
	s.user("4712")
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "ovens", "--scope", "send"))}
	host.call(http.MethodPost, "/notices", `{"target":{"users":["4711","4712"]},"type":"oven","title":"The oven is cold","take":{"within":"30m"}}`)
	w := open(t, i)
	w.watchesThePolicy().do(chromedp.Navigate(shop.URL + "/notifications"))
	deeds := func(names string) string {
		return `[...row("oven")?.querySelectorAll(".question .button") ?? []].map((b) => b.textContent).join() === "` + names + `"`
	}
	w.until(inInbox(deeds("Take")))
	w.pleasesAxe("embed-task")
	ask[any](w, inInbox(`named("Take: The oven is cold").click()`))
	w.until(inInbox(deeds("Done,Give back") + ` && /^You have it since [\d:]+ [AP]M$/.test(row("oven").querySelector(".became").textContent)`))
	w.pleasesAxe("embed-task-taken")
	ask[any](w, inInbox(`named("Give back: The oven is cold").click()`))
	w.until(inInbox(deeds("Take")))

	// Another user takes it, and the page has not heard of it.
	other := open(t, i).as(i.person(t, "4712"))
	other.visit("/inbox").titles("The oven is cold")
	ask[any](w, inInbox(`(window.late = named("Take: The oven is cold"), 0)`))
	other.until(live2).clickOn(".question button")
	w.until(inInbox(deeds("") + ` && row("oven").querySelector(".became").textContent.startsWith("4712 has it since ")`))
	ask[any](w, inInbox(`late.click()`))
	w.until(inInbox(`root.querySelector(".said").textContent === "Somebody else was faster."`))
	w.keepsThePolicy()
}

// A notice comes back at a time that the user has chosen.
func TestANoticeIsPutAwayUntilATimeOfTheUsersChoice(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	s.user("4711")
	s.carillon("", "send", "--to", "4711", "--type", "review", "--subject", "1", "--title", "The review")
	w := open(t, i)
	w.watchesThePolicy().do(chromedp.Navigate(shop.URL + "/notifications"))
	w.until(inInbox(`named("Later: The review")`))
	ask[any](w, inInbox(`named("Later: The review").click()`))
	w.until(inInbox(`item("Another time")`))
	ask[any](w, inInbox(`item("Another time").click()`))
	w.until(inInbox(`root.activeElement?.type === "datetime-local" && root.activeElement.value.endsWith("T09:00") && root.querySelector(".menu").role === "dialog"`))
	w.shot("embed-own-time")
	// Escape gives the focus back.
	w.types("\x1b").until(inInbox(`!root.querySelector(".menu") && root.activeElement === named("Later: The review")`))
	ask[any](w, inInbox(`named("Later: The review").click()`))
	ask[any](w, inInbox(`item("Another time").click()`))
	w.until(inInbox(`root.querySelector(".pick input")`))
	w.pleasesAxe("embed-own-time")
	ask[any](w, inInbox(`(root.querySelector(".pick input").value = "2020-01-01T10:00", root.querySelector(".pick button").click())`))
	w.until(inInbox(`rows() === "*The review" && !root.querySelector(".pick input").validity.valid`)) // it has passed
	ask[any](w, inInbox(`(() => { const at = new Date(Date.now() + 3 * 86400000); at.setHours(10, 20, 0, 0); window.chosen = at; root.querySelector(".pick input").value = new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16); root.querySelector(".pick button").click(); })()`))
	w.until(inInbox(`rows() === "" && root.querySelector(".said").textContent.startsWith("Put away.")`))
	if same := ask[bool](w, inInbox(`inbox.client.load({ filter: "later" }).then(() => +new Date(inbox.client.getSnapshot().notices[0].until) === +chosen)`)); !same {
		t.Error("it comes back at another time")
	}
	w.keepsThePolicy()
}

// The row of an announcement has its text in one line, its picture and its buttons, and following one reads it.
func TestAnAnnouncementInAHostHasItsPictureAndButtons(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.flags = append(s.flags, "--image-hosts", "cdn.example.com")
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/posts", `<h1>Shop</h1><carillon-inbox token-url="/carillon/token" read-on="click"></carillon-inbox>`)
	s.user("4711")
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "news", "--scope", "send"))}
	host.call(http.MethodPost, "/notices", `{"target":{"audiences":["user"]},"type":"news","title":"Closed on Sunday","body":"The *shop*, and the\n\n- office\n- store","link":"/news/1",`+
		`"image":{"url":"https://cdn.example.com/plan.png","alt":"A plan"},"actions":[{"label":"Read more","link":"/news/1","style":"primary"},{"label":"Map","link":"/map"}]}`)
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/posts"))
	const post = `root.querySelector("li[data-key^=announcement]")`
	w.until(inInbox(post + `?.querySelector(".body")?.textContent === "The shop, and the office store" && ` + post + `.querySelector("time").textContent !== "" && ` + post + `.querySelector("[part=avatar]") !== null`))
	w.until(inInbox(`[...` + post + `.querySelectorAll("[part=button]")].map((a) => a.textContent).join() === "Read more,Map"`))
	w.until(inInbox(`[...` + post + `.querySelectorAll(":scope > :not(.dot, .avatar, .buttons)")].map((el) => el.textContent).join("|").replace(/now|1m ago/, "") === "Closed on Sunday||The shop, and the office store|✕" && ` + post + `.innerText.match(/undefined/) === null`))
	w.pleasesAxe("embed-announcement") // it leaves a touch screen
	if box := ask[string](w, inInbox(`(({ width, height }) => width + "x" + height)(named("Dismiss: Closed on Sunday").getBoundingClientRect())`)); box != "44x44" {
		t.Errorf("the button that dismisses it has %s", box)
	}
	ask[any](w, `void (window.left = [], addEventListener("carillon-navigate", (e) => { e.preventDefault(); left.push(e.detail.href + " " + e.detail.notice.type); }))`)
	ask[any](w, inInbox(post+`.querySelectorAll("[part=button]")[1].click()`))
	w.until(inInbox(`left.join() === "/map news" && inbox.client.getSnapshot().badge.announcements === 0`))
}

// The icon of a page that may read it has a dot while something is unread, and is its own again then.
func TestTheIconOfAPageHasADotWhileSomethingIsUnread(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.answers("/icon", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="/icon.svg"><script>window.said = []; console.error = (...what) => said.push(what.join(" "));</script>`+
			`<script type="module" src="%s/embed/v1.js"></script><carillon-bell token-url="/carillon/token" read-on="click" favicon-badge preferences></carillon-bell>`, i.url)
	})
	shop.answers("/icon.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32"><rect width="32" height="32" fill="navy"/></svg>`)
	})
	s.user("4711")
	s.orders("4711", "One")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/icon"))
	const href = `document.querySelector("link[rel=icon]").getAttribute("href")`
	w.until(bellSays("1")).until(href + `.startsWith("data:image/png")`)
	red := ask[string](w, `(async () => { const img = new Image(); img.src = `+href+`; await img.decode(); const c = document.createElement("canvas"); const p = c.getContext("2d"); p.drawImage(img, 0, 0); return [p.getImageData(24, 8, 1, 1).data, p.getImageData(4, 28, 1, 1).data].map(([r, g, b]) => r > 200 && b < 100 ? "red" : b > 100 && r < 50 ? "navy" : "?").join(); })()`)
	if red != "red,navy" {
		t.Errorf("the icon has the colors %s", red)
	}
	ask[any](w, inBell(`bell.client.read({ keys: ["order:One"] }).then(() => 0)`))
	w.until(href + ` === "/icon.svg"`)
	s.orders("4711", "Two")
	w.until(href + `.startsWith("data:image/png")`)
	// The panel has preferences, once there are types.
	ask[any](w, strings.ReplaceAll(typesExist, "carillon-inbox", "carillon-bell"))
	ask[any](w, inBell(`bell.show()`))
	w.until(inBell(`root.querySelector(".foot .prefs")`))
	ask[any](w, inBell(`(root.querySelector(".prefs").open = true, 0)`))
	w.until(inBell(`root.querySelector(".types").textContent === "order"`))
	w.shot("embed-bell-preferences")
	ask[any](w, inBell(`bell.remove()`))
	w.until(href + ` === "/icon.svg" && said.length === 0`)
}
