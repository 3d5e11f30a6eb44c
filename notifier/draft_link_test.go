package notifier_test

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestOnlyLinksToOurOwnOrAllowedHostsAreAccepted(t *testing.T) {
	t.Parallel()
	const bad, host, text = "link: bad_link", "link: link_host", "link: bad_text"
	tests := map[string]string{ // link → fault; empty: accepted
		"":          "",
		"/":         "",
		"/photos/1": "",
		"/search?q=a//b&next=https://evil.example": "",
		"/写真/1":                         "",
		"/a:b/c@d":                      "",
		"/%E5%86%99":                    "",
		"/off?by=100%25":                "",
		"/?x=1":                         "",
		"/" + strings.Repeat("a", 1999): "",
		"https://app.example":           "",
		"https://app.example/x?y#z":     "",
		"HTTPS://APP.example/":          "",
		"https://app.example:443/":      "",
		"https://shop.example:8443/x":   "",

		"/" + strings.Repeat("a", 2000):        "link: too_long",
		"photos/1":                             bad,
		"?x":                                   bad,
		"#top":                                 bad,
		"../x":                                 bad,
		"//evil.example":                       bad,
		"///evil.example":                      bad,
		`/\evil.example`:                       bad,
		`\\evil.example`:                       bad,
		`/a\b`:                                 bad,
		"/%2fevil.example":                     bad,
		"/%2Fevil.example":                     bad,
		"/%5cevil.example":                     bad,
		"/..//evil.example":                    bad,
		"/.//evil.example":                     bad,
		"/%2e%2e//evil.example":                bad,
		"/a%0d%0aSet-Cookie:x":                 bad,
		"/a%00":                                bad,
		"/%zz":                                 bad,
		"/a b":                                 bad,
		"/\u00a0/evil.example":                 bad,
		"/\t/evil.example":                     text,
		"/\n/evil.example":                     text,
		"java\nscript:alert(1)":                text,
		"/\u202egpj.exe":                       text,
		"javascript:alert(1)":                  bad,
		"JavaScript:alert(1)":                  bad,
		"javascript://app.example/%0aalert(1)": bad,
		"data:text/html,x":                     bad,
		"vbscript:x":                           bad,
		"file:///etc/passwd":                   bad,
		"http://app.example/":                  bad,
		"http://user@app.example/":             bad,
		"https://user@app.example/":            bad,
		"https://user:pw@app.example/":         bad,
		"https://app.example@evil.example/":    bad,
		"https://":                             bad,
		"https:///app.example":                 bad,
		"https:app.example":                    bad,
		"https:/app.example":                   bad,
		`https:\\app.example`:                  bad,
		"https://app.example\\@evil.example":   bad,
		"https://evil.example/app.example":     host,
		"https://app.example.evil.example/":    host,
		"https://app.example./":                host,
		"https://app.example:444/":             host,
		"https://shop.example/":                host,
		"https://shop.example:443/":            host,
		"https://ａpp.example/":                 host,
		"https://[::1]/":                       host,
		"https://app.example:99999999/":        host,
		"https://app.example%2eevil.example/":  bad,
	}
	for link, want := range tests {
		t.Run(link, func(t *testing.T) {
			t.Parallel()
			d := validDraft()
			d.Link = link
			if got := strings.Join(faults(t, d), ", "); got != want {
				t.Errorf("link %q: got %q, want %q", link, got, want)
			}
		})
	}
}

func TestALinkMayLeadToTheSitesOfItsApp(t *testing.T) {
	t.Parallel()
	app := notifier.App{Origins: []string{"http://shop.test:3000"}, AppPlaces: notifier.AppPlaces{Base: "https://shop.example/app"}}
	for link, ok := range map[string]bool{
		"http://shop.test:3000/orders/7": true, "HTTP://SHOP.test:3000": true, "https://shop.example/elsewhere": true, "https://shop.example:443/app/x?y#z": true, "/orders/7": true,
		"http://shop.example/app": false, "https://shop.test:3000/": false, "http://shop.test/": false, "https://shop.example.evil.example/": false,
		"https://shop.example@evil.example/": false, "https://me@shop.example/": false, "https://shop.example/../x": false, "https://shop.example/%2f%2fevil": false,
		"https://evil.example/https://shop.example": false, "javascript:alert(1)": false, "https:shop.example": false,
	} {
		d := validDraft()
		d.Link = link
		l := limits
		l.Sites = app.Sites()
		if err := d.Validate(l); (err == nil) != ok {
			t.Errorf("%q: %v", link, err)
		}
	}
}
