package e2e

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// phone is a site with push, and a browser in which bob has turned push on.
type phone struct {
	*device
	service *pushtest.Service
	site    *site
	db      *sql.DB
	vera    *person
}

// newPhone starts the site and turns push on with a click. before runs while push is still off.
func newPhone(t *testing.T, before func(*window)) *phone {
	t.Helper()
	certificate, err := pushtest.Certificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &phone{service: pushtest.Start(t), site: alone(t)}
	p.site.env = []string{"SSL_CERT_FILE=" + certificate}
	p.site.people("vera staff", "bob")
	i := p.site.serve("--addr", testkit.Address(), "--push-hosts=127.0.0.1", "--outbound-allow=127.0.0.1")
	p.db, p.vera = p.site.database(t), i.person(t, "vera")
	w := open(t, i).signIn("bob")
	if before != nil {
		before(w)
	}
	w.do(chromedp.Navigate("about:blank")) // it keeps the browser open
	p.device = w.tab().remembers(p.service).goTo("/settings").subscribesAt(p.service)
	p.turnOn()
	return p
}

// first makes this window run a script before the scripts of each page.
func (w *window) first(js string) *window {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: js}); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// remembers makes the pages of this window share the subscription that one of them has made, as the pages of a
// browser do.
func (w *window) remembers(s *pushtest.Service) *window {
	w.t.Helper()
	return w.first(`if (self.PushManager) {
		const made = ` + s.JSON() + `;
		const found = () => ({...made, endpoint: localStorage.subscribed, unsubscribe: async () => { delete localStorage.subscribed; return true; }});
		PushManager.prototype.subscribe = async () => { localStorage.subscribed = made.endpoint; return found(); };
		PushManager.prototype.getSubscription = async () => localStorage.subscribed ? found() : null;
	}`)
}

// turnOn turns push on with a click in Settings.
func (p *phone) turnOn() {
	p.w.t.Helper()
	p.w.goTo("/settings").until(`document.querySelector("#device-add").hidden === false`)
	p.w.clickOn("#device-add").at("/settings?done=device-added")
	p.w.until(live2)
	p.registered(p.service.Sub.Endpoint)
}

// registered waits until the devices at the server have exactly these endpoints.
func (p *phone) registered(endpoints ...string) {
	p.w.t.Helper()
	want := strings.Join(endpoints, " ")
	testkit.Eventually(p.w.t, "the devices are "+want, func() bool {
		var got string
		err := p.db.QueryRow(`SELECT coalesce(group_concat(address, ' '), '') FROM targets WHERE kind = 'push'`).Scan(&got)
		return err == nil && got == want
	})
}

// forgotten deletes all devices at the server, as it does after 90 days of absence.
func (p *phone) forgotten() {
	p.w.t.Helper()
	if _, err := p.db.Exec(`DELETE FROM targets WHERE kind = 'push'`); err != nil {
		p.w.t.Fatal(err)
	}
}

// refused waits until the browser has stored that only a click registers it again.
func (p *phone) refused() {
	p.w.t.Helper()
	p.w.until(live2)
	testkit.Eventually(p.w.t, "the server has refused to register the browser again", func() bool {
		return value[bool](p.w, `caches.open("carillon").then((store) => store.match("`+p.w.path()+`/devices")).then((kept) => kept?.json()).then((kept) => kept?.on === false)`)
	})
	p.registered()
}

func TestABrowserThatTheServerHasForgottenIsRegisteredAgainAtTheNextVisit(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil)
	p.forgotten()
	p.w.as(nil).signIn("bob") // the session has expired meanwhile
	p.registered(p.service.Sub.Endpoint)
	p.w.goTo("/settings").has("#devices strong", "This browser")

	// In the same session it registers once a day.
	p.forgotten()
	p.w.first(`{ const now = Date.now; Date.now = () => now() + 25 * 3_600_000; }`).goTo("/settings").has("#devices strong", "This browser")
	p.registered(p.service.Sub.Endpoint)
}

