package e2e

import (
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// inElement is an expression about the shadow root of the element with an id: the text of its badge, or null before it has one, and its
// rows as text with a star for unread ones.
func inElement(id, js string) string {
	return `(() => { const el = document.getElementById(` + strconv.Quote(id) + `), root = el.shadowRoot, badge = root?.querySelector(".badge");
		const says = badge && root.querySelector(".bell").hasAttribute("aria-label") ? (badge.hidden ? "" : badge.textContent) : null, named = (name) => root?.querySelector("button[aria-label='" + name + "']");
		const rows = () => [...(root?.querySelectorAll("li") ?? [])].map(li => (li.dataset.unread === undefined ? "" : "*") + li.querySelector(".title").textContent).join();
		return ` + js + `; })()`
}

// Elements that select types, a scope or an app count and show these alone, live, by one stream, and read nothing else.
func TestElementsShowTheNoticesThatTheirAttributesSelect(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/sections", `<carillon-bell id="all" token-url="/carillon/token" read-on="click">All</carillon-bell> <carillon-bell id="hall" scope="hall-3">Hall 3</carillon-bell>
		<carillon-bell id="nobody" app="" read-on="click"></carillon-bell> <carillon-inbox id="inbox" types="order review" read-on="click" announcements="top"></carillon-inbox>`)
	s.user("4711")
	send := func(typ, title, scope string) {
		t.Helper()
		s.carillon("", "send", "--to", "4711", "--type", typ, "--subject", title, "--title", title, "--scope", scope)
	}
	send("order", "One", "hall-3")
	send("review", "Two", "hall-4")
	send("report", "Three", "hall-3")
	s.carillon("", "announce", "--audience", "user", "--type", "news", "--title", "Closed on Sunday", "--body", "The shop is closed.")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/sections"))
	is := func(id, js string) { t.Helper(); w.until(inElement(id, js)) }
	do := func(id, js string) { t.Helper(); ask[any](w, inElement(id, "void ("+js+")")) }
	is("all", `says === "4"`)
	is("hall", `says === "2"`)
	is("nobody", `says === "3"`)
	is("inbox", `rows() === "*Two,*One"`)
	if n := ask[int](w, `performance.getEntriesByType("resource").filter(({ name }) => name.includes("/me/events")).length`); n > 1 {
		t.Errorf("the page has %d streams", n)
	}

	// What arrives or is edited shows where it belongs.
	send("review", "Four", "hall-4")
	is("inbox", `rows() === "*Four,*Two,*One"`)
	is("all", `says === "5"`)
	is("hall", `says === "2"`)

	// Opening a panel reads what it shows.
	do("hall", `el.show()`)
	is("hall", `says === "" && rows() === "*Three,*One"`)
	is("inbox", `rows() === "*Four,*Two,One"`)
	is("all", `says === "3"`)
	// What was opened stays new while it is on display, and what is marked as unread stays unread.
	send("report", "Five", "hall-3")
	is("hall", `says === "1" && rows() === "*Five,*Three,*One"`)
	do("hall", `el.hide()`)
	do("hall", `el.show()`)
	is("hall", `says === "" && rows() === "*Five,Three,One"`)
	ask[any](w, `document.getElementById("all").client.unread(["report:Three"]).then(() => 0)`) // as on another device
	is("hall", `says === "1" && rows() === "*Five,*Three,One"`)
	do("hall", `el.hide()`)
	do("hall", `el.show()`)
	is("hall", `says === "1" && rows() === "Five,*Three,One"`)
	do("hall", `el.hide()`)
	w.do(chromedp.Navigate(shop.URL + "/sections")) // another page does not know it
	is("hall", `says === "1"`)
	do("hall", `el.show()`)
	is("hall", `says === "1" && rows() === "Five,*Three,One"`)
	do("hall", `el.hide()`)

	// "Mark all as read" reads what it shows.
	do("inbox", `root.querySelector(".head > .action").click()`)
	is("inbox", `rows() === "Four,Two,One"`)
	is("all", `says === "2"`)
	is("hall", `says === "1"`)

	// A row that is read is archived: no number changes, and elsewhere it is gone, too.
	is("inbox", `named("Archive: One")`)
	ask[any](w, `new Promise((done) => setTimeout(done, 1500))`) // what has changed so far is on display
	do("inbox", `named("Archive: One").click()`)
	is("inbox", `rows() === "Four,Two" && root.querySelector(".said").textContent.startsWith("Archived.")`)
	is("hall", `rows() === "Five,*Three"`)
	do("inbox", `root.querySelector(".said button").click()`)
	is("inbox", `rows() === "Four,Two,One"`)

	// Attributes change, and two of them select what both have.
	do("inbox", `(el.setAttribute("types", "report"), el.setAttribute("scope", "hall-3"))`)
	is("inbox", `rows() === "Five,*Three"`)
	send("report", "Six", "hall-4")
	do("inbox", `root.querySelector(".head > .action").click()`)
	is("inbox", `rows() === "Five,Three"`)
	is("all", `says === "2"`)
	do("inbox", `(el.removeAttribute("types"), el.removeAttribute("scope"))`)
	is("inbox", `rows() === "*Closed on Sunday,*Six,Five,Four,Three,Two,One"`)

	// The next user sees nothing of this one.
	shop.signIn("4712")
	s.user("4712")
	ask[any](w, `document.getElementById("all").refresh().then(() => 0)`)
	is("hall", `says === "" && rows() === ""`)
	if said := ask[[]string](w, `said`); len(said) > 0 {
		t.Errorf("the console has %q", said)
	}
	do("hall", `el.setAttribute("scope", "hall 3")`)
	w.until(`said.length === 1 && said[0].includes("scope")`)
}

// The tab Unread of a bell has the unread rows alone, live, and the panel begins with all of them each time.
func TestTheUnreadRowsOfABellHaveATab(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.page(i, "/tabs", `<carillon-bell id="bell" token-url="/carillon/token" read-on="click">All</carillon-bell>`)
	s.user("4711")
	for _, title := range []string{"One", "Two", "Three"} {
		s.orders("4711", title)
	}
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL + "/tabs"))
	is := func(js string) { t.Helper(); w.until(inElement("bell", js)) }
	do := func(js string) { t.Helper(); ask[any](w, inElement("bell", "void ("+js+")")) }
	const tab = `root.querySelector("[data-tab=unread]")`
	is(`says === "3"`)
	do(`el.show()`)
	is(tab + `?.textContent === "Unread 3" && named("Mark as read: Two")`)
	do(`named("Mark as read: Two").click()`)
	is(`rows() === "*Three,Two,*One" && ` + tab + `.textContent === "Unread 2"`)
	do(tab + `.click()`)
	is(`rows() === "*Three,*One" && ` + tab + `.ariaPressed === "true" && named("Archive: One")`)
	do(`named("Archive: One").click()`)
	is(`rows() === "*Three" && ` + tab + `.textContent === "Unread 1" && root.querySelector(".said button")`)
	do(`root.querySelector(".said button").click()`)
	is(`rows() === "*Three,*One"`)
	s.orders("4711", "Four")
	is(`rows() === "*Four,*Three,*One"`)
	do(`named("Mark as read: Three").click()`)
	is(`rows() === "*Four,*One"`)
	do(`el.hide()`)
	do(`el.show()`)
	is(`rows() === "*Four,Three,Two,*One" && ` + tab + `.ariaPressed === "false"`)
}
