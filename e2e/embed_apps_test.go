package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// send sends a notice with the API key of the app.
func (a *hostApp) send(t *testing.T, i *instance, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.url+"/api/v1/notices", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+a.apiKey)
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusAccepted {
		t.Fatalf("a notice is answered by %s", res.Status)
	}
}

func TestALinkLeadsToTheAppThatSentItAndIsAPathOnItsOwnPages(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop, blog := newShop(t, s, i, "4711"), s.hostApp(t, "blog")
	for _, app := range []*hostApp{shop.hostApp, blog} { // the same type and subject: one row for each
		app.send(t, i, `{"target":{"users":["4711"]},"type":"reply","subject":"reply:7","title":"A reply","link":"/replies/7?a=b#c"}`)
	}
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	ask[any](w, `void addEventListener("carillon-navigate", (e) => { (window.led ??= []).push(e.detail.notice.app.name + " " + e.detail.href); e.preventDefault(); })`)
	w.until(inBell(`root?.querySelector(".badge")?.textContent === "2"`))
	ask[any](w, inBell(`root.querySelector(".bell").click()`))
	w.until(inBell(`root.querySelectorAll("li a.title").length === 2`))
	addresses := ask[[]string](w, inBell(`[...root.querySelectorAll("li a.title")].map((a) => a.href)`))
	for _, want := range []string{shop.URL, blog.URL} {
		if !slices.Contains(addresses, want+"/replies/7?a=b#c") {
			t.Errorf("the rows lead to %v; want one to %s", addresses, want)
		}
	}
	ask[any](w, inBell(`root.querySelectorAll("li a.title").forEach((a) => a.click())`))
	w.until(`window.led?.length === 2`)
	led := ask[[]string](w, `window.led`)
	slices.Sort(led)
	if want := []string{"blog " + blog.URL + "/replies/7?a=b#c", "shop /replies/7?a=b#c"}; !slices.Equal(led, want) {
		t.Errorf("a router is led to %q; want %q", led, want)
	}
}
