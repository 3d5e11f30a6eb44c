package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/carillonhq/carillon/internal/testkit"
)

// hookReceiver keeps the events that verify with the secret, each as its type and data.
type hookReceiver struct {
	*httptest.Server
	mu     sync.Mutex
	secret string
	events []string
	bad    []string // messages that do not verify
}

func receiveHooks(t *testing.T) *hookReceiver {
	t.Helper()
	r := &hookReceiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		webhook, bad := standardwebhooks.NewWebhook(r.secret)
		if err != nil || bad != nil || webhook.Verify(body, req.Header) != nil {
			r.bad = append(r.bad, string(body))
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var event struct {
			Type string
			Data json.RawMessage
		}
		if err := json.Unmarshal(body, &event); err != nil {
			r.bad = append(r.bad, string(body))
		}
		r.events = append(r.events, event.Type+" "+string(event.Data))
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *hookReceiver) uses(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = strings.TrimSpace(secret)
}

// gets waits until these events have arrived.
func (r *hookReceiver) gets(t *testing.T, want ...string) {
	t.Helper()
	testkit.Eventually(t, "the events "+strings.Join(want, ", "), func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return !slices.ContainsFunc(want, func(event string) bool { return !slices.Contains(r.events, event) })
	})
}

func TestAWebhookGetsWhatBecomesOfNoticesSignedByItsSecret(t *testing.T) {
	t.Parallel()
	to := receiveHooks(t)
	c := in(t.TempDir())
	c.env["CARILLON_OUTBOUND_ALLOW"] = "127.0.0.0/8"
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	s := serve(t, c)
	events := []string{"notice.sent", "notice.delivered", "notice.retracted", "entries.read", "entries.removed", "announcement.opened", "user.deleted", "preferences.changed"}
	args := []string{"hook", "add", "shop", "--url", to.URL + "/a?token=of-the-receiver"}
	for _, typ := range events {
		args = append(args, "--event", typ)
	}
	added := must(t, c.run(t.Context(), args...))
	to.uses(added.out)
	if r := must(t, c.run(t.Context(), "hook", "test", "shop")); r.out != "accepted: 200\n" {
		t.Errorf("hook test printed %q", r.out)
	}
	to.gets(t, `test {"hook":"shop"}`)
	must(t, c.run(t.Context(), "send", "--to", "bob", "--title", "Secret title", "--type", "order", "--subject", "order:7"))
	to.gets(t, `notice.sent {"notice":1}`, `notice.delivered {"notice":1}`)
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-secret")
	testkit.Eventually(t, "bob has the notice", func() bool { return slices.Contains(bob.entries(t), "order:order:7") })
	to.gets(t, `entries.read {"user":"bob","entries":[{"key":"order:order:7","id":1}]}`)
	bob.post(t, "/inbox/delete", url.Values{"key": {"order:order:7"}})
	to.gets(t, `entries.removed {"user":"bob","entries":[{"key":"order:order:7","id":1}]}`)
	must(t, c.run(t.Context(), "announce", "--audience", "customer", "--title", "Closed on Monday"))
	to.gets(t, `announcement.opened {"announcement":2}`)

	rotated := must(t, c.run(t.Context(), "hook", "rotate", "shop"))
	must(t, c.run(t.Context(), "hook", "test", "shop")) // the receiver still has the old secret
	to.uses(rotated.out)
	must(t, c.run(t.Context(), "hook", "test", "shop"))
	must(t, c.run(t.Context(), "user", "delete", "bob"))
	to.gets(t, `user.deleted {"user":"bob"}`)
	list := must(t, c.run(t.Context(), "hook", "list")).out
	if !strings.HasPrefix(list, "1\tshop\t"+to.URL) || !strings.HasSuffix(list, "\ton\n") {
		t.Errorf("hook list printed %q", list)
	}
	must(t, c.run(t.Context(), "hook", "remove", "shop"))
	if len(to.bad) > 0 {
		t.Errorf("messages do not verify: %q", to.bad)
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	for _, event := range to.events {
		if strings.Contains(event, "Secret") {
			t.Errorf("an event has words of a notice: %s", event)
		}
	}
	for _, secret := range []string{"of-the-receiver", strings.TrimSpace(added.out), strings.TrimSpace(rotated.out)} {
		if strings.Contains(s.errors.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
	}
}

func TestHookCommandsRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	for _, w := range []struct {
		args []string
		want string
	}{
		{[]string{"hook", "add", "shop", "--url", "http://127.0.0.1/", "--event", "test"}, "--url: "},
		{[]string{"hook", "add", "shop", "--url", "https://10.0.0.1/", "--event", "test"}, "--url: "},
		{[]string{"hook", "add", "shop", "--url", "https://8.8.8.8/", "--event", "notice.lost"}, "--event: "},
		{[]string{"hook", "rotate", "nobody"}, "there is no webhook nobody"},
		{[]string{"hook", "remove", "nobody"}, "there is no webhook nobody"},
		{[]string{"hook", "test", "nobody"}, "there is no webhook nobody"},
	} {
		if r := c.run(t.Context(), w.args...); r.status == 0 || !strings.Contains(r.errors, w.want) {
			t.Errorf("%v: %+v; want %q", w.args, r, w.want)
		}
	}
}
