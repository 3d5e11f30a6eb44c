package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	devicesPath = "/devices"

	codeUntested = "device-untested" // done: the test could not be sent

	maxSubscription = 4096 // bytes of the JSON that describes a subscription
)

// Devices handles the browsers that show notifications while no page is open.
type Devices interface {
	// PushKey returns the public key that browsers bind their subscriptions to.
	PushKey() string
	// Register stores a browser's subscription and reports whether this user already had it. An invalid subscription
	// is a *notifier.InvalidError.
	Register(ctx context.Context, d notifier.NewDevice, subscription []byte) (id int64, known bool, err error)
	// Devices lists a user's devices, oldest first, and marks the one that belongs to the session.
	Devices(ctx context.Context, seq int64, session string) ([]notifier.Device, error)
	// RemoveDevice and Test return notifier.ErrNotFound for an id that is not one of the user's devices.
	RemoveDevice(ctx context.Context, seq, id int64) error
	// Test sends a message to a device at once and reports whether its push service accepted it.
	Test(ctx context.Context, user notifier.User, text *locale.Printer, id int64) (sent bool, err error)
}

// ownSession returns the session whose end removes the device, or "" if a token or a proxy identifies the user.
func ownSession(r *http.Request) string {
	if who := visitOf(r).user; who.Token == nil && !who.Proxied {
		return who.Session
	}
	return ""
}

// addDevices lists the user's devices if push is on.
func (h *Handlers) addDevices(r *http.Request, p *views.Settings) error {
	if h.Devices == nil {
		return nil
	}
	all, err := h.Devices.Devices(r.Context(), seqOf(r), ownSession(r))
	if err != nil {
		return fmt.Errorf("list the devices of user %d: %w", seqOf(r), err)
	}
	p.PushKey = h.Devices.PushKey()
	for i := range all {
		d := &all[i]
		v := views.Device{
			ID: strconv.FormatInt(d.ID, 10), Name: d.Label, Here: d.Here, Since: p.Text.F("devices.since", "Time", p.Text.Exact(d.CreatedAt.In(h.zones.of(r)))),
			Test: p.Text.F("devices.test_named", "Name", d.Label), Remove: p.Text.F("devices.remove_named", "Name", d.Label),
		}
		switch d.State {
		case notifier.ReachFailing:
			v.Fault = p.Text.T("devices.failing")
		case notifier.ReachDead:
			v.Fault = p.Text.T("devices.dead")
		case notifier.ReachOn, notifier.ReachOff:
		}
		p.Devices = append(p.Devices, v)
	}
	return nil
}

// registerDevice accepts the JSON of PushSubscription.toJSON() from our script. It responds with the device's id: 201
// for a new device, 200 for a known one. With the members again and was (see notifier.NewDevice), it may respond 409.
func (h *Handlers) registerDevice(w http.ResponseWriter, r *http.Request) error {
	if h.Devices == nil {
		return notifier.ErrNotFound
	}
	if said := r.Header.Get(views.UserHeader); said != "" && said != url.QueryEscape(visitOf(r).user.User.Name) {
		return errOtherUser
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return fmt.Errorf("%w: content type %.60q", errMalformed, r.Header.Get("Content-Type"))
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSubscription))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return notifier.ErrTooLarge
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errMalformed, err)
	}
	device := notifier.NewDevice{Seq: seqOf(r), Session: ownSession(r), Label: deviceLabel(h.text(r), r.UserAgent(), "devices.here")}
	var how struct {
		Again bool   `json:"again"`
		Was   string `json:"was"`
	}
	if json.Unmarshal(text, &how) == nil { // Register reports invalid JSON
		device.Again, device.Was = how.Again, how.Was
	}
	id, known, err := h.Devices.Register(r.Context(), device, text)
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return writeFaults(w, bad)
	}
	if err != nil {
		return fmt.Errorf("register a device of user %d: %w", device.Seq, err)
	}
	status := http.StatusCreated
	if known {
		status = http.StatusOK
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(map[string]int64{"id": id})
}

// deviceLabel names a browser by its User-Agent header; if that is unclear, by the text with the ID unknown.
func deviceLabel(text *locale.Printer, agent, unknown string) string {
	browser, system := notifier.ReadAgent(agent)
	if browser == "" {
		browser = text.T(unknown)
	}
	if system == "" {
		return browser
	}
	return text.F("devices.browser", "Browser", browser, "System", system)
}

// removeDevice stops notifications on a device.
func (h *Handlers) removeDevice(w http.ResponseWriter, r *http.Request) error {
	id, err := h.deviceForm(r)
	if err != nil {
		return err
	}
	if err := h.Devices.RemoveDevice(r.Context(), seqOf(r), id); err != nil {
		return fmt.Errorf("remove device %d of user %d: %w", id, seqOf(r), err)
	}
	redirect(w, r, settled(views.TabNotifications, "device-removed"))
	return nil
}

// testDevice sends a message to a device.
func (h *Handlers) testDevice(w http.ResponseWriter, r *http.Request) error {
	id, err := h.deviceForm(r)
	if err != nil {
		return err
	}
	sent, err := h.Devices.Test(r.Context(), visitOf(r).user.User, h.text(r), id)
	if err != nil {
		return fmt.Errorf("test device %d of user %d: %w", id, seqOf(r), err)
	}
	done := codeUntested
	if sent {
		done = "device-tested"
	}
	redirect(w, r, settled(views.TabNotifications, done))
	return nil
}

func (h *Handlers) deviceForm(r *http.Request) (id int64, err error) {
	if h.Devices == nil {
		return 0, notifier.ErrNotFound
	}
	if _, err := form(r); err != nil {
		return 0, err
	}
	return pathID(r)
}

// worker serves the service worker, which runs when a push message arrives. It lives at the root so that it covers
// all pages.
func (h *Handlers) worker(w http.ResponseWriter, _ *http.Request) error {
	if h.Devices == nil {
		return notifier.ErrNotFound
	}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(h.files.Text("built/worker.js")) // the browser may have disconnected
	return nil
}

// homeIcon is a home screen icon in the manifest.
type homeIcon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

// manifest lets people add Carillon to the home screen. iPhones support push only there.
func (h *Handlers) manifest(w http.ResponseWriter, r *http.Request) error {
	at := func(path string) string { return web.At(r.Context(), path) }
	drawn := func(name, sizes, purpose string) homeIcon {
		return homeIcon{at(h.files.Path("icons/" + name)), sizes, "image/png", purpose}
	}
	w.Header().Set("Content-Type", "application/manifest+json")
	w.Header().Set("Cache-Control", "public, max-age=300")
	return json.NewEncoder(w).Encode(map[string]any{
		"id": at("/"), "name": "Carillon", "short_name": "Carillon", "start_url": at("/inbox"), "scope": at("/"), "display": "standalone",
		"icons": []homeIcon{
			drawn("home-192.png", "192x192", ""), drawn("home-512.png", "512x512", ""), drawn("maskable-512.png", "512x512", "maskable"),
			{Src: at(h.assets.Icon), Sizes: "any", Type: "image/svg+xml"},
		},
	})
}
