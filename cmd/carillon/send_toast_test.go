package main

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestRulesAndCommandsRaiseToastsOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	c := watching(t, aRule+"toast = true\nrole = \"picker\"\n")
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin", "--role", "picker"))
	s := serve(t, c, "--admin-addr", "127.0.0.1:0")
	testkit.Eventually(t, "the rule has raised a toast", func() bool { // rules run when the server starts
		_, page := text(t, s.Admin+"/metrics")
		return strings.Contains(page, "carillon_toasts_raised_total 1\n")
	})
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-secret") // which opens the inbox and marks the rule's notice as read
	must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "note", "--title", "Quiet"))
	must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "note", "--title", "Loud", "--toast"))
	if sent := bob.nextToast(t); sent.Title != "Loud" || sent.Notice == 0 {
		t.Errorf("%+v", sent)
	}
}

func TestAnnounceRaisesAToastOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	c := config.Config{Audiences: map[notifier.Audience]string{3: "customer"}}
	for _, toasts := range []bool{false, true} {
		d, err := announceCmd{Audience: []string{"customer"}, Title: "A", Toast: toasts}.draft(c)
		if err != nil || d.Toast != toasts {
			t.Errorf("with --toast=%v: %+v, %v", toasts, d, err)
		}
	}
	for _, command := range []string{"send", "announce"} {
		if help := must(t, in(t.TempDir()).run(t.Context(), command, "--help")).out; !strings.Contains(help, "--toast ") {
			t.Errorf("%s --help does not list --toast:\n%s", command, help)
		}
	}
}
