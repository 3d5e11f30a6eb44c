package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// A response with rows may be older than events of the stream since its request.
func TestRowsThatComeLateLoseNothingThatTheStreamHasBrought(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/late", `<carillon-inbox token-url="/carillon/token" server="`+i.url+`" read-on="click"></carillon-inbox>`)
	w := open(t, i).first(`{
		const real = fetch;
		window.came = 0;
		// hold delays responses with rows, which the server has already sent, until release is called.
		window.hold = () => (window.held = new Promise((resolve) => (window.release = () => resolve(window.held = null))), window.asked = 0);
		hold();
		window.fetch = async (...about) => {
			const answer = await real(...about);
			if (held && String(about[0]).includes("/me/notices")) asked++, await held;
			return answer;
		};
	}`)
	w.do(chromedp.Navigate(shop.URL + "/late"))
	const inbox = `document.querySelector("carillon-inbox")`
	const rows = inbox + `.shadowRoot.querySelectorAll("li")`
	ask[any](w, `customElements.whenDefined("carillon-inbox").then(() => `+inbox+`.client.on("notice", () => came++), 0)`)
	w.until(`asked > 0 && ` + inbox + `.client.getSnapshot().state === "live"`)
	s.orders("4711", "While the first page is under way")
	w.until(`came === 1`)
	ask[any](w, `release(), 0`)
	w.until(rows + `.length === 1`)

	s.orders("4711", "Another")
	w.until(rows + `.length === 2`)
	ask[any](w, `hold(), void `+inbox+`.client.load()`)
	w.until(`asked === 1`)
	s.orders("4711", "While the page is loaded again")
	w.until(`came === 3 && ` + rows + `.length === 3`)
	ask[any](w, inbox+`.client.read({ keys: [`+inbox+`.client.getSnapshot().notices[1].key] }).then(() => 0)`)
	ask[any](w, inbox+`.client.delete([`+inbox+`.client.getSnapshot().notices[2].key]).then(() => 0)`)
	w.until(rows + `.length === 2`)
	ask[any](w, `release(), 0`)
	w.until(inbox + `.client.getSnapshot().notices.map((row) => row.title + row.read).join() === "While the page is loaded againfalse,Anothertrue"`)
	w.until(rows + `.length === 2`)
}
