package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// tab opens one more tab of the same person: cookies, locks and channels are
// shared.
func (w *window) tab() *window {
	w.t.Helper()
	ctx, cancel := chromedp.NewContext(w.ctx)
	w.t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		w.t.Fatalf("open a tab: %v", err)
	}
	return &window{t: w.t, ctx: ctx, url: w.url, close: cancel}
}

// tabs opens tabs of one person who signs in in the first of them. That one
// leads: the others come later.
func tabs(t *testing.T, i *instance, n int, name, path string) []*window {
	t.Helper()
	// A window beside them, so that each of them can be closed.
	home := open(t, i)
	all := []*window{home.tab().signIn(name).goTo(path)}
	all[0].leading()
	for len(all) < n {
		all = append(all, home.tab().goTo(path))
	}
	return all
}

// again is the same tab, looked at anew. A page that comes out of the history
// sends no event by which chromedp would know its document.
func (w *window) again() *window {
	w.t.Helper()
	id := chromedp.FromContext(w.ctx).Target.TargetID
	ctx, cancel := chromedp.NewContext(w.ctx, chromedp.WithTargetID(id), chromedp.WithDetachOnCancel())
	w.t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		w.t.Fatalf("look at a tab anew: %v", err)
	}
	return &window{t: w.t, ctx: ctx, url: w.url, close: w.close}
}

// value is what a JavaScript expression comes to, promises kept.
func value[T any](w *window, js string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("evaluate %s: %v", js, err)
	}
	return v
}

// wait waits until something is so.
func wait(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
		<-tick.C
	}
}

// whoHolds asks the browser whether this page holds a lock whose name begins so. A
// page does not know its own name there, but that of a lock it has just taken.
func whoHolds(lock string) string {
	return fmt.Sprintf(`(async () => {
		const mine = "mine" + Math.random();
		const {held} = await navigator.locks.request(mine, () => navigator.locks.query());
		const {clientId} = held.find(l => l.name === mine);
		return held.some(l => l.name.startsWith(%q) && l.clientId === clientId);
	})()`, lock)
}

// leading waits until this tab is the one that has the stream.
func (w *window) leading() {
	w.t.Helper()
	wait(w.t, "this tab leads", func() bool { return value[bool](w, whoHolds("carillon:")) })
}

// freeze stops all code of the page, as browsers do to save power; false lets
// it go on.
func (w *window) freeze(on bool) {
	w.t.Helper()
	state := page.SetWebLifecycleStateStateActive
	if on {
		state = page.SetWebLifecycleStateStateFrozen
	}
	if _, err := chromedp.Call(w.ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: state}); err != nil {
		w.t.Fatalf("make a tab %s: %v", state, err)
	}
}

// hide makes the tab one that nobody sees; false shows it again.
func (w *window) hide(on bool) {
	w.t.Helper()
	state, want := cdpbrowser.WindowStateNormal, "visible"
	if on {
		state, want = cdpbrowser.WindowStateMinimized, "hidden"
	}
	_, err := chromedp.Call(w.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{})
	if err != nil {
		w.t.Fatalf("let a tab be hidden: %v", err)
	}
	at, err := chromedp.Call(w.ctx, cdpbrowser.GetWindowForTarget, cdpbrowser.GetWindowForTargetParams{})
	if err != nil {
		w.t.Fatalf("find the window of a tab: %v", err)
	}
	bounds := cdpbrowser.SetWindowBoundsParams{WindowID: at.WindowID, Bounds: &cdpbrowser.Bounds{WindowState: state}}
	if _, err := chromedp.Call(w.ctx, cdpbrowser.SetWindowBounds, bounds); err != nil {
		w.t.Fatalf("make a window %s: %v", state, err)
	}
	wait(w.t, "the tab is "+want, func() bool { return value[string](w, "document.visibilityState") == want })
}

// offline takes the network away from the tab; false gives it back.
func (w *window) offline(on bool) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, network.OverrideNetworkState, network.OverrideNetworkStateParams{
		Offline: on, DownloadThroughput: -1, UploadThroughput: -1,
	})
	if err != nil {
		w.t.Fatalf("offline %t: %v", on, err)
	}
}

var metricsAt = regexp.MustCompile(`Metrics are at (http://\S+)`)

// streams waits until the server has so many streams open.
func (i *instance) streams(want string) {
	i.t.Helper()
	var at []string
	wait(i.t, "the server says where its metrics are", func() bool {
		at = metricsAt.FindStringSubmatch(i.logs())
		return at != nil
	})
	wait(i.t, "the server has "+want+" streams", func() bool {
		resp, err := http.Get(at[1])
		if err != nil {
			i.t.Fatal(err)
		}
		defer resp.Body.Close()
		for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
			if got, ok := strings.CutPrefix(sc.Text(), "carillon_streams "); ok {
				return got == want
			}
		}
		return false
	})
}

// measured starts an instance that counts its streams.
func (s *site) measured() *instance {
	s.t.Helper()
	return s.serve("--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
}
