package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// answers200 answers with a body.
func answers200(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = fmt.Fprint(w, body)
	}
}

// Whatever token-url returns instead of a token, the bell shows no number, one line in the console names the cure,
// and the bell recovers soon after the application. After a 401 it waits for the application to report a sign-in.
func TestABellWithoutATokenSaysWhyAndBeginsOnceItHasOne(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	gives := shop.Config.Handler
	const lacks = `not {"token": "..."} or 401`
	for name, odd := range map[string]struct {
		answer http.HandlerFunc
		says   string // ADDRESS is the address of token-url
	}{
		"204":                   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "token-url ADDRESS answers 204, " + lacks},
		"an empty body":         {answers200("application/json", ""), "token-url ADDRESS answers 200, " + lacks},
		"no token":              {answers200("application/json", `{"token": null}`), "token-url ADDRESS answers 200, " + lacks},
		"a page":                {answers200("text/html", "<h1>Shop</h1>"), "token-url ADDRESS answers 200, " + lacks},
		"a page for signing in": {http.RedirectHandler("/", http.StatusFound).ServeHTTP, "token-url ADDRESS leads to SHOP/, which answers 200, " + lacks},
		"a failure":             {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, "token-url ADDRESS answers 502, " + lacks},
		"nothing":               {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "no token in 10 s"},
		"401":                   {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, ""},
	} {
		path := "/" + strings.ReplaceAll(name, " ", "-")
		var right atomic.Bool
		shop.answers(path+"/token", func(w http.ResponseWriter, r *http.Request) {
			if !right.Load() {
				odd.answer(w, r)
				return
			}
			r.URL.Path = "/carillon/token"
			gives.ServeHTTP(w, r)
		})
		shop.page(i, path, `<carillon-bell token-url="`+path+`/token"></carillon-bell>`)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, i)
			w.do(chromedp.Navigate(shop.URL + path))
			w.until(knowsNothing)
			want := ""
			if odd.says != "" {
				want = "Carillon: " + strings.NewReplacer("ADDRESS", shop.URL+path+"/token", "SHOP", shop.URL).Replace(odd.says)
				w.until(`said.length > 0`)
			}
			right.Store(true)
			if odd.says == "" {
				ask[any](w, inBell(`bell.refresh().then(() => 0)`))
			}
			w.until(bellSays(""))
			if said := ask[string](w, `said.join(" | ")`); said != want {
				t.Errorf("the console has %q, want %q", said, want)
			}
		})
	}
}

// The session at the application has ended elsewhere. The bell finds out when it needs the next token.
func TestABellForgetsItsUserWhenThereIsNoNextToken(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	shop.old.Store(57) // seconds; a stream lives for a minute longer than its token
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	w.until(bellSays(""))
	s.orders("4711", "One")
	w.until(bellSays("1"))
	shop.signIn("")
	w.until(knowsNothing).until(inBell(`bell.hasAttribute("data-signed-out")`))
	shop.old.Store(0)
	shop.signIn("4711")
	ask[any](w, inBell(`bell.refresh().then(() => 0)`))
	w.until(bellSays("1"))
}

// A user signs in without a new page while a request for a token is on its way, which will report that nobody is
// signed in, or provide the previous user's token.
func TestARefreshCountsWhateverAnEarlierRequestReports(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	began := open(t, i)
	began.do(chromedp.Navigate(shop.URL))
	began.until(bellSays(""))
	s.orders("4711", "One")
	token := func(user string) string { return `"` + shop.token(t, user) + `"` }
	for name, earlier := range map[string]string{"nobody": "null", "another": token("0815"), "failure": `Promise.reject(new Error("away"))`} {
		for _, first := range []bool{true, false} { // it is answered
			t.Run(fmt.Sprintf("%s %v", name, first), func(t *testing.T) {
				t.Parallel()
				path := fmt.Sprintf("/%s-%v", name, first)
				shop.page(i, path, `<carillon-bell></carillon-bell>`)
				w := open(t, i)
				w.do(chromedp.Navigate(shop.URL + path))
				ask[any](w, `customElements.whenDefined("carillon-bell").then(() => void (window.asked = [], document.querySelector("carillon-bell").tokenProvider = () => new Promise((resolve) => asked.push(resolve))))`)
				w.until(`asked.length === 1`)
				if n := ask[int](w, `(window.refreshed = document.querySelector("carillon-bell").refresh(), asked.length)`); n != 2 {
					t.Fatalf("the refresh makes it %d requests", n)
				}
				if first {
					ask[any](w, `new Promise((resolve) => (asked[0](`+earlier+`), setTimeout(resolve)))`)
				}
				ask[any](w, `(asked[1](`+token("4711")+`), refreshed.then(() => 0))`)
				w.until(bellSays("1"))
				if !first {
					ask[any](w, `new Promise((resolve) => (asked[0](`+earlier+`), setTimeout(resolve)))`)
				}
				if got := ask[string](w, inBell(`bell.client.getSnapshot().user + " " + bell.hasAttribute("data-signed-out") + " " + asked.length`)); !strings.HasSuffix(got, " false 2") || strings.HasPrefix(got, "null") {
					t.Errorf("user, signed out and requests are %s", got)
				}
				w.until(bellSays("1"))
			})
		}
	}
}
