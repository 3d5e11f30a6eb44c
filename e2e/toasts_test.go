package e2e

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// sendsToast sends a notice with a toast.
func (p *person) sendsToast(to, title string) {
	p.t.Helper()
	status, body := p.post("/staff/send", "target", "user", "to", to, "type", "order.late",
		"title", title, "body", "The parcel left Rotterdam on Tuesday.", "toast", "1")
	if status != http.StatusSeeOther {
		p.t.Fatalf("send %q: status %d\n%s", title, status, body)
	}
}

// toastTitles is an expression for the titles of the toasts that the page shows.
const toastTitles = `[...document.querySelectorAll("#popups .toast-title")].map(e => e.textContent.trim()).join("|")`

// noted is an expression that makes a page record all toasts that it shows from then on.
const noted = `(window.noted = [], new MutationObserver(all => all.forEach(m => m.addedNodes.forEach(n => noted.push(n.querySelector(".toast-title").textContent))))
	.observe(document.querySelector("#popups ol"), {childList: true}), true)`

// given returns an expression that makes a page record the ids of all toasts that the server sends
// to this user's browser, whether or not a page shows them.
func given(user string) string {
	return fmt.Sprintf(`(window.given = new Set(), new BroadcastChannel("carillon:" + %q).onmessage = ({data}) =>
		data.name === "toast" && data.detail.id.split(",").forEach(id => given.add(id)), true)`, user)
}

// answered returns an expression that is true once a request of the page to a path, started at or after a time of its
// clock, has a response. Only the page can attribute its requests to a change: an earlier one may be answered after
// it.
func answered(path string, since float64) string {
	return fmt.Sprintf(`%s.some(e => e.startTime >= %f)`, answers(path), since)
}

// answers returns an expression for the page's answered requests to a path. The browser keeps 250 entries by default.
func answers(path string) string {
	return fmt.Sprintf(`(performance.setResourceTimingBufferSize(10_000), performance.getEntriesByType("resource").filter(e => e.name.endsWith(%q) && e.responseEnd > 0))`, path)
}

// said returns an expression for the number of the page's answered requests to a path.
func said(path string) string { return answers(path) + ".length" }

// uses simulates a user of this tab, and waits until the tab is the one that shows toasts.
func (w *window) uses() *window {
	w.t.Helper()
	w.until(`document.querySelector("#bell[aria-expanded]")`)
	shows := func() bool { return value[bool](w, whoHolds("carillon-toasts:")) }
	since := 0.0
	if !shows() { // a tab that takes over reports that, regardless of its earlier reports
		since = ask[float64](w, `performance.now()`)
	}
	w.clickOn("h1")
	testkit.Eventually(w.t, "this tab shows toasts", shows)
	return w.until(answered("/events/active", since))
}

// TestToasts runs all tests on one site, with vera as the sender and a separate recipient for each.
func TestToasts(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("vera staff", "bob", "carol", "dave", "erin")
	i := s.serve()
	for name, test := range map[string]func(*testing.T, *instance, *person){
		"only the last used of four tabs and a second profile shows it": oneOfAll,
		"by keys, by mouse, in print":                                   atTheDesk,
		"switched off, none is shown until switched on again":           wantsNone,
		"without locks only one page shows it":                          withoutLocks,
		"a returning user gets three and the number of the others, and nothing old": func(t *testing.T, i *instance, vera *person) {
			comesBack(t, s, i, vera)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := &instance{t: t, url: i.url}
			test(t, mine, mine.person(t, "vera"))
		})
	}
}

func oneOfAll(t *testing.T, i *instance, vera *person) {
	all := tabs(t, i, 4, "bob", "/settings")
	second := open(t, i).as(i.person(t, "bob")).visit("/settings")
	second.until(answered("/events/active", 0)) // it is the tab used last
	for _, w := range append(all, second) {
		ask[bool](w, noted)
	}
	// shows sends a toast and then a notice without one. A page that shows the badge of the second has had time to
	// show the first.
	n := 0
	shows := func(who *window, title string) {
		t.Helper()
		vera.sendsToast("bob", title)
		who.until(fmt.Sprintf(`noted.includes(%q) && %s`, title, answered("/toasts/ack", 0)))
		vera.sends("bob", notice{typ: "like", title: "Calm"})
		n += 2
		times := 0
		for _, w := range append(all, second) {
			w.badge(strconv.Itoa(n))
			times += ask[int](w, fmt.Sprintf(`noted.filter(title => title === %q).length`, title))
		}
		if times != 1 {
			t.Errorf("%s is shown %d times", title, times)
		}
	}
	all[1].uses()
	shows(all[1], "Order 1 is late")
	all[2].uses()
	shows(all[2], "Order 2 is late")
	second.visit("/settings") // the user turns to the second profile
	ask[bool](second, noted)
	second.uses()
	shows(second, "Order 3 is late")
	acks := 0
	for _, w := range append(all, second) {
		acks += ask[int](w, said("/toasts/ack"))
	}
	if acks != 3 {
		t.Errorf("three toasts were acknowledged %d times", acks)
	}
	// Screen readers read the whole toast, and the bell does not repeat it.
	second.has("#popups-voice", "Order 3 is late\nThe parcel left Rotterdam on Tuesday.")
}

