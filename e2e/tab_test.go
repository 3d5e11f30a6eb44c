package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// tab opens another tab of the same person. The tabs share cookies, locks and channels.
func (w *window) tab() *window {
	w.t.Helper()
	ctx, cancel := chromedp.NewContext(w.ctx)
	w.t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		w.t.Fatalf("open a tab: %v", err)
	}
	return &window{t: w.t, ctx: ctx, url: w.url, close: cancel}
}

// tabs opens n tabs of one person, who signs in in the first. The first tab leads, because the
// others open later.
func tabs(t *testing.T, i *instance, n int, name, path string) []*window {
	t.Helper()
	// An additional window keeps the browser open, so that each tab can be closed.
	home := open(t, i)
	all := []*window{home.tab().signIn(name).goTo(path)}
	all[0].leading()
	for len(all) < n {
		all = append(all, home.tab().goTo(path))
	}
	return all
}

// again attaches to the same tab once more. A page restored from the history sends no event, so
// chromedp would not know its document.
func (w *window) again() *window {
	w.t.Helper()
	id := chromedp.FromContext(w.ctx).Target.TargetID
	ctx, cancel := chromedp.NewContext(w.ctx, chromedp.WithTargetID(id), chromedp.WithDetachOnCancel())
	w.t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		w.t.Fatalf("attach to a tab again: %v", err)
	}
	return &window{t: w.t, ctx: ctx, url: w.url, close: w.close}
}

// value evaluates a JavaScript expression and awaits its result if that is a promise.
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

// whoHolds returns an expression that is true if this page holds a lock whose name begins with lock. A page cannot
// read its own client id, so it acquires a lock with a unique name and reads the id of that lock's holder.
func whoHolds(lock string) string { return whoHas("held", lock) }

// whoAsks is whoHolds, but also true for a page that waits for the lock.
func whoAsks(lock string) string { return whoHas("[...held, ...pending]", lock) }

func whoHas(locks, lock string) string {
	return fmt.Sprintf(`(async () => {
		const mine = "mine" + Math.random();
		const {held, pending} = await navigator.locks.request(mine, () => navigator.locks.query());
		const {clientId} = held.find(l => l.name === mine);
		return %s.some(l => l.name.startsWith(%q) && l.clientId === clientId);
	})()`, locks, lock)
}

// leading waits until this tab leads, that is, has the stream of all tabs.
func (w *window) leading() {
	w.t.Helper()
	testkit.Eventually(w.t, "this tab leads", func() bool { return value[bool](w, whoHolds("carillon:")) })
}

// freeze suspends all code of the page, as browsers do to save power; false resumes it.
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

// hide hides the tab; false shows it again.
func (w *window) hide(on bool) {
	w.t.Helper()
	state, want := cdpbrowser.WindowStateNormal, "visible"
	if on {
		state, want = cdpbrowser.WindowStateMinimized, "hidden"
	}
	_, err := chromedp.Call(w.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{})
	if err != nil {
		w.t.Fatalf("hide a tab: %v", err)
	}
	at, err := chromedp.Call(w.ctx, cdpbrowser.GetWindowForTarget, cdpbrowser.GetWindowForTargetParams{})
	if err != nil {
		w.t.Fatalf("find the window of a tab: %v", err)
	}
	bounds := cdpbrowser.SetWindowBoundsParams{WindowID: at.WindowID, Bounds: &cdpbrowser.Bounds{WindowState: state}}
	if _, err := chromedp.Call(w.ctx, cdpbrowser.SetWindowBounds, bounds); err != nil {
		w.t.Fatalf("make a window %s: %v", state, err)
	}
	testkit.Eventually(w.t, "the tab is "+want, func() bool { return value[string](w, "document.visibilityState") == want })
}

// offline disconnects the tab from the network; false reconnects it.
func (w *window) offline(on bool) {
	w.t.Helper()
	l := fullSpeed
	l.Offline = on
	w.line(l)
}

var metricsAt = regexp.MustCompile(`Metrics are at (http://\S+)`)

// streams waits until the server has this number of open streams.
func (i *instance) streams(want string) {
	i.t.Helper()
	var at []string
	testkit.Eventually(i.t, "the server prints the address of its metrics", func() bool {
		at = metricsAt.FindStringSubmatch(i.logs())
		return at != nil
	})
	testkit.Eventually(i.t, "the server has "+want+" streams", func() bool {
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

// measured starts an instance whose metrics can be read.
func (s *site) measured() *instance {
	s.t.Helper()
	return s.serve("--addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
}
