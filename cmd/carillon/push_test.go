package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// registered is the response to the registration of a device.
type registered struct {
	ID     int64
	Faults map[string]string
}

// device registers a browser of the service, and returns the status and the answer.
func (b browser) device(t *testing.T, subscription string) (status int, answer registered) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+"/devices", strings.NewReader(subscription))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatalf("%s: %v", res.Status, err)
	}
	return res.StatusCode, answer
}

// pushed waits until the service has n messages, and returns their texts.
func pushed(t *testing.T, s *pushtest.Service, n int) []string {
	t.Helper()
	testkit.Eventually(t, "the pushes have arrived", func() bool { return len(s.Received()) >= n })
	var texts []string
	for _, got := range s.Received() {
		texts = append(texts, string(got.Text))
	}
	return texts
}

// pushing starts a server, and signs bob in.
func pushing(t *testing.T, c call) (*running, browser) {
	t.Helper()
	s := serve(t, c, "--push-hosts=127.0.0.1", "--outbound-allow=127.0.0.1")
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "correct horse battery")
	return s, bob
}

func TestWhatIsNotReadIsPushedToTheDevicesOfItsUser(t *testing.T) {
	t.Parallel()
	service := pushtest.Start(t)
	c := in(t.TempDir())
	for _, name := range []string{"bob", "carol"} {
		must(t, c.typing("correct horse battery\n").run(t.Context(), "user", "add", name, "--password-stdin"))
	}
	s, bob := pushing(t, c)
	status, added := bob.device(t, service.JSON())
	if again, same := bob.device(t, service.JSON()); status != http.StatusCreated || again != http.StatusOK || same.ID != added.ID {
		t.Errorf("registered: %d %+v, again: %d %+v", status, added, again, same)
	}
	for subscription, want := range map[string]string{
		`{}`: "endpoint", `[]`: "",
		strings.Replace(service.JSON(), "127.0.0.1", "push.example.com", 1): "endpoint",
		strings.Replace(service.JSON(), `"p256dh":"B`, `"p256dh":"A`, 1):    "keys.p256dh",
		strings.Replace(service.JSON(), `"auth":"`, `"auth":"AAAA`, 1):      "keys.auth",
	} {
		if status, answer := bob.device(t, subscription); status != http.StatusUnprocessableEntity || answer.Faults[want] == "" {
			t.Errorf("%s: %d %+v", subscription, status, answer)
		}
	}
	if page := bob.get(t, "/settings"); page.Find("[data-testid=devices] li").Length() != 1 || len(page.Find("[data-vapid-key]").AttrOr("data-vapid-key", "")) != 87 {
		t.Errorf("settings: %s", page.Find("[data-testid=devices]").Text())
	}

	must(t, c.run(t.Context(), "announce", "--audience", "user", "--title", "The lift is old")) // counted by the bell, but not pushed
	must(t, c.run(t.Context(), "send", "--to", "bob", "--title", "The lift is stuck", "--type", "alarm"))
	var message struct {
		Notification struct{ Title, Navigate, Tag string }
		AppBadge     int `json:"app_badge"`
		Inbox        int
	}
	if err := json.Unmarshal([]byte(pushed(t, service, 1)[0]), &message); err != nil {
		t.Fatal(err)
	}
	if message.Notification.Title != "The lift is stuck" || !strings.HasSuffix(message.Notification.Navigate, "/n/2") || message.Notification.Tag != service.Received()[0].Topic || message.AppBadge != 2 || message.Inbox != 1 {
		t.Errorf("%+v", message)
	}

	// Other users cannot change the device.
	carol := visit(t, s.URL)
	carol.signIn(t, "carol", "correct horse battery")
	one := "/devices/" + strconv.FormatInt(added.ID, 10)
	for _, action := range []string{"/test", "/delete"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+one+action, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := carol.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("%s by carol: %s", one+action, res.Status)
		}
	}
	bob.post(t, one+"/test", url.Values{})
	if texts := pushed(t, service, 2); !strings.Contains(texts[1], `"title":"Test"`) {
		t.Errorf("the test: %s", texts[1])
	}

	// A subscription that has ended is deleted.
	service.Answer(pushtest.Answer{Status: http.StatusGone})
	must(t, c.run(t.Context(), "send", "--to", "bob", "--title", "The lift works", "--type", "alarm"))
	testkit.Eventually(t, "the device is gone", func() bool { return bob.get(t, "/settings").Find("[data-testid=devices] li").Length() == 0 })
}

func TestADeviceEndsWithItsSessionAndTheKeyStays(t *testing.T) {
	t.Parallel()
	service := pushtest.Start(t)
	c := in(t.TempDir())
	must(t, c.typing("correct horse battery\n").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	s, bob := pushing(t, c)
	key := bob.get(t, "/settings").Find("[data-vapid-key]").AttrOr("data-vapid-key", "")
	if status, _ := bob.device(t, service.JSON()); status != http.StatusCreated {
		t.Fatalf("registered: %d", status)
	}
	bob.post(t, "/logout", url.Values{})
	s.stop()
	_, bob = pushing(t, c)
	page := bob.get(t, "/settings")
	if n := page.Find("[data-testid=devices] li").Length(); n != 0 {
		t.Errorf("%d devices after signing out", n)
	}
	if now := page.Find("[data-vapid-key]").AttrOr("data-vapid-key", ""); key == "" || now != key {
		t.Errorf("the key was %q and is %q", key, now)
	}
}
