package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// heaviest is the most that a first visit to the inbox may transfer, in bytes, including the headers
// of all responses.
const heaviest = 60 << 10

// shifts adds up the layout shifts while the page loads and records which elements moved.
const shifts = `window.shifted = 0;
	window.movers = [];
	new PerformanceObserver(list => list.getEntries().forEach(e => {
		window.shifted += e.value;
		for (const {node, previousRect: was, currentRect: is} of e.sources)
			window.movers.push(Math.round(e.startTime) + " ms: " + (node?.outerHTML ?? node?.data ?? "").slice(0, 120) + " from " + [was.x, was.y, was.width, was.height] + " to " + [is.x, is.y, is.width, is.height]);
	})).observe({type: "layout-shift", buffered: true});`

func TestTheFirstVisitIsSmallAndTheSecondNearlyEmpty(t *testing.T) {
	t.Parallel()
	w, _ := desk(t, usualNotices(30)...)
	see := w.watched()
	w.visit("/inbox").until(live)
	total := int64(0)
	see.mu.Lock()
	for address, n := range see.bytes {
		total += n
		t.Logf("%6d %s", n, strings.TrimPrefix(address, w.url))
	}
	see.mu.Unlock()
	t.Logf("first visit: %d bytes in %d answers", total, len(see.bytes))
	most := int64(heaviest)
	if w.path() != "" {
		most += 1 << 10 // each address is longer
	}
	if total > most || total < 10<<10 {
		t.Errorf("the first visit transfers %d bytes, want at most %d", total, most)
	}

	w.visit("/inbox").until(live) // marks everything as read; from here on nothing changes
	see.forget()
	w.visit("/inbox").until(live)
	see.mu.Lock()
	defer see.mu.Unlock()
	for _, asked := range see.asked {
		address := strings.TrimPrefix(asked, "GET ")
		path := strings.TrimPrefix(address, w.url)
		switch {
		case strings.HasSuffix(path, "/bell.svg"):
			// The favicon is not part of the page: the browser requests it at any time, possibly now.
		case strings.HasPrefix(path, "/static/"):
			if n := see.bytes[address]; n > 0 || !see.cached[address] {
				t.Errorf("%s is fetched again: %d bytes", path, n)
			}
		case path == "/inbox":
			// The browser reports a 304 for a page as status 200 with few bytes.
			if n := see.bytes[address]; n == 0 || n > 1500 {
				t.Errorf("an unchanged page transfers %d bytes", n)
			}
		}
	}
}

// live is an expression that is true once the page's script has started and its stream is open.
const live = `document.querySelector("#bell[aria-expanded]") && !document.querySelector(":is(.row, .meta) > time:not([data-clock])")`

func TestNothingMovesWhileTheInboxLoadsAndItsScriptStarts(t *testing.T) {
	t.Parallel()
	w, vera := desk(t, usualNotices(30)...)
	for _, n := range usual {
		vera.announces("user", n.title, "body", n.body, "pinned", "1")
	}
	if _, err := chromedp.Call(w.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: shifts}); err != nil {
		t.Fatal(err)
	}
	// A slow connection makes late shifts visible.
	w.line(line{Latency: 20, Download: 200 << 10, Upload: 200 << 10})
	for _, width := range []int64{320, 1280} {
		for _, path := range []string{"/inbox", "/inbox?filter=unread", "/announcements", "/settings"} {
			w.size(width, 900).visit(path)
			if path == "/inbox" || path == "/announcements" {
				w.until(live)
			}
			frames := `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`
			ask[any](w, frames)
			if moved := ask[float64](w, `shifted`); moved >= 0.001 {
				t.Errorf("%s at %d px: things moved by %g:\n%s", path, width, moved, strings.Join(ask[[]string](w, `movers`), "\n"))
			} else {
				t.Logf("%s at %d px: %g", path, width, moved)
			}
		}
	}
}
