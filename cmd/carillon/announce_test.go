package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestInvalidAnnouncementIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	for name, call := range map[string]struct {
		status int
		words  []string
		args   []string
	}{
		"no audience":       {exitUsage, []string{"--audience"}, []string{"--title", "Hello"}},
		"unknown audience":  {exitUsage, []string{"--audience: ", "nobody", "customer"}, []string{"--audience", "nobody", "--title", "Hello"}},
		"not a time":        {exitUsage, []string{"--starts-at: ", "soon"}, []string{"--audience", "user", "--title", "Hello", "--starts-at", "soon"}},
		"over already":      {exitFailed, []string{"--ends-at: "}, []string{"--audience", "user", "--title", "Hello", "--ends-at", "2020-01-01 10:00"}},
		"a link elsewhere":  {exitFailed, []string{"--link: "}, []string{"--audience", "user", "--title", "Hello", "--link", "//evil.example"}},
		"a text too long":   {exitFailed, []string{"--body: ", "4,000", "5,000"}, []string{"--audience", "user", "--title", "Hello", "--body", strings.Repeat("x", 5000)}},
		"a picture":         {exitFailed, []string{"--image: ", "evil.example", "--image-alt: "}, []string{"--audience", "user", "--title", "Hello", "--image", "https://evil.example/a.png"}},
		"an actor":          {exitUsage, []string{"--actor"}, []string{"--audience", "user", "--title", "Hello", "--actor", "Ann"}},
		"a title of blanks": {exitFailed, []string{"--title: "}, []string{"--audience", "user", "--title", "  "}},
	} {
		r := c.run(t.Context(), append([]string{"announce"}, call.args...)...)
		if r.status != call.status {
			t.Errorf("%s: status %d, want %d: %s", name, r.status, call.status, r.errors)
		}
		wantWords(t, r.errors, call.words...)
	}
}

func TestAnnouncementBeyondTheLimitListsThoseThatCouldBeClosed(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	ctx := t.Context()
	r := must(t, c.run(ctx, "announce", "--json", "--audience", "customer", "--title", "Ends first", "--ends-at", time.Now().Add(time.Hour).Format(time.RFC3339)))
	var first announced
	if err := json.Unmarshal([]byte(r.out), &first); err != nil || first.State != notYetShown {
		t.Errorf("without a server it prints %s (%v)", r.out, err)
	}
	for range notifier.MaxOpen - 1 {
		must(t, c.run(ctx, "announce", "--audience", "customer", "--title", "Stays"))
	}
	r = c.run(ctx, "announce", "--audience", "customer", "--audience", "user", "--title", "One more")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.errors, "--starts-at: ", "64", "customer", "Ends first")
	must(t, c.run(ctx, "announce", "--audience", "user", "--title", "Elsewhere there is room"))
}

func TestAnnounceShowsTheAnnouncementAtOnce(t *testing.T) {
	t.Parallel()
	dir := in(t.TempDir())
	s := serve(t, dir, "--demo")
	erin := visit(t, s.URL)
	erin.signIn(t, "erin", "erin-demo")
	before := erin.get(t, "/announcements").Find(`[data-testid="announcement"]`).Length()
	r := must(t, dir.run(t.Context(), "announce", "--json", "--audience", "customer", "--title", "Sale", "--body", "**All** of it", "--pinned",
		"--ends-at", time.Now().Add(24*time.Hour).Format(time.RFC3339), "--link", "/inbox"))
	var a announced
	if err := json.Unmarshal([]byte(r.out), &a); err != nil || a.ID == 0 || a.State != notifier.PhaseOpen || a.Recipients != 1 {
		t.Errorf("it prints %s (%v)", r.out, err)
	}
	list := erin.get(t, "/announcements")
	if now := list.Find(`[data-testid="announcement"]`).Length(); now != before+1 {
		t.Errorf("erin sees %d announcements, want %d", now, before+1)
	}
	if title := list.Find(`[data-testid="announcement"][data-pinned="1"]`).First().Text(); title == "" {
		t.Error("the announcement is not pinned")
	}
}