func comesBack(t *testing.T, s *site, i *instance, vera *person) {
	w := open(t, i).as(i.person(t, "carol")).visit("/settings").uses()
	ask[bool](w, noted)
	ask[bool](w, given("carol"))
	w.looksAway()
	for n := range 6 {
		vera.sendsToast("carol", fmt.Sprintf("Order %d is late", n))
	}
	w.badge("6")
	old, ids := waiting(t, s, 6)
	// The server leaves a toast to other instances for a moment before it sends it to a hidden page. A toast that
	// arrives while carol returns would be shown before the others, which arrive together once the server has
	// recorded that a page is visible. So wait until all have arrived.
	w.until(`given.size === 6`)
	if err := redistest.Client(t).ZIncrBy(t.Context(), old, -3_600_001, ids[0].Member.(string)).Err(); err != nil {
		t.Fatal(err)
	}
	if got := ask[string](w, `noted.join()`); got != "" {
		t.Errorf("on a hidden page %s is shown", got)
	}
	w.hide(false)
	w.showsToasts("2 more Open inbox", "Order 5 is late", "Order 4 is late", "Order 3 is late")
	testkit.Eventually(t, "all toasts are acknowledged", func() bool {
		n, err := redistest.Client(t).Exists(t.Context(), old).Result()
		return err == nil && n == 0
	})

	// The laptop is closed: no code of the page runs.
	for range 4 {
		w.types(kb.Escape)
	}
	w.showsToasts()
	w.looksAway()
	w.freeze(true)
	vera.sendsToast("carol", "Order 7 is late")
	testkit.Eventually(t, "one toast waits for carol", func() bool {
		n, err := redistest.Client(t).ZCard(t.Context(), old).Result()
		return err == nil && n == 1
	})
	w.freeze(false)
	w.hide(false)
	w.showsToasts("Order 7 is late")
}

// showsToasts waits until the page shows exactly these toasts, from the top.
func (w *window) showsToasts(want ...string) {
	w.t.Helper()
	all := strings.Join(want, "|")
	type shown struct {
		now, ever string
	}
	testkit.Until(w.withShot(), fmt.Sprintf("the toasts %q", all), func() (shown, bool) {
		got := shown{now: ask[string](w, toastTitles)}
		if got.now == all {
			return got, true
		}
		got.ever = ask[string](w, `(window.noted ?? []).join("|")`)
		return got, false
	})
}

// looksAway hides the tab and waits until the server has recorded that. A page hidden before its script has started
// reports nothing.
func (w *window) looksAway() {
	w.t.Helper()
	testkit.Eventually(w.t, "this tab takes part", func() bool { return value[bool](w, whoAsks("carillon-toasts:")) })
	since := ask[float64](w, `performance.now()`)
	w.hide(true)
	w.until(answered("/events/active", since))
}

// waiting waits until one user has n undelivered toasts, and returns their key and the toasts.
func waiting(t *testing.T, s *site, n int64) (key string, all []redis.Z) {
	t.Helper()
	rdb := redistest.Client(t)
	prefix := s.prefix()
	testkit.Eventually(t, fmt.Sprintf("%d toasts wait", n), func() bool {
		found, err := rdb.Keys(t.Context(), prefix+"pending:toast:*").Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, key = range found {
			if all, err = rdb.ZRangeWithScores(t.Context(), key, 0, -1).Result(); err == nil && int64(len(all)) == n {
				return true
			}
		}
		return false
	})
	return key, all
}

func atTheDesk(t *testing.T, i *instance, vera *person) {
	w := open(t, i).size(1280, 900).as(i.person(t, "dave"))
	see := w.watched()
	w.visit("/inbox?filter=unread").uses()
	tools := inspection(t)
	ask[bool](w, noted)

	vera.sendsToast("dave", "Order 1 is late")
	w.until(`noted.length === 1`)
	w.types("t").focusIsOn("Order 1 is late") // from here on the toast stays
	vera.sendsToast("dave", "Order 2 is late")
	w.showsToasts("Order 2 is late", "Order 1 is late")
	if role, name := w.named(`document.querySelector("#popups")`); role != "region" || name != "Pop-ups" {
		t.Errorf("the container of toasts is a %s %q", role, name)
	}
	w.tabs().focusIsOn("Close: Order 1 is late")
	w.do(chromedp.Evaluate[chromedp.Void](tools))
	if faults := append(ask[[]string](w, `look(false)`), ask[[]string](w, findings)...); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
	w.types(kb.Escape).focusIsOn("Close: Order 2 is late").types(kb.Escape)
	w.until(`document.querySelector("#popups").hidden && document.activeElement.localName === "main"`)

	// The row is not on the page yet; following the link of the toast adds it.
	w.do(focusOn("#bell"))
	vera.sendsToast("dave", "Order 3 is late")
	w.until(`noted.includes("Order 3 is late")`)
	w.visit("/inbox").uses()
	ask[bool](w, noted)
	vera.sendsToast("dave", "Order 4 is late")
	w.until(`noted.length === 1`)
	w.hovers("#popups .toast").media("", "forced-colors", "active")
	w.until(`(s => s.borderTopStyle === "solid" && parseFloat(s.borderTopWidth) >= 1)(getComputedStyle(document.querySelector(".toast")))`)
	w.media("print").until(`!document.querySelector(".toast").checkVisibility()`)
	w.media("", "prefers-reduced-motion", "reduce").until(`getComputedStyle(document.querySelector(".toast")).animationName === "none"`)
	w.media("")
	w.clickOn("#popups a")
	w.until(inRow("Order 4 is late"))

	// The row is on an older page by now; following the link loads pages until it is there.
	w.visit("/settings").uses()
	ask[bool](w, noted)
	vera.sendsToast("dave", "Order 5 is late")
	w.until(`noted.length === 1`).hovers("#popups .toast") // from here on the toast stays
	for _, n := range usualNotices(65) {
		vera.sends("dave", n)
	}
	w.clickOn("#popups a")
	w.until(inRow("Order 5 is late"))
	if faults := see.complaints(0); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
}

