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
	given := notifier.App{Name: "shop", Audience: 2, MaxLife: time.Hour, Origins: []string{"https://b.example", "https://a.example/", "https://b.example"}}
	if err := given.Validate(map[notifier.Audience]string{2: "user"}); err != nil || !slices.Equal(given.Origins, origins.Origins) {
		t.Errorf("the first origin is not the first that was given: %v, %v", given.Origins, err)
	}
}
