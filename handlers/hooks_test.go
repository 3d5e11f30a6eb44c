package handlers_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// hook adds a webhook by the form and returns it with its secret.
func (o *office) hook(t *testing.T, name string) (notifier.Hook, string) {
	t.Helper()
	o.post("carol", "/staff/hooks", "name", name, "url", "https://hooks.example.com/"+name, "events", "user.deleted")
	h, err := o.db.HookNamed(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	page := o.get("carol", "/staff/hooks/"+strconv.FormatInt(h.ID, 10)).wantStatus(t, http.StatusOK)
	return h, page.page.Find("[data-testid=new-secret]").Text()
}

func TestTheSecretOfAWebhookIsShownOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.get("carol", "/staff/hooks").wantStatus(t, http.StatusOK).wantText(t, ".empty h2", "No webhooks yet")
	o.postBody("carol", "/staff/hooks", "name=+shop+&url=https%3A%2F%2Fhooks.example.com%2Fa%3Fb&events=notice.sent&events=entries.read").wantRedirect(t, "/staff/hooks/1")
	page := o.get("carol", "/staff/hooks/1").wantStatus(t, http.StatusOK)
	secret := page.page.Find("[data-testid=new-secret]").Text()
	if !strings.HasPrefix(secret, "whsec_") || page.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("secret %q, Cache-Control %q", secret, page.Header.Get("Cache-Control"))
	}
	if again := o.get("carol", "/staff/hooks/1"); strings.Contains(again.body+o.log.String(), secret) {
		t.Error("the secret is shown again")
	}
	list := o.get("carol", "/staff/hooks").wantStatus(t, http.StatusOK)
	if list.count("[data-testid=hook]") != 1 || !strings.Contains(list.body, "entries.read") {
		t.Error("the list lacks the webhook")
	}
	if diff := cmp.Diff([]string{"carol hook.add hook shop https://hooks.example.com notice.sent,entries.read"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestAWebhookWithFaultsIsReturnedAsTyped(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, c := range []struct{ name, url, event, field string }{
		{"", "https://hooks.example.com/", "test", "name"},
		{"shop", "http://hooks.example.com/", "test", "url"},
		{"shop", "https://10.0.0.1/", "test", "url"},
		{"shop", "https://u:p@hooks.example.com/", "test", "url"},
		{"shop", "https://hooks.example.com/", "lost", "events"},
	} {
		r := o.post("carol", "/staff/hooks", "name", c.name, "url", c.url, "events", c.event).wantStatus(t, http.StatusUnprocessableEntity)
		if r.count("#"+c.field+"-fault") != 1 || r.attr("[data-testid=hook-form] [name=url]", "value") != c.url {
			t.Errorf("%+v: %d faults at the field, url %q", c, r.count("#"+c.field+"-fault"), r.attr("[data-testid=hook-form] [name=url]", "value"))
		}
	}
	if len(o.done()) > 0 {
		t.Errorf("the audit log has %v", o.done())
	}
}

func TestStaffTestRotateReplayAndRemoveAWebhook(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	h, first := o.hook(t, "shop")
	path := "/staff/hooks/" + strconv.FormatInt(h.ID, 10)
	o.post("carol", path, "action", "test").wantRedirect(t, path+"?done=hook-tested")
	page := o.get("carol", path)
	if page.count("[data-testid=event]") != 1 {
		t.Fatalf("%d events", page.count("[data-testid=event]"))
	}
	n := page.attr("[data-testid=event] [name=n]", "value")
	o.post("carol", path, "action", "replay", "n", n).wantRedirect(t, path+"?done=hook-replayed")
	o.post("carol", path, "action", "replay", "n", n+"9").wantStatus(t, http.StatusNotFound)
	o.post("carol", path, "action", "rotate").wantRedirect(t, path)
	if second := o.get("carol", path).page.Find("[data-testid=new-secret]").Text(); second == first || !strings.HasPrefix(second, "whsec_") {
		t.Errorf("after %s the secret is %s", first, second)
	}
	o.post("carol", path, "action", "on").wantRedirect(t, path+"?done=hook-on")
	o.post("carol", path, "action", "dance").wantStatus(t, http.StatusUnprocessableEntity)
	o.post("carol", path, "action", "remove").wantRedirect(t, "/staff/hooks?done=hook-removed")
	o.get("carol", path).wantStatus(t, http.StatusNotFound)
	for _, action := range []string{"test", "rotate", "on", "remove"} {
		o.post("carol", path, "action", action).wantStatus(t, http.StatusNotFound)
	}
	var actions []string
	for _, line := range o.done() {
		actions = append(actions, strings.Fields(line)[1])
	}
	slices.Sort(actions)
	if diff := cmp.Diff([]string{"hook.add", "hook.on", "hook.remove", "hook.replay", "hook.rotate", "hook.test"}, actions); diff != "" {
		t.Error(diff)
	}
}
