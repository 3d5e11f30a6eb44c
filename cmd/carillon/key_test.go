package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

func TestAKeyIsPrintedOnceAndWorksUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.run(t.Context(), "user", "add", "bob"))
	r := must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "read"))
	first := strings.TrimSpace(r.out)
	if !strings.HasPrefix(first, "ck_") {
		t.Fatalf("it prints %q", r.out)
	}
	var second keyLine
	r = must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "read", "--scope", "send", "--json"))
	if err := json.Unmarshal([]byte(r.out), &second); err != nil || second.ID != 2 || second.Key == first || !strings.HasPrefix(second.Key, "ck_") {
		t.Errorf("the second key of the same name is %s (%v)", r.out, err)
	}
	s := serve(t, c)
	ask := func(key string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/users/bob/badge", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		return answer.StatusCode
	}
	for _, key := range []string{first, second.Key} {
		if status := ask(key); status != http.StatusOK {
			t.Errorf("a request with a valid key has status %d", status)
		}
	}
	must(t, c.run(t.Context(), "key", "revoke", "1"))
	must(t, c.run(t.Context(), "key", "revoke", "1")) // a second time changes nothing
	testkit.Eventually(t, "the first key is refused", func() bool { return ask(first) == http.StatusUnauthorized })
	if status := ask(second.Key); status != http.StatusOK {
		t.Errorf("a request with the other key of that name has status %d", status)
	}
	list := must(t, c.run(t.Context(), "key", "list")).out
	if strings.Contains(list, "ck_") {
		t.Error("the list shows a key")
	}
	lines := strings.Split(strings.TrimSpace(list), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "2\tshop\tsend,read\t") || !strings.HasPrefix(lines[1], "1\tshop\tread\trevoked ") {
		t.Errorf("the list is\n%s", list)
	}
}

func TestInvalidKeyArgumentsAreRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	r := c.run(t.Context(), "key", "add", "shop", "--scope", "write")
	if r.status != exitUsage {
		t.Errorf("an unknown scope: status %d", r.status)
	}
	wantWords(t, r.errors, "--scope: ", "write")
	if r = c.run(t.Context(), "key", "add", "shop"); r.status != exitUsage {
		t.Errorf("without a scope: status %d", r.status)
	}
	r = c.run(t.Context(), "key", "revoke", "7")
	if r.status != exitFailed {
		t.Errorf("an unknown key: status %d", r.status)
	}
	wantWords(t, r.errors, "there is no key 7")
}
