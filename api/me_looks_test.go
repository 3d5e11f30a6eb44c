package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/static"
)

func TestAUserGetsTheIconsOfTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := w.topics.SaveType(t.Context(), notifier.Actor{}, notifier.NoticeType{Slug: "like", Color: "gray"}); err != nil {
		t.Fatal(err)
	}
	var got meLooksAnswer
	res := w.call(t, w.bob, "GET", "/me/looks?type=like,photo_comment,salary", nil).is(t, http.StatusOK)
	res.into(t, &got)
	icons := static.Icons()
	want := map[string]meLook{
		"like":          {icons["heart"], "gray"},
		"photo_comment": {icons["message-circle"], notifier.TintOf("photo_comment")}, // no notice has had it
		"salary":        {"", notifier.TintOf("salary")},
	}
	if d := cmp.Diff(want, got.Looks); d != "" || icons["heart"] == "" {
		t.Errorf("looks (-want +got):\n%s", d)
	}
	w.call(t, w.bob, "GET", "/me/looks?type=like,photo_comment,salary", nil, "If-None-Match", res.Header.Get("ETag")).is(t, http.StatusNotModified)
	for _, query := range []string{"", "?type=", "?type=NO", "?type=a,,b", "?type=a" + strings.Repeat(",a", maxLooks)} {
		if got := w.call(t, w.bob, "GET", "/me/looks"+query, nil).is(t, http.StatusUnprocessableEntity).faults(t); len(got) != 1 || got[0] != "query.type" {
			t.Errorf("%q: the faults are at %q", query, got)
		}
	}
}