func TestABrowserWhereTheUserHasTurnedPushOffComesBackByAClickOnly(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil)
	for _, off := range []func(){
		func() { p.w.press(`#devices form[action$="/delete"] button`) },
		func() { p.w.pressIn(".menu-items", `form[action$="/logout"] button`) },
	} {
		off()
		p.registered()
		p.w.as(nil).signIn("bob")
		p.refused()
		p.w.goTo("/settings").until(`document.querySelector("#device-add").hidden === false`)
		p.turnOn() // a click does it
	}
}

// worker is the service worker, in which scripts can be run. It is found from a window that stays open.
func (p *phone) worker(from *window) *window {
	p.w.t.Helper()
	var at *window
	testkit.Eventually(p.w.t, "the worker runs", func() bool {
		all, err := chromedp.Targets(from.ctx)
		if err != nil {
			p.w.t.Fatal(err)
		}
		for _, found := range all {
			if found.Type == "service_worker" && strings.HasPrefix(found.URL, p.w.url+"/") {
				ctx, cancel := chromedp.NewContext(from.ctx, chromedp.WithTargetID(found.TargetID), chromedp.WithDetachOnCancel())
				p.w.t.Cleanup(cancel)
				if err := chromedp.Do(ctx); err != nil {
					p.w.t.Fatalf("attach to the worker: %v", err)
				}
				at = &window{t: p.w.t, ctx: ctx, url: p.w.url}
			}
		}
		return at != nil
	})
	return at
}

// hand dispatches an event to the worker, waits until the worker has handled it, and returns the worker's calls to
// the browser. A real click allows a worker to focus or open a window, and only one; so does this event.
func (w *window) hand(event, fields string) string {
	w.t.Helper()
	return ask[string](w, fmt.Sprintf(`(async () => {
		const asked = [];
		const may = (what) => { if (asked.push(what) > 1) throw new DOMException(what, "InvalidAccessError"); };
		WindowClient.prototype.focus = async function () { may("focus " + new URL(this.url).pathname); return this; };
		Clients.prototype.openWindow = async (to) => may("open " + new URL(to, location).pathname);
		let done;
		dispatchEvent(Object.assign(new ExtendableEvent(%q), { waitUntil: (promise) => { done = promise; } }, %s));
		await done;
		return asked.join();
	})()`, event, fields))
}

// clicked returns a page that was open before push was turned on, so that the worker does not control it, and a click
// on a notification about announcements, which the test awaits.
func clicked(t *testing.T) (page, worker *window, click func(want string)) {
	t.Helper()
	p := newPhone(t, func(w *window) { page = w.tab().goTo("/inbox?filter=unread") })
	worker = p.worker(page)
	p.w.hide(true) // which reports nothing while the page is visible
	page.uses().looksAway()
	p.vera.sends("bob", notice{title: "The lift is stuck", body: "On the third floor.", link: "/announcements"})
	testkit.Eventually(t, "the push has arrived", func() bool { return len(p.service.Received()) > 0 })
	p.shows(p.service.Received()[0].Text, `["The lift is stuck"]`)
	ask[bool](worker, `registration.getNotifications().then(([first]) => { self.clicked = first; return true; })`)
	p.w.close()
	page.hide(false) // as focusing does
	if ask[bool](page, `navigator.serviceWorker.controller !== null`) {
		t.Fatal("the worker controls the page, which proves less")
	}
	return page, worker, func(want string) {
		t.Helper()
		if got := worker.hand("notificationclick", `{ notification: clicked }`); got != want {
			t.Errorf("the click has the browser %q, want %q", got, want)
		}
	}
}

func TestAClickOnAPushFocusesAPageThatIsOpenAlready(t *testing.T) {
	t.Parallel()
	page, worker, click := clicked(t)
	click("focus " + page.path() + "/inbox")
	page.at("/announcements")
	if n := ask[int](worker, `registration.getNotifications().then((all) => all.length)`); n != 0 {
		t.Error("the notification stays")
	}
	page.until(live2).do(chromedp.Navigate("about:blank"))
	testkit.Eventually(t, "the browser has left the page", func() bool {
		return value[bool](worker, `ours().then((pages) => pages.length === 0)`)
	})
	click("open " + page.path() + "/n/1")
}

