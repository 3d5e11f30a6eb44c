package api

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnAppIsChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var got, want appAnswer
	w.call(t, w.admin, "PATCH", "/apps/front", `{"max_life":"30m"}`).is(t, http.StatusOK).into(t, &got)
	want = appAnswer{ID: got.ID, Name: "front", Origins: []string{"https://shop.example.com"}, Audience: "user", Roles: []string{}, MaxLife: "30m0s"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the body leaves out changes:\n%s", diff)
	}
	w.call(t, w.admin, "PATCH", "/apps/front", `{"origins":["https://a.example.com:443","http://127.0.0.1:3000"],"audience":"customer","roles":["vip"],
		"max_life":"1d","issuer":"i","title":" Our  shop ","icon":"https://img.cdn.example.com/shop.png","base":"https://a.example.com","inbox_url":"https://a.example.com/inbox","settings_url":"https://a.example.com/me"}`).
		is(t, http.StatusOK).into(t, &got)
	want = appAnswer{
		ID: want.ID, Name: "front", Origins: []string{"https://a.example.com", "http://127.0.0.1:3000"}, Audience: "customer", Roles: []string{"vip"}, MaxLife: "24h0m0s",
		Issuer: "i", Base: "https://a.example.com", InboxURL: "https://a.example.com/inbox", SettingsURL: "https://a.example.com/me",
		Title: "Our  shop", Icon: "https://img.cdn.example.com/shop.png",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w.call(t, w.admin, "PATCH", "/apps/front", `{"roles":[],"issuer":""}`).is(t, http.StatusOK).into(t, &got)
	if len(got.Roles) != 0 || got.Issuer != "" || len(got.Origins) != 2 {
		t.Errorf("after roles and issuer were removed: %+v", got)
	}
	for body, place := range map[string]string{
		`{"origins":["localhost:3000"]}`:                "body.origins",
		`{"audience":"nobody"}`:                         "body.audience",
		`{"roles":["staff"]}`:                           "body.roles",
		`{"max_life":"48h"}`:                            "body.max_life",
		`{"max_life":"soon"}`:                           "body.max_life",
		`{"base":"ftp://a"}`:                            "body.base",
		`{"name":"other"}`:                              "body.name",
		`{"title":"` + strings.Repeat("é", 61) + `"}`:   "body.title",
		`{"title":"a\nb"}`:                              "body.title",
		`{"icon":"https://example.com/a.png"}`:          "body.icon",
		`{"icon":"http://cdn.example.com/a.png"}`:       "body.icon",
		`{"icon":"javascript:alert(1)"}`:                "body.icon",
		`{"issuer":"` + strings.Repeat("i", 600) + `"}`: "body.issuer",
	} {
		if at := w.call(t, w.admin, "PATCH", "/apps/front", body).is(t, http.StatusUnprocessableEntity).faults(t); !slices.Equal(at, []string{place}) {
			t.Errorf("%.60s: faults at %v", body, at)
		}
	}
	w.call(t, w.admin, "PATCH", "/apps/nothing", `{"max_life":"1h"}`).is(t, http.StatusNotFound)
	w.call(t, w.send, "PATCH", "/apps/front", `{"max_life":"1h"}`).is(t, http.StatusForbidden)
}
