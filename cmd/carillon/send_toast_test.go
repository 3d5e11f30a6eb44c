package main

import (
	"strings"
	"testing"
)

func TestWhatARuleFindsAndWhatACommandSendsPopsUpWhenAsked(t *testing.T) {
	t.Parallel()
	c := watching(t, aRule+"toast = true\nrole = \"picker\"\n")
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin", "--role", "picker"))
	s := serve(t, c, "--admin-addr", "127.0.0.1:0")
	eventually(t, "what the rule finds is raised", func() bool { // as soon as the server starts
		_, page := text(t, s.Admin+"/metrics")
		return strings.Contains(page, "carillon_toasts_raised_total 1\n")
	})
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-secret") // and reads it in the inbox
	must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "note", "--title", "Quiet"))
	must(t, c.run(t.Context(), "send", "--to", "bob", "--type", "note", "--title", "Loud", "--toast"))
	if sent := bob.popsUp(t); sent.Title != "Loud" || sent.Notice == 0 {
		t.Errorf("%+v", sent)
	}
}

func TestAnAnnouncementOfACommandPopsUpWhenAsked(t *testing.T) {
	t.Parallel()
	c, err := parse(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, pops := range []bool{false, true} {
		d, err := announceCmd{Audience: []string{"customer"}, Title: "A", Toast: pops}.draft(c)
		if err != nil || d.Toast != pops {
			t.Errorf("asked %v: %+v, %v", pops, d, err)
		}
	}
	for _, command := range []string{"send", "announce"} {
		if help := must(t, in(t.TempDir()).run(t.Context(), command, "--help")).out; !strings.Contains(help, "--toast ") {
			t.Errorf("%s --help does not name it:\n%s", command, help)
		}
	}
}
