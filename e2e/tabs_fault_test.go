package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// proxy runs between browsers and a server, and can return 503 for a while.
type proxy struct {
	*httptest.Server
	refusing atomic.Bool
	refused  atomic.Int64
}

func inFrontOf(t *testing.T, i *instance) *proxy {
	t.Helper()
	to, err := url.Parse(i.url)
	if err != nil {
		t.Fatal(err)
	}
	p, path := &proxy{}, to.Path
	to.Path = ""
	pass := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.refusing.Load() {
			p.refused.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	p.URL += path
	return p
}

// refuse cuts all connections and returns 503 until accept is called.
func (p *proxy) refuse() {
	p.refusing.Store(true)
	p.CloseClientConnections()
}

func (p *proxy) accept() { p.refusing.Store(false) }

func TestAllTabsReconnectAfterTheServerRefused(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("bob")
	i := s.measured()
	between := inFrontOf(t, i)
	all := tabs(t, &instance{t: t, url: between.URL}, 3, "bob", "/inbox?filter=unread")
	s.tell("bob", "photo_id:1")
	bells(all, "1")

	between.refuse()
	s.tell("bob", "photo_id:2")
	for _, w := range all {
		w.connection("Reconnecting…")
	}
	between.accept()
	for _, w := range all {
		w.connection("")
		w.badge("2")
		w.shows(`#arrivals`, "2 new") // the second is found by refreshing
	}
	i.streams("1")
	s.tell("bob", "photo_id:3")
	bells(all, "3") // refreshing has marked nothing as seen
	if n := between.refused.Load(); n == 0 || n > 40 {
		t.Errorf("%d requests were refused", n)
	}
}

func TestOfflineTabsShowTheTimeOfTheirData(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("bob")
	i := s.measured()
	all := tabs(t, i, 2, "bob", "/inbox?filter=unread")
	i.streams("1")
	at := value[string](all[0], `new Date().toTimeString().slice(0, 5)`)
	all[0].offline(true)
	for _, w := range all {
		var said string
		testkit.Eventually(t, "the page says that it is offline", func() bool { said = w.shown(`#connection`); return said != "" })
		// The minute may have changed meanwhile.
		if said != "Offline. Last updated "+at && said != "Offline. Last updated "+value[string](w, `new Date().toTimeString().slice(0, 5)`) {
			t.Errorf("the page shows %q", said)
		}
	}
	all[0].shot("offline")
	all[0].offline(false)
	s.tell("bob", "photo_id:1")
	bells(all, "1")
	for _, w := range all {
		w.connection("")
	}
	i.streams("1")
}

// Plain http under a host name, as in a home network, is not a secure context, so browsers have no
// locks there.
func TestWithoutLocksEachVisibleTabHasAStream(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("bob")
	i := s.measured()
	home := open(t, &instance{t: t, url: strings.Replace(i.url, "127.0.0.1", "lan.test", 1)})
	one := home.tab().signIn("bob").goTo("/inbox?filter=unread")
	if value[bool](one, `isSecureContext || "locks" in navigator`) {
		t.Fatal("the browser treats this address as a secure context")
	}
	two := home.tab().goTo("/inbox?filter=unread")
	i.streams("2")
	s.tell("bob", "photo_id:1")
	bells([]*window{one, two}, "1")

	one.hide(true)
	i.streams("1")
	s.tell("bob", "photo_id:2")
	two.badge("2")
	one.badge("1")
	one.hide(false)
	one.badge("2")
	one.shows(`#arrivals`, "2 new")
	i.streams("2")
	one.connection("")
}
