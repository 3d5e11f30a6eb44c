package main

import (
	"encoding/json"
	"testing"
)

func TestInvalidNoticeIsRefusedWithTheReasonAndNotSent(t *testing.T) {
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
	r = c.run(ctx, "send", "--role", "nosuch", "--type", "like", "--title", "Hello")
	wantWords(t, r.errors, "--role: nosuch does not exist.")
	r = c.run(ctx, "send", "--topic", "Not A Topic", "--title", "Hello")
	wantWords(t, r.errors, "--topic: ")
	if r = c.run(ctx, "send", "--to", "bob", "--type", "like"); r.status != exitUsage {
		t.Errorf("without a title: status %d", r.status)
	}
	if r = c.run(ctx, "send", "--to", "bob", "--type", "like", "--title", "Hello", "--expires-in", "soon"); r.status != exitUsage {
		t.Errorf("with --expires-in soon: status %d", r.status)
	}
	r = c.run(ctx, "send", "--to", "bob", "--type", "like", "--title", "Hello", "--expires-in", "181d")
	if r.status != exitFailed {
		t.Errorf("with --expires-in 181d: status %d", r.status)
	}
	wantWords(t, r.errors, "--expires-in: Notifications are kept for at most 180 days.")
	for _, target := range [][]string{nil, {"--to", "bob", "--role", "picker"}, {"--topic", "like", "--role", "picker"}} {
		r = c.run(ctx, append([]string{"send", "--type", "like", "--title", "Hello"}, target...)...)
		if r.status != exitUsage {
			t.Errorf("to %q: status %d", target, r.status)
		}
		wantWords(t, r.errors, "--to, --role, --topic: give one of them")
	}
	r = c.run(ctx, "send", "--to", "bob", "--type", "like", "--title", "Hello", "--image-hosts", "cdn.example.com", "--actor-id", "u7", "--actor-image", "https://evil.example/a.png",
		"--image", "https://cdn.example.com/a.png", "--action", "Review=/a", "--action", "Later=javascript:1", "--data", "[]")
	if r.status != exitFailed {
		t.Errorf("with wrong extras: status %d", r.status)
	}
	wantWords(t, r.errors, "--actor: Required.", "--actor-image: Pictures on evil.example aren't allowed (--image-hosts).", "--image-alt: Required.", "--action (number 2): ", "--data: Enter a JSON object.")
	if r = c.run(ctx, "send", "--to", "bob", "--type", "like", "--title", "Hello", "--action", "Review"); r.status != exitUsage {
		t.Errorf("with --action Review: status %d", r.status)
	}
	wantWords(t, r.errors, `--action: "Review" is not LABEL=LINK`)
	// The next notice has number 1, because none before it was accepted.
	r = must(t, c.run(ctx, "send", "--json", "--to", "bob", "--title", "Hello", "--expires-in", "2d", // without a type
		"--actor", "Ann, of hall 3", "--action", "Review, then sign=/a?b=c,d", "--data", `{"a": 1}`))
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
