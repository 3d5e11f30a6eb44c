package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/demo"
)

// application sends one request to the API of a server, as an application does.
func application(t *testing.T, s *running, key, method, path, body string) (status int, answer string) {
	t.Helper()
	return asks(t, bearer(key), method, s.URL+"/api/v1"+path, body)
}

func bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

func TestChangesToUsersByTheAPIApplyAtOnceAndAreInTheAuditLog(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir()).with("CARILLON_MAX_SEQ", "6")
	s := serve(t, c, "--demo")
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "admin")).out)
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-demo")
	alice.get(t, "/staff/users") // she is staff
	if status, answer := application(t, s, key, http.MethodPut, "/users/alice", `{"roles": []}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/staff/users", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := alice.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err = res.Body.Close(); err != nil || res.StatusCode != http.StatusNotFound {
		t.Errorf("a user who is no longer staff gets %s, %v", res.Status, err)
	}
	wantWords(t, must(t, c.run(t.Context(), "export", "--user", "alice")).out, "user.edit", "key shop", "127.0.0.1")
	if status, answer := application(t, s, key, http.MethodPut, "/users/frank", `{}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	sent := func() string {
		t.Helper()
		status, answer := application(t, s, key, http.MethodPost, "/notices", `{"target": {"topic": {"type": "report"}}, "title": "Week 47"}`)
		var made struct{ URL string }
		if err := json.Unmarshal([]byte(answer), &made); err != nil || status != http.StatusAccepted {
			t.Fatalf("%d %s", status, answer)
		}
		_, answer = application(t, s, key, http.MethodGet, strings.TrimPrefix(made.URL, "/api/v1"), "")
		return answer
	}
	wantWords(t, sent(), `"targeted":2`)
	if status, answer := application(t, s, key, http.MethodDelete, "/users/bob", ""); status != http.StatusNoContent {
		t.Fatalf("%d %s", status, answer)
	}
	wantWords(t, sent(), `"targeted":1`)
	status, answer := application(t, s, key, http.MethodPut, "/users/gina", `{}`)
	if status != http.StatusInsufficientStorage || !strings.Contains(answer, "no room for another") {
		t.Errorf("a seventh of six users: %d %s", status, answer)
	}
}

func TestADemonstrationHasTopics(t *testing.T) {
	t.Parallel()
	s := serve(t, in(t.TempDir()), "--demo")
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-demo")
	wantWords(t, bob.get(t, "/settings").Find("main").Text(), "Weekly reports", "Shifts", "harbour")
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-demo")
	if n := alice.get(t, "/staff/subscriptions").Find("[data-testid=subscription]").Length(); n != len(demo.Subscriptions()) {
		t.Errorf("%d subscriptions", n)
	}
	wantWords(t, alice.get(t, "/staff/types").Find("main").Text(), "Weekly reports", "Shifts")
}
