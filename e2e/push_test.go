package e2e

import (
	"net/url"
	"sync"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// device is the service worker of a window, which a push service would wake.
type device struct {
	w      *window
	origin string

	mu sync.Mutex
	id serviceworker.RegistrationID
}

// subscribesAt lets a window show notifications, and subscribes it at a push service of the tests: a browser without
// a vendor's service has none.
func (w *window) subscribesAt(s *pushtest.Service) *device {
	w.t.Helper()
	at, err := url.Parse(w.url)
	if err != nil {
		w.t.Fatal(err)
	}
	d := &device{w: w, origin: at.Scheme + "://" + at.Host}
	if err := chromedp.Listen(w.ctx, d.note); err != nil {
		w.t.Fatal(err)
	}
	if _, err := chromedp.Call(w.ctx, serviceworker.Enable, cdp.Empty{}); err != nil {
		w.t.Fatalf("watch the service workers: %v", err)
	}
	if _, err := chromedp.Call(w.ctx, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
		Permission: &cdpbrowser.PermissionDescriptor{Name: "notifications"}, Setting: cdpbrowser.PermissionSettingGranted,
		Origin: d.origin, BrowserContextID: chromedp.FromContext(w.ctx).BrowserContextID,
	}); err != nil {
		w.t.Fatalf("allow notifications: %v", err)
	}
	w.script(`PushManager.prototype.subscribe = async () => (` + s.JSON() + `)`)
	return d
}

// note stores the id of the worker.
func (d *device) note(ev any) {
	if e, ok := ev.(*serviceworker.EventWorkerRegistrationUpdated); ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		for _, r := range e.Registrations {
			d.id = r.RegistrationID
		}
	}
}

// gets delivers a message to the worker, as the browser does with a message from its push service.
func (d *device) gets(text []byte) {
	d.w.t.Helper()
	d.mu.Lock()
	id := d.id
	d.mu.Unlock()
	if _, err := chromedp.Call(d.w.ctx, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
		Origin: d.origin, RegistrationID: id, Data: string(text),
	}); err != nil {
		d.w.t.Fatalf("deliver a push: %v", err)
	}
}

// titles returns the titles of the system's visible notifications, as JSON.
func (d *device) titles() string {
	d.w.t.Helper()
	return value[string](d.w, `navigator.serviceWorker.getRegistration().then((r) => r.getNotifications()).then((all) => JSON.stringify(all.map((n) => n.title)))`)
}

// shows delivers a message to the worker, and waits until the system shows notifications with these titles. A push
// service keeps a message until the browser has received it. The DevTools protocol drops one now and then, so the
// message is repeated, which shows nothing twice.
func (d *device) shows(text []byte, want string) {
	d.w.t.Helper()
	polls := 0
	testkit.Eventually(d.w.t, "the notifications are "+want, func() bool {
		if polls++; polls%250 == 1 {
			d.gets(text)
		}
		return d.titles() == want
	})
}

func TestABrowserIsToldWhileItsUserIsAwayAndForgetsWhatIsReadElsewhere(t *testing.T) {
	t.Parallel()
	certificate, err := pushtest.Certificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	service, s := pushtest.Start(t), alone(t)
	s.env = []string{"SSL_CERT_FILE=" + certificate}
	s.people("vera staff", "bob")
	i := s.serve("--addr", "127.0.0.1:0", "--push-hosts=127.0.0.1", "--outbound-allow=127.0.0.1")
	vera := i.person(t, "vera")
	bob := open(t, i).signIn("bob").goTo("/settings")
	d := bob.subscribesAt(service)
	bob.until(`document.querySelector("#device-add").hidden === false`)
	bob.clickOn("#device-add")
	bob.at("/settings")
	bob.until(`document.querySelectorAll("#devices li").length === 1`)
	bob.script(`document.querySelector("#devices").scrollIntoView({block: "center"})`).shot("devices")

	bob.until(live2).looksAway()
	vera.sends("bob", notice{title: "The lift is stuck", body: "On the third floor."})
	testkit.Eventually(t, "the push has arrived", func() bool { return len(service.Received()) > 0 })
	d.shows(service.Received()[0].Text, `["The lift is stuck"]`)

	elsewhere := open(t, i).as(i.person(t, "bob")).goTo("/inbox")
	elsewhere.badge("")
	testkit.Eventually(t, "the notification is closed", func() bool { return d.titles() == "[]" })

	// A push that shows nothing would end the subscription.
	for _, damaged := range []string{"", "no JSON", "null", `{"notification":null}`} {
		d.shows([]byte(damaged), `["Carillon"]`)
		bob.script(`navigator.serviceWorker.getRegistration().then((r) => r.getNotifications()).then((all) => all.forEach((n) => n.close()))`)
		testkit.Eventually(t, "the notification is closed", func() bool { return d.titles() == "[]" })
	}
}