// After the focus the browser no longer opens a window.
func TestAPageThatIsTooBusyToAnswerAClickOnAPushGoesThereLater(t *testing.T) {
	t.Parallel()
	page, worker, click := clicked(t)
	ask[bool](worker, `(self.setTimeout = (end, _, ...given) => queueMicrotask(() => end(...given)), true)`)
	click("focus " + page.path() + "/inbox")
	page.at("/announcements")
}

func TestTheWorkerRegistersASubscriptionThatTheBrowserHasReplaced(t *testing.T) {
	t.Parallel()
	p := newPhone(t, nil)
	worker := p.worker(p.w)
	p.w.do(chromedp.Navigate("about:blank")) // without any page
	made := func(endpoint string) string {
		return fmt.Sprintf(`{ endpoint: %q, toJSON: () => ({ ...%s, endpoint: %[1]q }) }`, endpoint, p.service.JSON())
	}
	named, unnamed, late := p.service.URL+"/named", p.service.URL+"/unnamed", p.service.URL+"/late"
	worker.hand("pushsubscriptionchange", `{ newSubscription: `+made(named)+` }`)
	p.registered(named)
	// Some browsers report only that the subscription has ended.
	ask[bool](worker, `(PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey }) => {
		if (!userVisibleOnly || applicationServerKey.length !== 87) throw new TypeError(applicationServerKey);
		return `+made(unnamed)+`;
	}, true)`)
	worker.hand("pushsubscriptionchange", `{}`)
	p.registered(unnamed)
	p.w.first(fmt.Sprintf("localStorage.subscribed = %q", unnamed)).goTo("/settings").press(`#devices form[action$="/test"] button`)
	testkit.Eventually(t, "the push has arrived", func() bool { return len(p.service.Received()) > 0 })
	if got := p.service.Received()[0].Path; got != "/unnamed" {
		t.Errorf("the push has gone to %s", got)
	}
	p.w.pressIn(".menu-items", `form[action$="/logout"] button`)
	worker.hand("pushsubscriptionchange", `{ newSubscription: `+made(late)+` }`)
	p.registered()
}

func TestAButtonOfAPushLeadsWhereItSays(t *testing.T) {
	t.Parallel()
	var page *window
	p := newPhone(t, func(w *window) { page = w.tab().goTo("/inbox?filter=unread") })
	worker := p.worker(page)
	page.do(chromedp.Navigate("about:blank"))
	base := strings.TrimSuffix(p.w.url, "/")
	text := []byte(`{"notification":{"title":"Review it","navigate":"` + base + `/n/1","tag":"t","actions":[
		{"action":"1","title":"Review","navigate":"` + base + `/settings"},{"action":"2","title":"Later","navigate":"` + base + `/announcements"}]}}`)
	polls := 0
	testkit.Eventually(t, "the notification has its buttons", func() bool {
		if polls++; polls%250 == 1 {
			p.gets(text) // again, because the page closes notifications when it learns that nothing is unread
		}
		return value[string](worker, `registration.getNotifications().then(([n]) => { self.clicked = n; return n ? n.actions.map((a) => a.title).join() : ""; })`) == "Review,Later"
	})
	p.w.do(chromedp.Navigate("about:blank"))
	testkit.Eventually(t, "the browser has left the pages", func() bool {
		return value[bool](worker, `ours().then((pages) => pages.length === 0)`)
	})
	for action, path := range map[string]string{"1": "/settings", "2": "/announcements", "": "/n/1"} {
		if got, want := worker.hand("notificationclick", `{ notification: clicked, action: "`+action+`" }`), "open "+page.path()+path; got != want {
			t.Errorf("button %q has the browser %q, want %q", action, got, want)
		}
	}
	// Notifications of earlier versions have the address itself.
	if got, want := worker.hand("notificationclick", `{ notification: { close() {}, data: "`+base+`/inbox" }, action: "" }`), "open "+page.path()+"/inbox"; got != want {
		t.Errorf("an earlier one has the browser %q, want %q", got, want)
	}
}