// inRow returns an expression that is true if the focus is on a row with this title.
func inRow(title string) string {
	return fmt.Sprintf(`document.activeElement.matches("main .row") && document.activeElement.querySelector("h3").textContent.includes(%q)`, title)
}

// hovers moves the mouse over an element.
func (w *window) hovers(sel string) *window {
	w.t.Helper()
	at := ask[[]float64](w, fmt.Sprintf(`(b => [b.x + b.width / 2, b.y + b.height / 2])(document.querySelector(%q).getBoundingClientRect())`, sel))
	_, err := chromedp.Call(w.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1]})
	if err != nil {
		w.t.Fatalf("hover over %s: %v", sel, err)
	}
	return w
}

func wantsNone(t *testing.T, i *instance, vera *person) {
	erin := i.person(t, "erin")
	erin.leads("/settings", "locale", "en", "theme", "light", "keys", "1", "toasts", "0")
	w := open(t, i).as(erin).visit("/inbox?filter=unread").until(live)
	ask[bool](w, noted)
	vera.sendsToast("erin", "Order 1 is late")
	w.badge("1")
	vera.sends("erin", notice{typ: "like", title: "Calm"})
	w.badge("2")
	if n := ask[int](w, `noted.length`); n != 0 {
		t.Errorf("%d toasts are shown", n)
	}
	erin.leads("/settings", "locale", "en", "theme", "light", "keys", "1", "toasts", "1")
	w.showsToasts("Order 1 is late") // in the same page: the server applies the setting
	erin.leads("/settings", "locale", "en", "theme", "light", "keys", "1", "toasts", "0")
	vera.sendsToast("erin", "Order 2 is late")
	w.badge("3")
	vera.sends("erin", notice{typ: "like", title: "Calmer"})
	w.badge("4")
	if n := ask[int](w, `noted.length`); n != 1 {
		t.Errorf("%d toasts are shown, want one", n)
	}
	pauses(t, erin, w, vera)
}

// pauses makes erin pause: her open pages, and pages that she opens, show no toasts until she resumes.
func pauses(t *testing.T, erin *person, w *window, vera *person) {
	t.Helper()
	erin.leads("/settings/pause", "for", "1h")
	erin.leads("/settings", "locale", "en", "theme", "light", "keys", "1", "toasts", "1") // a pause comes first
	vera.sendsToast("erin", "Order 3 is late")
	w.badge("5")
	w.visit("/inbox?filter=unread").until(live)
	ask[bool](w, noted)
	vera.sends("erin", notice{typ: "like", title: "Calmest"})
	w.badge("6")
	if n := ask[int](w, `noted.length`); n != 0 {
		t.Errorf("%d toasts are shown in a pause", n)
	}
	erin.leads("/settings/pause", "for", "off")
	w.until(`noted.length === 2`) // the withheld ones
}

func withoutLocks(t *testing.T, i *instance, vera *person) {
	lan := &instance{t: t, url: strings.Replace(i.url, "127.0.0.1", "lan.test", 1)}
	home := open(t, lan)
	one, two := home.tab().signIn("vera").goTo("/settings"), home.tab().goTo("/settings")
	for _, w := range []*window{one, two} {
		w.until(`document.querySelector("#bell[aria-expanded]") && !("locks" in navigator)`)
		ask[bool](w, noted)
	}
	vera.sendsToast("vera", "Order 1 is late")
	one.badge("1")
	two.badge("1")
	testkit.Eventually(t, "one page shows the toast", func() bool { return ask[int](one, said("/toasts/ack"))+ask[int](two, said("/toasts/ack")) == 1 })
	if n := ask[int](one, `noted.length`) + ask[int](two, `noted.length`); n != 1 {
		t.Errorf("the toast is shown %d times", n)
	}
}
