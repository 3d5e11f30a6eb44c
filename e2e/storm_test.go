package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The storm is 20 notices per second for 6 seconds.
const (
	stormRate = 20
	stormSize = 6 * stormRate
)

// recorder records the changes that scripts make to the panel, the button and the live region.
const recorder = `(() => {
	const seen = window.seen = {removed: 0, moved: 0, said: [], offers: []};
	const list = document.querySelector("#panel .rows");
	const first = seen.first = [...list.children];
	const places = () => first.map(r => Math.round(r.getBoundingClientRect().top)).join();
	const before = places();
	new MutationObserver(all => {
		for (const m of all) seen.removed += m.removedNodes.length + m.addedNodes.length;
		if (places() !== before) seen.moved++;
	}).observe(list, {childList: true, subtree: true});
	new MutationObserver(() => {
		seen.said.push(performance.now());
	}).observe(document.querySelector("#announcer"), {childList: true, characterData: true, subtree: true});
	const offer = document.querySelector("#panel-arrivals");
	new MutationObserver(() => {
		seen.offers.push(offer.textContent);
		if (places() !== before) seen.moved++;
	}).observe(offer, {childList: true, attributes: true});
	return true;
})()`

func TestThePanelStaysCalmAtTwentyNoticesPerSecond(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, usualNotices(12)...)
	w.visit("/settings").until(live2)
	openPanel(w)
	if said := ask[string](w, textOf("#announcer")); said != "" {
		t.Errorf("at load the live region has %q", said)
	}
	ask[bool](w, recorder)

	pace := time.NewTicker(time.Second / stormRate)
	defer pace.Stop()
	began := time.Now()
	for i := range stormSize {
		<-pace.C
		vera.sends("bob", notice{typ: "order.late", subject: "storm:" + strconv.Itoa(i), title: fmt.Sprintf("Order %d is late", i)})
	}
	t.Logf("%d notices in %v", stormSize, time.Since(began).Round(time.Millisecond))
	w.badge("99+")
	w.until(fmt.Sprintf(`document.querySelector("#bell").getAttribute("aria-label") === "Notifications: %d unread"`, stormSize+12))
	w.has("#panel-arrivals", fmt.Sprintf("%d new", stormSize))
	w.until(fmt.Sprintf(`document.querySelector("#announcer").textContent.startsWith("%d unread, newest: Order %d is late")`, stormSize+12, stormSize-1))

	if n := ask[int](w, `seen.removed`); n != 0 {
		t.Errorf("%d rows were added or removed while the panel was open", n)
	}
	if n := ask[int](w, `seen.moved`); n != 0 {
		t.Errorf("the rows moved %d times", n)
	}
	if !ask[bool](w, `seen.first.length === 10 && seen.first.every(r => r.isConnected)`) {
		t.Error("the rows are not the same nodes any more")
	}
	said := ask[[]float64](w, `seen.said`)
	for i := 1; i < len(said); i++ {
		if gap := said[i] - said[i-1]; gap < 4950 {
			t.Errorf("two phrases were announced within %.0f ms", gap)
		}
	}
	if len(said) < 2 {
		t.Errorf("only %d phrases were announced", len(said))
	}
	if offers := ask[[]string](w, `seen.offers`); len(slices.Compact(offers)) < 5 {
		t.Errorf("the button did not count: %q", offers)
	}
	w.shot("panel-storm")

	w.clickOn(`#panel-arrivals`)
	w.until(fmt.Sprintf(`document.querySelector("#panel .row h3").textContent.includes("Order %d is late")`, stormSize-1))
	w.until(`document.querySelector("#panel-arrivals").hidden && document.activeElement.closest("#panel")`)
}

func TestLoadingAPageAnnouncesNothing(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, usual[:3]...)
	w.visit("/inbox?filter=unread").until(live)
	ask[bool](w, `(window.said = [], new MutationObserver(() => said.push(document.querySelector("#announcer").textContent)).observe(document.querySelector("#announcer"), {childList: true, characterData: true, subtree: true}), true)`)
	// The page reports that a user sees it once the stream has sent the first badge, which is never announced. A
	// later notice is. A phrase for the first badge would be announced within half a second.
	w.until(answered("/events/active", 0)).passes(time.Second)
	vera.sends("bob", usual[3])
	w.until(`said.length > 0`)
	if said := ask[[]string](w, `said`); len(said) != 1 || said[0] != "4 unread, newest: "+usual[3].title {
		t.Errorf("the live region has %q", said)
	}
	w.do(chromedp.Evaluate[chromedp.Void](`1`))
}
