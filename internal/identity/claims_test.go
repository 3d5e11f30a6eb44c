package identity_test

import (
	"bytes"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/idptest"
)

func TestWhoComesFromARealProviderIsKnown(t *testing.T) {
	t.Parallel()
	for _, shape := range idptest.Shapes {
		for _, signed := range []bool{false, true} {
			b := setUp(t)
			b.cfg.Email, b.cfg.GroupsClaim = true, shape.Groups
			b.User(maps.Clone(shape.ID))
			b.Userinfo(shape.Userinfo, signed)
			p := b.open(t)
			answer, cookie := begin(t, p)
			u, _, err := finish(t, p, cookie, answer)
			name, email := "", ""
			if u.Display != nil {
				name = *u.Display
			}
			if u.Email != nil {
				email = *u.Email
			}
			if err != nil || u.Name != shape.ID["sub"] || name != shape.Name || email != shape.Email || u.Staff != shape.Staff {
				t.Errorf("%s (%s), signed %v: %+v %q %q, %v", shape.Provider, shape.Source, signed, u, name, email, err)
			}
		}
	}
}

func TestUserinfoThatFailsKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	for what, breaks := range map[string]func(b *bench){
		"answers 500":           func(b *bench) { b.Break("/userinfo", 500) },
		"is about another user": func(b *bench) { b.Userinfo(map[string]any{"sub": "eve", "groups": []any{"notices"}}, false) },
		"is signed, about another user": func(b *bench) {
			b.Userinfo(map[string]any{"sub": "eve", "groups": []any{"notices"}}, true)
		},
		"is too large": func(b *bench) {
			b.Userinfo(map[string]any{"x": strings.Repeat("x", 2<<20), "groups": []any{"notices"}}, false)
		},
	} {
		b := setUp(t)
		var log bytes.Buffer
		b.cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
		b.User(map[string]any{"sub": "jane"})
		breaks(b)
		p := b.open(t)
		for range 2 {
			answer, cookie := begin(t, p)
			if u, _, err := finish(t, p, cookie, answer); err != nil || u.Name != "jane" || u.Staff {
				t.Errorf("userinfo %s: %+v, %v", what, u, err)
			}
		}
		if strings.Count(log.String(), "level=WARN") != 1 || !strings.Contains(log.String(), "lacks name, groups, and userinfo") {
			t.Errorf("userinfo %s: the log is %s", what, &log)
		}
	}
}

func TestAnUnverifiedAddressIsNotTaken(t *testing.T) {
	t.Parallel()
	for _, verified := range []any{false, "false", "False"} {
		b := setUp(t)
		b.cfg.Email = true
		b.User(map[string]any{"sub": "jane", "email": "ann@example.com", "email_verified": verified})
		p := b.open(t)
		answer, cookie := begin(t, p)
		if u, _, err := finish(t, p, cookie, answer); err != nil || u.Email != nil {
			t.Errorf("%v: %+v, %v", verified, u, err)
		}
	}
}

func TestTheZoneIsTakenIfItIsOne(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{"Europe/Paris": "Europe/Paris", "Mars/Olympus": "", "Local": "", "": ""} {
		b := setUp(t)
		b.User(map[string]any{"sub": "jane", "zoneinfo": said})
		p := b.open(t)
		answer, cookie := begin(t, p)
		u, _, err := finish(t, p, cookie, answer)
		if err != nil || (u.Zone == nil) != (want == "") || u.Zone != nil && *u.Zone != want {
			t.Errorf("%q: %+v, %v", said, u, err)
		}
	}
}

func TestAClientThatMayNotAskForAScopeAsksForLess(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	b.cfg.Email = true
	p := b.open(t)
	to, _, err := p.Begin(t.Context(), "/inbox")
	if err != nil || !strings.Contains(to, "email") {
		t.Fatalf("%s, %v", to, err)
	}
	b.Fail("invalid_scope")
	answer, cookie := begin(t, p)
	if _, _, err := finish(t, p, cookie, answer); err == nil {
		t.Error("a refusal signs a user in")
	}
	if to, _, err = p.Begin(t.Context(), "/inbox"); err != nil || strings.Contains(to, "email") || strings.Contains(to, "groups") {
		t.Errorf("the next sign-in asks for %s, %v", to, err)
	}
}
