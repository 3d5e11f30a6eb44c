package asking_test

import (
	"context"
	"net/netip"
	"testing"

	"github.com/carillonhq/carillon/internal/asking"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// witness keeps what a proxy has said.
type witness struct {
	asking.People
	who notifier.ProxiedUser
}

func (w *witness) Proxied(_ context.Context, who notifier.ProxiedUser) (notifier.User, string, error) {
	w.who = who
	return notifier.User{Seq: 7, Name: who.Name}, "token 0 0 7 0", nil
}

func TestAProfileInHeadersKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"Jörg":                  "Jörg",   // most proxies
		"J\xf6rg":               "Jörg",   // Apache, Latin-1
		"=?utf-8?q?J=C3=B6rg?=": "Jörg",   // Tailscale: https://tailscale.com/kb/1312/serve
		"=?UTF-8?B?5byg5LiJ?=":  "张三",     // https://github.com/grafana/grafana/issues/34692
		"%E5%BC%A0%E4%B8%89":    "张三",     // https://github.com/gufolabs/noc/pull/136
		"UTF-8''J%C3%B6rg":      "Jörg",   // RFC 8187
		"100%25":                "100%25", // somebody's name
		"=?utf-8?q?broken":      "=?utf-8?q?broken",
		"Ann\tLee":              "Ann Lee",
		"\u200b":                "-",
		"":                      "",
	} {
		w := &witness{}
		who := asking.New(asking.Config{People: w, Header: &asking.Header{
			Name: "X-User", Display: "X-Name", Email: "X-Email", From: web.Proxies{netip.MustParsePrefix("127.0.0.1/32")}, Audience: 2,
		}})
		r := get()
		r.Header["X-Name"] = []string{said, "second"}
		r.Header["X-Email"] = []string{"Ann <ann@example.com>"}
		if _, err := who.Find(r); err != nil {
			t.Errorf("%q: %v", said, err)
			continue
		}
		got := "-"
		if w.who.Display != nil {
			got = *w.who.Display
		}
		if got != want || w.who.Email == nil || *w.who.Email != "ann@example.com" {
			t.Errorf("%q is %q, want %q; mail to %v", said, got, want, w.who.Email)
		}
	}
}

func TestOnlyTheSeparatorOfTheProxySeparatesGroups(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		between, groups string
		staff           bool
	}{
		{",", "a,support", true},
		{",", "a|support", false},
		{"|", "a|support", true},
		{"|", "a,support", false},
		{";", "a; support", true},
		{";", `a\;support`, false}, // Shibboleth: wiki.shibboleth.net/confluence/display/SHIB2/NativeSPAttributeAccess
		{";", `a\;b;support`, true},
		{",", `a\,support`, false}, // mod_auth_openidc: github.com/OpenIDC/mod_auth_openidc, src/util/appinfo.c
		{",", `a\\,support`, true}, // the name a\
		{",", `support\,a`, false},
		{" ", "a  support", true},
		{"|", "a|supporters", false},
	} {
		who := asking.New(asking.Config{People: &witness{}, Header: &asking.Header{
			Name: "X-User", Groups: "X-Groups", Separator: test.between, StaffGroup: "support", From: web.Proxies{netip.MustParsePrefix("127.0.0.1/32")}, Audience: 2,
		}})
		if asker, err := who.Find(get(test.groups)); err != nil || asker.User.HasRole(notifier.RoleStaff) != test.staff {
			t.Errorf("%q between groups: %q makes staff: %v, %v", test.between, test.groups, !test.staff, err)
		}
	}
}
