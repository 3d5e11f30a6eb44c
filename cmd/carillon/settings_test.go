package main

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
)

// The other instance has a copy of the session less than a minute old, and must not use its settings.
func TestSettingsTakeEffectOnEveryInstanceFromTheNextPage(t *testing.T) {
	t.Parallel()
	c := shared(t)
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	one, two := serve(t, c), serve(t, c.with("CARILLON_DATA_DIR", t.TempDir()))
	here := visit(t, one.URL)
	here.signIn(t, "bob", "bob-secret")
	there := browser{here.Client, two.URL}
	there.get(t, "/settings?tab=appearance")
	chosen := func() string {
		page := there.get(t, "/settings?tab=appearance")
		return fmt.Sprint(page.Find("html").AttrOr("lang", ""), " ", page.Find("[name=theme][checked]").AttrOr("value", ""), " ",
			page.Find("#keys[checked]").Length(), page.Find("#toasts[checked]").Length())
	}
	for _, step := range []struct {
		form url.Values
		want string
	}{
		{url.Values{"theme": {"dark"}, "keys": {"0"}}, "en dark 0 1"},
		{url.Values{"locale": {"ja"}}, "ja dark 0 1"},
		{url.Values{"toasts": {"0"}, "theme": {"auto"}}, "ja auto 0 0"},
	} {
		here.post(t, "/settings", step.form)
		if got := chosen(); got != step.want {
			t.Errorf("after %v the other instance shows %q, want %q", step.form, got, step.want)
		}
	}
}

func TestTypesMutedOnAPageAreNotDelivered(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	must(t, c.typing("ann-secret").run(t.Context(), "user", "add", "ann", "--password-stdin"))
	s := serve(t, c)
	bob, ann := visit(t, s.URL), visit(t, s.URL)
	bob.signIn(t, "bob", "bob-secret")
	ann.signIn(t, "ann", "ann-secret")
	order := []string{"send", "--to", "bob", "--to", "ann", "--type", "order", "--subject", "order:42", "--title", "Your order left"}

	page := bob.post(t, "/settings/mute", url.Values{"type": {"order"}, "muted": {"1"}})
	if got := page.Find("[data-testid=muted] form").Length(); got != 1 {
		t.Errorf("the settings list %d types, want 1", got)
	}
	must(t, c.run(t.Context(), order...))
	if b, a := bob.entries(t), ann.entries(t); len(b) != 0 || !slices.Equal(a, []string{"order:order:42"}) {
		t.Errorf("bob, who muted it, has %q; ann has %q", b, a)
	}
	bob.post(t, "/settings/mute", url.Values{"type": {"order"}, "muted": {"0"}})
	must(t, c.run(t.Context(), order...))
	if b := bob.entries(t); !slices.Equal(b, []string{"order:order:42"}) {
		t.Errorf("bob, who unmuted it, has %q", b)
	}
}
