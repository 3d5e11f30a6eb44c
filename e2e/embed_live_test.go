package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// bellSays is an expression that is true once the badge of the bell is this text; "" is no badge.
func bellSays(text string) string {
	return inBell(`bell.client && bell.client.getSnapshot().badge.unread !== null && root?.querySelector(".badge") && (root.querySelector(".badge").hidden ? "" : root.querySelector(".badge").textContent) === ` + strconv.Quote(text))
}

// orders sends a notice to a user of the shop.
func (s *site) orders(user, title string) {
	s.t.Helper()
	s.carillon("", "send", "--to", user, "--type", "order", "--subject", strings.ReplaceAll(title, " ", "-"), "--title", title)
}

func TestTheTabsOfAHostShareOneStreamAndOneToken(t *testing.T) {
	t.Parallel()
	s := many(t)
	i := s.measured()
	shop := newShop(t, s, i, "4711")
	home := open(t, i)
	var all []*window
	for range 4 {
		w := home.tab()
		w.do(chromedp.Navigate(shop.URL))
		w.until(bellSays(""))
		all = append(all, w)
	}
	i.streams("1")
	s.orders("4711", "One")
	s.orders("4711", "Two")
	for _, w := range all {
		w.until(bellSays("2"))
	}
	ask[any](all[3], inBell(`bell.show()`))
	for _, w := range all {
		w.until(bellSays(""))
	}

	// The tab with the stream requests the next token, and the others adopt it.
	before := shop.asked.Load()
	ask[any](all[1], `fetch("/carillon/token").then(r => r.json()).then(({ token }) => new BroadcastChannel("carillon token " + `+strconv.Quote(i.url+"/ ")+` + location.origin + "/carillon/token").postMessage(token))`)
	for _, w := range all {
		ask[any](w, inBell(`bell.client.load().then(() => 0)`))
	}
	if asked := shop.asked.Load() - before; asked != 1 {
		t.Errorf("a token was asked for %d times", asked)
	}
	// Another user has signed in: the next page notifies all tabs, and no data of the first user is left.
	shop.signIn("4712")
	all[0].do(chromedp.Navigate(shop.URL))
	for _, w := range all {
		w.until(inBell(`bell.client?.getSnapshot().user === "4712"`)).until(bellSays(""))
		if rows := ask[int](w, inBell(`root.querySelectorAll("li").length`)); rows != 0 {
			t.Errorf("%d rows of the user before are left", rows)
		}
	}
	i.streams("1")
}

// The stream of a token ends soon after it: the element reopens it before anyone notices.
func TestATokenExpiresInTheMiddleOfAStreamUnseen(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.old.Store(57) // seconds; a stream lives for a minute longer than its token
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	w.until(bellSays(""))
	ask[any](w, inBell(`(window.states = [], bell.addEventListener("carillon-state", e => states.push(e.detail.state)), 0)`))
	asked := shop.asked.Load()
	shop.old.Store(0)
	testkit.Eventually(t, "the element asks for the next token", func() bool { return shop.asked.Load() > asked })
	s.orders("4711", "After the first token")
	w.until(bellSays("1"))
	if states := ask[[]string](w, `states`); strings.Contains(strings.Join(states, " "), "signed-out") || strings.Contains(strings.Join(states, " "), "polling") {
		t.Errorf("the states are %v", states)
	}
}

func TestABellIsRightAfterTheServerWasKilledAndAfterItsPageWasOffline(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	w.until(bellSays(""))
	u, err := url.Parse(i.url)
	if err != nil {
		t.Fatal(err)
	}
	i.kill()
	w.until(inBell(`["reconnecting", "offline"].includes(bell.client.getSnapshot().state)`))
	s.serve("--addr", u.Host)
	s.orders("4711", "While the bell was away")
	w.until(bellSays("1"))
	// The call by which a page of an app finds out that its origin is not refused.
	if got := ask[int](w, fmt.Sprintf(`fetch("%s/api/v1/me", { headers: { "Content-Type": "application/json" } }).then(r => r.status)`, i.url)); got != http.StatusUnauthorized {
		t.Errorf("a call without a token answers %d", got)
	}
	w.offline(true)
	w.until(inBell(`bell.client.getSnapshot().state === "offline"`))
	s.orders("4711", "While the page was offline")
	w.offline(false)
	w.until(bellSays("2"))
}

