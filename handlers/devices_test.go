package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// devices is a fake in which alice has device 1. It refuses the subscription {}.
type devices struct {
	added []notifier.NewDevice
	list  []notifier.Device
}

func (*devices) PushKey() string { return "BKEY" }

func (f *devices) Register(_ context.Context, d notifier.NewDevice, subscription []byte) (int64, bool, error) {
	if string(subscription) == "{}" {
		var bad notifier.InvalidError
		bad.Add("endpoint", "bad_endpoint", nil)
		return 0, false, bad.OrNil()
	}
	f.added = append(f.added, d)
	return 1, len(f.added) > 1, nil
}

func (f *devices) Devices(context.Context, int64, string) ([]notifier.Device, error) {
	return f.list, nil
}

func (*devices) RemoveDevice(_ context.Context, seq, id int64) error {
	if seq != alice.Seq || id != 1 {
		return notifier.ErrNotFound
	}
	return nil
}

func (f *devices) Test(ctx context.Context, u notifier.User, _ *locale.Printer, id int64) (bool, error) {
	return u.Seq == alice.Seq, f.RemoveDevice(ctx, u.Seq, id)
}

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func TestABrowserBecomesADeviceOfItsUser(t *testing.T) {
	t.Parallel()
	f := &devices{}
	w := newWorld(t, func(w *world) { w.config.Devices = f })
	asJSON := []string{"Content-Type", "application/json", "User-Agent", firefox, "Carillon-User", "alice"}
	for _, status := range []int{http.StatusCreated, http.StatusOK} {
		if r := w.postBody("alice", "/devices", `{"endpoint":"e"}`, asJSON...).wantStatus(t, status); strings.TrimSpace(r.body) != `{"id":1}` {
			t.Errorf("%d: %s", status, r.body)
		}
	}
	if want := (notifier.NewDevice{Seq: alice.Seq, Session: "session-of-alice", Label: "Firefox on Linux"}); f.added[0].Seq != want.Seq || f.added[0].Session != want.Session || f.added[0].Label != want.Label {
		t.Errorf("added %+v", f.added[0])
	}
	if r := w.postBody("alice", "/devices", `{}`, asJSON...).wantStatus(t, http.StatusUnprocessableEntity); !strings.Contains(r.body, `"endpoint":"bad_endpoint"`) {
		t.Error(r.body)
	}
	w.postBody("alice", "/devices", `{"x":"`+strings.Repeat("x", 5000)+`"}`, asJSON...).wantStatus(t, http.StatusRequestEntityTooLarge)
	w.postBody("alice", "/devices", "endpoint=e").wantStatus(t, http.StatusBadRequest)
	if w.postBody("carol", "/devices", `{"endpoint":"e"}`, asJSON...); len(f.added) != 2 {
		t.Error("a page of alice registered a device of carol")
	}
}

func TestSettingsListDevicesAndTestAndRemoveThem(t *testing.T) {
	t.Parallel()
	f := &devices{list: []notifier.Device{
		{ReachTarget: notifier.ReachTarget{ID: 1, Label: "Firefox on Linux", CreatedAt: noon, State: notifier.ReachOn}, Here: true},
		{ReachTarget: notifier.ReachTarget{ID: 2, Label: "Safari on iPhone", CreatedAt: noon, State: notifier.ReachFailing}},
	}}
	w := newWorld(t, func(w *world) { w.config.Devices = f })
	r := w.get("alice", "/settings").wantStatus(t, http.StatusOK)
	if r.attr("#devices", "data-vapid-key") != "BKEY" || r.attr("#devices li:first-child form", "action") != "/devices/1/test" {
		t.Error(r.text("#devices"))
	}
	for sel, want := range map[string]string{"li:first-child strong": "This browser", "li:last-child .hint:last-child": "Not reachable at the moment."} {
		r.wantText(t, "#devices "+sel, want)
	}
	w.post("alice", "/devices/1/test").wantRedirect(t, "/settings?done=device-tested")
	w.post("alice", "/devices/1/delete").wantRedirect(t, "/settings?done=device-removed")
	for _, address := range []string{"/devices/1/test", "/devices/1/delete"} {
		w.post("carol", address).wantStatus(t, http.StatusNotFound)
	}
}

func TestWithoutPushThereIsNoTraceOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if r := w.get("alice", "/settings").wantStatus(t, http.StatusOK); r.page.Find("#devices").Length() != 0 {
		t.Error(r.text("#devices"))
	}
	w.get("", "/sw.js").wantStatus(t, http.StatusNotFound)
	w.postBody("alice", "/devices", `{}`, "Content-Type", "application/json").wantStatus(t, http.StatusNotFound)
}

func TestTheWorkerIsFreshAndTheManifestHasIconsForPhones(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.config.Devices = &devices{} })
	r := w.get("", "/sw.js").wantStatus(t, http.StatusOK)
	if r.Header.Get("Cache-Control") != "no-cache" || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/javascript") || len(r.body) > 2048 || !strings.Contains(r.body, "showNotification") {
		t.Errorf("%v, %d bytes", r.Header, len(r.body))
	}
	var manifest struct {
		StartURL string `json:"start_url"`
		Display  string
		Icons    []struct{ Src, Sizes, Type, Purpose string }
	}
	if err := json.Unmarshal([]byte(w.get("", "/manifest.webmanifest").wantStatus(t, http.StatusOK).body), &manifest); err != nil || manifest.StartURL != "/inbox" || manifest.Display != "standalone" {
		t.Errorf("%+v, %v", manifest, err)
	}
	pictures := []string{}
	for _, icon := range manifest.Icons {
		if icon.Type != "image/png" {
			continue
		}
		size := measured(t, w, icon.Src)
		if size != icon.Sizes {
			t.Errorf("%s is listed as %s and is %s", icon.Src, icon.Sizes, size)
		}
		pictures = append(pictures, strings.TrimSpace(size+" "+icon.Purpose))
	}
	pictures = append(pictures, measured(t, w, w.get("", "/login").attr("link[rel=apple-touch-icon]", "href")))
	if diff := cmp.Diff([]string{"192x192", "512x512", "512x512 maskable", "180x180"}, pictures); diff != "" {
		t.Error(diff)
	}
}

// measured returns the size of a picture and checks that it is opaque: iPhones show transparent points black.
func measured(t *testing.T, w *world, address string) string {
	t.Helper()
	r := w.get("", address).wantStatus(t, http.StatusOK)
	picture, err := png.Decode(strings.NewReader(r.body))
	if err != nil || r.Header.Get("Content-Type") != "image/png" {
		t.Fatalf("%s: %v, %v", address, r.Header, err)
	}
	if p, ok := picture.(*image.Paletted); !ok || !p.Opaque() {
		t.Errorf("%s is not opaque", address)
	}
	return fmt.Sprintf("%dx%d", picture.Bounds().Dx(), picture.Bounds().Dy())
}
