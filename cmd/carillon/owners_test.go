package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// asKey is an application with a key.
type asKey struct {
	s   *running
	key string
}

// send sends dave a notice without a subject, with the idempotency key once, and returns its id.
func (a asKey) send(t *testing.T, once, title string) (id int64) {
	t.Helper()
	body := fmt.Sprintf(`{"target": {"users": ["dave"]}, "type": "order", "title": %q}`, title)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.s.URL+"/api/v1/notices", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", once)
	res, err := visit(t, "").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var made struct{ ID int64 }
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil || res.StatusCode != http.StatusAccepted {
		t.Fatalf("sending as a key: %s, %v", res.Status, err)
	}
	return made.ID
}

// remove deletes a user and waits until the API no longer finds the name.
func (a asKey) remove(t *testing.T, name string) {
	t.Helper()
	path := "/users/" + url.PathEscape(name)
	if status, answer := application(t, a.s, a.key, http.MethodDelete, path, ""); status >= http.StatusMultipleChoices {
		t.Fatalf("delete %q: %d %s", name, status, answer)
	}
	testkit.Eventually(t, "the user is gone", func() bool {
		status, _ := application(t, a.s, a.key, http.MethodGet, path, "")
		return status == http.StatusNotFound
	})
}

// Applications let users choose their names, which may equal a sender's name.
func TestAUserNamedLikeAKeyOwnsNothingOfIt(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.typing("dave-secret").run(t.Context(), "user", "add", "dave", "--password-stdin"))
	s := serve(t, c)
	key := func(name, scope string) asKey {
		return asKey{s, strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", name, "--scope", scope)).out)}
	}
	shop, admin := key("shop", "send"), key("adm", "admin")
	first := shop.send(t, "order-17", "Pay once")
	if status, answer := application(t, s, admin.key, http.MethodPut, "/users/dave", `{"locale": "ja"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	for _, name := range []string{"key shop", "key adm", "rule low-stock", "form:1", "command line", "carillon send", "user 1"} {
		if status, answer := application(t, s, admin.key, http.MethodPut, "/users/"+url.PathEscape(name), `{}`); status != http.StatusCreated {
			t.Fatalf("add %q: %d %s", name, status, answer)
		}
		export := must(t, c.run(t.Context(), "export", "--user", name)).out
		var of struct {
			Sent []any
			Log  []struct{ Action string }
		}
		if err := json.Unmarshal([]byte(export), &of); err != nil {
			t.Fatal(err)
		}
		if len(of.Sent) != 0 || len(of.Log) != 1 || of.Log[0].Action != "user.add" {
			t.Errorf("the export of %q has data of others:\n%s", name, export)
		}
		admin.remove(t, name)
	}

	notice := fmt.Sprintf("/notices/%d", first)
	status, answer := application(t, s, shop.key, http.MethodGet, notice, "")
	if status != http.StatusOK {
		t.Errorf("the key's notice has status %d", status)
	}
	wantWords(t, answer, `"sender":"key shop"`, `"sender_kind":"key"`, `"sender_id":"shop"`)
	if again := shop.send(t, "order-17", "Pay once"); again != first {
		t.Errorf("the repeated request returned notice %d; want %d again", again, first)
	}
	dave := visit(t, s.URL)
	dave.signIn(t, "dave", "dave-secret")
	testkit.Eventually(t, "dave has one notice", func() bool { return len(dave.entries(t)) == 1 })
	for _, call := range [][2]string{{http.MethodPatch, `{"title": "Paid"}`}, {http.MethodDelete, ""}} {
		if status, answer := application(t, s, shop.key, call[0], notice, call[1]); status >= http.StatusMultipleChoices {
			t.Errorf("the key's %s of its notice: %d %s", call[0], status, answer)
		}
	}
	log := must(t, c.run(t.Context(), "export", "--user", "dave")).out
	wantWords(t, log, `"actor":"command line"`, `"actor":"key adm"`, `"address":"127.0.0.1"`) // although users of these names were deleted
}