// Ten thousand notices arrive while the panel is open. Rows that stay keep their elements, the page keeps a bounded
// number of them, and a screen reader announces a phrase now and then.
func TestManyNoticesDoNotDisturbAnOpenPanel(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	w.until(bellSays(""))
	s.orders("4711", "The first")
	w.until(bellSays("1"))
	ask[any](w, inBell(`bell.setAttribute("read-on", "click"), bell.show()`))
	w.until(inBell(`root.querySelectorAll("li").length === 1`))
	ask[any](w, inBell(`(window.first = root.querySelector("li"), window.said = [], new MutationObserver(() => said.push(performance.now())).observe(root.querySelector(".sr[role=status]"), { childList: true, characterData: true, subtree: true }), 0)`))
	key := strings.TrimSpace(s.carillon("", "key", "add", "load", "--scope", "send"))
	if at := strings.Index(key, "ck_"); at >= 0 {
		key, _, _ = strings.Cut(key[at:], "\n")
	}
	const first, all, most = 150, 10_000, 1000 // the inbox holds 200, so it has room for the first ones
	for from, to := 0, first; from < all; from, to = to, min(to+most, all) {
		var notices []map[string]any
		for n := from; n < to; n++ {
			notices = append(notices, map[string]any{
				"target": map[string]any{"users": []string{"4711"}}, "type": "order", "subject": strconv.Itoa(n), "title": fmt.Sprintf("Order %d", n),
			})
		}
		body, err := json.Marshal(map[string]any{"notices": notices})
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.url+"/api/v1/notices/batch", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode/100 != 2 {
			t.Fatalf("a batch is answered by %s", res.Status)
		}
		if from == 0 {
			w.until(inBell(`root.querySelectorAll("li").length === 151`))
			if !ask[bool](w, `first.isConnected`) {
				t.Error("a row that stays was made again")
			}
		}
	}
	w.until(inBell(`bell.client.getSnapshot().badge.inbox === 200 && root.querySelector("li .title").textContent === "Order 9999"`))
	if rows := ask[int](w, inBell(`root.querySelectorAll("li").length`)); rows > 500 {
		t.Errorf("the panel has %d rows", rows)
	}
	phrases := ask[[]float64](w, `said`)
	for n := 1; n < len(phrases); n++ {
		if apart := time.Duration(phrases[n]-phrases[n-1]) * time.Millisecond; apart < 4900*time.Millisecond {
			t.Errorf("two phrases are %s apart", apart)
		}
	}
}

// A thousand elements come and go, as in an application that shows page after page.
func TestElementsThatHaveLeftLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	w.until(bellSays(""))
	mount := func(times int) {
		ask[any](w, fmt.Sprintf(`(async () => { for (let n = 0; n < %d; n++) {
			const all = ["bell", "inbox", "toasts"].map(name => document.createElement("carillon-" + name));
			for (const el of all) { el.setAttribute("token-url", "/carillon/token?once"); el.setAttribute("read-on", "click"); document.body.append(el); }
			if (n %% 10 === 0) await new Promise(done => setTimeout(done, 20));
			for (const el of all) el.remove();
			if (n %% 10 === 0) await new Promise(done => setTimeout(done, 20));
		} })()`, times))
	}
	count := func() (nodes, listeners int64) {
		t.Helper()
		for range 3 { // objects freed by one collection may free more
			if _, err := chromedp.Call(w.ctx, heapprofiler.CollectGarbage, cdp.Empty{}); err != nil {
				t.Fatal(err)
			}
		}
		found, err := chromedp.Call(w.ctx, memory.GetDOMCounters, cdp.Empty{})
		if err != nil {
			t.Fatal(err)
		}
		return found.Nodes, found.JsEventListeners
	}
	mount(100)
	nodes, listeners := count()
	mount(1000)
	testkit.Eventually(t, "nothing of a thousand elements is left", func() bool {
		more, heard := count()
		return more < nodes+500 && heard < listeners+100
	})
	w.until(bellSays(""))
	s.orders("4711", "After all of them")
	w.until(bellSays("1"))
}
