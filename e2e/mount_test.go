package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestBelowAPathOfAnotherApplicationsHost tests pages and scripts below a path. The flag -below makes every test do
// so.
func TestBelowAPathOfAnotherApplicationsHost(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.path = "/notifications"
	s.people("vera staff", "bob")
	i := s.serve()
	vera := i.person(t, "vera")
	w := open(t, i).size(1280, 900)
	see := w.watched()

	w.visit("/settings").at("/login?next=%2Fnotifications%2Fsettings")
	w.do(chromedp.SendKeys(css(`input[name=username]`), "bob"), chromedp.SendKeys(css(`input[name=password]`), password+"\n"))
	w.until(live2).at("/settings")
	w.uses()
	vera.sends("bob", usual[0])
	vera.announces("user", "The network is down tonight", "body", "From ten to eleven.", "pinned", "1", "toast", "1")
	w.has("#badge", "2") // through the stream
	w.until(`document.querySelector("#popups a")?.getAttribute("href").startsWith("/notifications/announcements/")`)
	openPanel(w)
	w.until(`document.querySelector("#panel .row h3 a").getAttribute("href").startsWith("/notifications/")`)
	w.clickOn("#panel .bottom-line a").until(live).at("/inbox")
	w.clickOn(`main .row form[action$="/inbox/archive"] button`).until(`document.querySelector("#done.floating form")`)
	w.clickOn("#done form button").has("#done p", "Restored.").titles(usual[0].title)
	w.clickOn(`.nav a[data-go="a"]`).at("/announcements")
	w.until(live2)
	w.types("?").until(`document.querySelector("#help[open] kbd")`)
	w.do(chromedp.Navigate("about:blank"))
	for _, asked := range see.asked {
		if _, address, _ := strings.Cut(asked, " "); strings.HasPrefix(address, "http") && !strings.HasPrefix(address, w.url+"/") {
			t.Errorf("the page asks for %s", address)
		}
	}
	if faults := see.complaints(0); len(faults) > 0 {
		t.Errorf("the pages complain:\n%s", strings.Join(faults, "\n"))
	}

	staff := open(t, i).size(1280, 900).as(vera).visit("/staff/send")
	staff.until(`document.querySelector("#to-entry")`)
	staff.do(chromedp.SendKeys(css("#to"), "bo"))
	staff.until(`document.querySelector("#to-names [role=option]")`)
	staff.do(chromedp.SendKeys(css("#title"), "Sent below a path"))
	staff.until(`document.querySelector("#preview")?.textContent.includes("Sent below a path")`)
}

// mountedPage is a page of an application with Carillon below a path of its host: no tokens.
const mountedPage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<script type="module" src="/notifications/embed/v1.js"></script>
<carillon-bell><a href="/notifications/inbox">Notifications</a></carillon-bell><carillon-inbox></carillon-inbox>`

// inFrontOfBoth is a proxy to which people sign in: the application has the host, Carillon a path of it.
func inFrontOfBoth(t *testing.T, i *instance) (proxy *httptest.Server, signIn func(user string)) {
	t.Helper()
	to, err := url.Parse("http://" + i.addr())
	if err != nil {
		t.Fatal(err)
	}
	var user atomic.Value
	user.Store("")
	pass := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
		r.Out.Header.Del("X-Forwarded-User")
		if name, _ := user.Load().(string); name != "" {
			r.Out.Header.Set("X-Forwarded-User", name)
		}
	}}
	proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/notifications/") {
			pass.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(mountedPage))
	}))
	t.Cleanup(proxy.Close)
	return proxy, func(name string) { user.Store(name) }
}

func TestInAMountTheElementsNeedNoToken(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.path = "/notifications"
	i := s.serve("--addr", "127.0.0.1:0", "--identity-header", "X-Forwarded-User", "--identity-from", "127.0.0.1")
	proxy, signIn := inFrontOfBoth(t, i)
	signIn("ann")
	w := open(t, i)
	w.do(chromedp.Navigate(proxy.URL))
	w.until(inBell(`root?.querySelector(".bell")?.getAttribute("aria-label") === "Notifications: nothing unread"`))
	s.carillon("", "send", "--to", "ann", "--type", "order", "--title", "Your order is on its way", "--link", "/orders/6")
	w.until(inBell(`root.querySelector(".badge").textContent === "1"`)) // through the stream
	w.until(`document.querySelector("carillon-inbox").shadowRoot.querySelector(".title")?.href === location.origin + "/orders/6"`)

	// The next user gets no data of the previous one.
	signIn("zoe")
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "host", "--scope", "admin"))}
	host.call(http.MethodPost, "/users/ann/sign-out", "")
	w.until(`document.querySelector("carillon-inbox").client.getSnapshot().user === "zoe" && document.querySelector("carillon-inbox").client.getSnapshot().badge.unread === 0`)
	w.until(`!document.querySelector("carillon-inbox").shadowRoot.textContent.includes("Your order is on its way")`)
}
