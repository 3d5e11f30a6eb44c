package notifier_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestPlacesOfAnAppAreChecked(t *testing.T) {
	t.Parallel()
	for place, ok := range map[string]bool{
		"": true, "https://shop.example": true, "https://shop.example/a/b?x=1": true, "http://localhost:3000": true, "http://127.0.0.1:8000/x": true,
		"http://[::1]:8000": true, "http://shop.example": false, "shop.example": false, "/in": false, "javascript:alert(1)": false, "https://": false,
		"https://me@shop.example": false, "https://shop.example/a b": false, "https://shop.example\r\nX: y": false, "http://localhost.eve.example": false,
		"data:text/html,x": false, "https://bücher.example": false, "//eve.example": false,
	} {
		a := notifier.App{Name: "shop", Audience: 2, MaxLife: time.Hour, AppPlaces: notifier.AppPlaces{InboxURL: place, SettingsURL: place}}
		err := a.Validate(map[notifier.Audience]string{2: "user"})
		var bad *notifier.InvalidError
		if errors.As(err, &bad); ok != (bad == nil) || bad != nil && len(bad.Fields) != 2 {
			t.Errorf("%q: %v", place, err)
		}
	}
}

func TestTheBaseOfAnAppIsBroughtToOneFormOrRefused(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"": "", "https://shop.example": "https://shop.example", "https://shop.example/": "https://shop.example", "https://shop.example/App///": "https://shop.example/App",
		"HTTPS://Shop.Example/App": "https://shop.example/App", "https://shop.example:443/a": "https://shop.example/a", "http://LOCALHOST:3000/": "http://localhost:3000",
		"http://[::1]:80/x": "http://[::1]/x",
		"/":                 "refused", "///": "refused", "//eve.example": "refused", "javascript:alert(1)": "refused", "JavaScript://shop.example/%0aalert(1)": "refused",
		"https:shop.example": "refused", "https:/shop.example": "refused", "https:///shop.example": "refused", "shop.example": "refused", "https://shop.example/?a=1": "refused",
		"https://shop.example/#a": "refused", "https://me@shop.example": "refused", "\thttps://shop.example": "refused", "https://shop.example:99999": "refused",
		"https://shop.example\\@eve.example": "refused", "https://shop.example/%": "refused", "file:///etc": "refused",
	} {
		a := notifier.App{Name: "shop", Audience: 2, MaxLife: time.Hour, AppPlaces: notifier.AppPlaces{Base: base}}
		got := "refused"
		var bad *notifier.InvalidError
		switch err := a.Validate(map[notifier.Audience]string{2: "user"}); {
		case err == nil:
			got = a.Base
		case !errors.As(err, &bad) || len(bad.Fields) != 1 || bad.Fields[0].Field != "base":
			t.Errorf("%q: %v", base, err)
		}
		if got != want {
			t.Errorf("%q becomes %q, want %q", base, got, want)
		}
	}
}

func TestLinksOpenAgainstTheBaseOfAnApp(t *testing.T) {
	t.Parallel()
	full := notifier.App{AppPlaces: notifier.AppPlaces{Base: "https://shop.example/app", InboxURL: "https://shop.example/in"}}
	origins := notifier.App{Origins: []string{"https://b.example", "https://a.example"}}
	for _, c := range []struct {
		app        notifier.App
		link, want string
	}{
		{full, "/orders/7", "https://shop.example/app/orders/7"},
		{full, "", "https://shop.example/in"},
		{full, "https://x.example/", "https://x.example/"},
		{origins, "/orders/7", "https://b.example/orders/7"},
		{origins, "", "https://b.example/"},
		{notifier.App{}, "/x", ""},
		{notifier.App{}, "", ""},
	} {
		if got := c.app.Opens(c.link); got != c.want {
			t.Errorf("%q opens at %q, want %q", c.link, got, c.want)
		}
	}
	for link, want := range map[string]string{"/orders/7": "https://shop.example/app/orders/7", "": "", "https://x.example/": "https://x.example/"} {
		if got := full.Resolve(link); got != want {
			t.Errorf("%q resolves to %q, want %q", link, got, want)
		}
	}
	if got := (&notifier.App{}).Resolve("/x"); got != "/x" {
		t.Errorf("the link of an app without pages becomes %q", got)
	}
	given := notifier.App{Name: "shop", Audience: 2, MaxLife: time.Hour, Origins: []string{"https://b.example", "https://a.example/", "https://b.example"}}
	if err := given.Validate(map[notifier.Audience]string{2: "user"}); err != nil || !slices.Equal(given.Origins, origins.Origins) {
		t.Errorf("the first origin is not the first that was given: %v, %v", given.Origins, err)
	}
}
