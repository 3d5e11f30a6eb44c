package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// opened returns the status of an address and its page.
func opened(t *testing.T, link string) (status int, page string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, link, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestTheLinkOfABoardIsPrintedOnceAndWorksUntilItIsReplacedOrRevoked(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.run(t.Context(), "user", "add", "bob", "--role", "night shift"))
	at := "http://" + serve(t, c).Addr
	c = c.with("CARILLON_PUBLIC_URL", at)
	r := must(t, c.run(t.Context(), "board", "link", "night shift"))
	link := strings.TrimSuffix(r.out, "\n")
	if !strings.HasPrefix(link, at+"/board/night%20shift/") || !strings.Contains(r.errors, "not shown again") || strings.Contains(r.errors, "link before") {
		t.Fatalf("it prints %q and notes %q", r.out, r.errors)
	}
	if status, page := opened(t, link); status != http.StatusOK || !strings.Contains(page, "Tasks of night shift") {
		t.Errorf("the link: %d\n%s", status, page)
	}
	if r = must(t, c.run(t.Context(), "board", "link", "night shift")); !strings.Contains(r.errors, "the link before is not valid any more") {
		t.Errorf("the second link: %s", r.errors)
	}
	if status, _ := opened(t, link); status != http.StatusNotFound {
		t.Errorf("the link before: %d", status)
	}
	var line boardLine
	r = must(t, c.run(t.Context(), "board", "link", "night shift", "--json"))
	if err := json.Unmarshal([]byte(r.out), &line); err != nil || line.Role != "night shift" || !line.Replaced || r.errors != "" {
		t.Errorf("as JSON: %s (%v), %s", r.out, err, r.errors)
	}
	var listed boardLine
	r = must(t, c.run(t.Context(), "board", "list", "--json"))
	if err := json.Unmarshal([]byte(r.out), &listed); err != nil || listed.Role != "night shift" || listed.Since == "" || listed.URL != "" {
		t.Errorf("the list: %s (%v)", r.out, err)
	}
	if r = must(t, c.run(t.Context(), "board", "list")); r.out != "night shift\t"+listed.Since+"\n" {
		t.Errorf("the list: %q", r.out)
	}
	must(t, c.run(t.Context(), "board", "revoke", "night shift"))
	if r = must(t, c.run(t.Context(), "board", "list")); r.out != "" {
		t.Errorf("the list without links: %q", r.out)
	}
	if status, _ := opened(t, line.URL); status != http.StatusNotFound {
		t.Errorf("the revoked link: %d", status)
	}
}

func TestABoardThatCannotBeLinkedIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.run(t.Context(), "user", "add", "bob", "--role", "baker"))
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"link", "baker", "--addr", "127.0.0.1:1"}, exitUsage, "--public-url is not set"},
		{[]string{"link", "nobody", "--public-url", "https://bell.example.org"}, exitFailed, "there is no role nobody"},
		{[]string{"revoke", "baker"}, exitFailed, "there is no link to a board of role baker"},
		{[]string{"link"}, exitUsage, "role"},
	} {
		if r := c.run(t.Context(), append([]string{"board"}, test.args...)...); r.status != test.status || !strings.Contains(r.errors, test.want) || r.out != "" {
			t.Errorf("board %v: status %d: %s", test.args, r.status, r.errors)
		}
	}
}
