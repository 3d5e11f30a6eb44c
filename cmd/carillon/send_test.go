package main

import (
	"encoding/json"
	"testing"
)

func TestAFaultyNoticeIsRefusedInWordsAndNothingIsSent(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	ctx := t.Context()
	must(t, c.run(ctx, "user", "add", "bob"))
	r := c.run(ctx, "send", "--to", "bob", "--type", "Like!", "--title", "Hello", "--link", "javascript:alert(1)")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.errors, "--type: ", "--link: ")
	r = c.run(ctx, "send", "--to", "bob", "--to", "nobody", "--type", "like", "--title", "Hello")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.errors, "--to: ", "nobody")
	if r = c.run(ctx, "send", "--to", "bob", "--type", "like"); r.status != exitUsage {
		t.Errorf("without a title: status %d", r.status)
	}
	if r = c.run(ctx, "send", "--to", "bob", "--type", "like", "--title", "Hello", "--expires-in", "soon"); r.status != exitUsage {
		t.Errorf("with --expires-in soon: status %d", r.status)
	}
	// The next is the first: none before it was accepted.
	r = must(t, c.run(ctx, "send", "--json", "--to", "bob", "--type", "like", "--title", "Hello", "--expires-in", "2d"))
	var n sent
	if err := json.Unmarshal([]byte(r.out), &n); err != nil || n != (sent{ID: 1, State: "accepted", Recipients: 1}) {
		t.Errorf("it prints %s (%v)", r.out, err)
	}
}

func TestSendToARoleReachesItsMembersAtOnce(t *testing.T) {
	t.Parallel()
	c := shared(t)
	ctx := t.Context()
	for _, name := range []string{"carol", "dave"} {
		must(t, c.run(ctx, "user", "add", name, "--role", "picker"))
	}
	must(t, c.run(ctx, "user", "add", "bob"))
	r := must(t, c.run(ctx, "send", "--json", "--role", "picker", "--type", "rep_notice", "--scope", "119240", "--title", "Aisle 7"))
	var n sent
	if err := json.Unmarshal([]byte(r.out), &n); err != nil || n != (sent{ID: 1, State: "sent", Recipients: 2}) {
		t.Errorf("it prints %s (%v)", r.out, err)
	}
}
