package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// application asks the API of a server.
func application(t *testing.T, s *running, key, method, path, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := visit(t, "").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestWhatApplicationsDoWithUsersHoldsAtOnceAndIsWrittenDown(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir()).with("CARILLON_MAX_SEQ", "6")
	s := serve(t, c, "--demo")
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "admin")).out)
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-demo")
	alice.get(t, "/staff/users") // she may
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
	if err = res.Body.Close(); err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("who has left the staff gets %s, %v", res.Status, err)
	}
	wantWords(t, must(t, c.run(t.Context(), "user", "export", "alice")).out, "user.edit", "key shop", "127.0.0.1")
	if status, answer := application(t, s, key, http.MethodPut, "/users/frank", `{}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, answer)
	}
	status, answer := application(t, s, key, http.MethodPut, "/users/gina", `{}`)
	if status != http.StatusInsufficientStorage || !strings.Contains(answer, "no room for another") {
		t.Errorf("a seventh of six users: %d %s", status, answer)
	}
}
