package e2e

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// An element continues wherever its page moves it, and starts again after an absence. Neither it nor its copy ever
// has a second stream.
func TestABellThatIsMovedCopiedOrPutBackGoesOnWithOneStream(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.measured()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/moved", `<script>window.opened = 0; const asks = fetch;
		fetch = (...about) => { if (String(about[0]).includes("/me/events")) opened++; return asks(...about); };</script>
		<div id="here"><carillon-bell token-url="/carillon/token" lang="en"></carillon-bell></div><div id="there"></div>`)
	w := open(t, i)
	all := func(number string, streams int) {
		t.Helper()
		w.until(bellSays(number)).until(`[...document.querySelectorAll("carillon-bell")].every((bell) => bell.shadowRoot?.querySelector(".badge")?.textContent === ` + strconv.Quote(number) + `)`)
		if opened := ask[int](w, `opened`); opened != streams {
			t.Errorf("%d streams were opened, want %d", opened, streams)
		}
		i.streams("1")
	}
	w.do(chromedp.Navigate(shop.URL + "/moved"))
	w.until(bellSays(""))
	s.orders("4711", "One")
	all("1", 1)

	ask[any](w, `void (window.bell = document.querySelector("carillon-bell"), bell.remove(), here.append(bell))`)
	s.orders("4711", "Two")
	all("2", 1)
	ask[any](w, `void there.append(bell)`)
	s.orders("4711", "Three")
	all("3", 1)
	ask[any](w, `void here.append(bell.cloneNode(true))`)
	all("3", 1)
	s.orders("4711", "Four")
	all("4", 1)

	// The original is removed, and its copy continues.
	ask[any](w, `void bell.remove()`)
	s.orders("4711", "Five")
	all("5", 1)
	ask[any](w, `void there.append(bell)`)
	all("5", 1)

	ask[any](w, `void document.querySelectorAll("carillon-bell").forEach((bell) => bell.remove())`)
	i.streams("0")
	ask[any](w, `void (here.append(bell), there.append(bell.cloneNode(true)))`)
	all("5", 2)
	s.orders("4711", "Six")
	all("6", 2)
}
