package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func number(n int64) string { return strconv.FormatInt(n, 10) }

func TestAUserChangesTheirSettingsByToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, w.bob, "PATCH", "/me/settings", `{"locale":"ja","theme":"dark","toasts":false,"opening_reads":false}`).is(t, http.StatusOK)
	var who meAnswer
	w.call(t, w.bob, "GET", "/me", nil).is(t, http.StatusOK).into(t, &who)
	if want := (meSettings{Locale: "ja", Theme: "dark", Keys: true}); who.Settings != want {
		t.Errorf("the settings are %+v, want %+v", who.Settings, want)
	}
	var set meSettings
	w.call(t, w.bob, "PATCH", "/me/settings", `{"toasts":true,"locale":""}`).is(t, http.StatusOK).into(t, &set)
	if want := (meSettings{Theme: "dark", Keys: true, Toasts: true}); set != want {
		t.Errorf("the settings are %+v, want %+v", set, want)
	}
	for body, place := range map[string]string{`{"locale":"xx"}`: "body.locale", `{"theme":"blue"}`: "body.theme", `{"keys":1}`: "body.keys", `{"x":1}`: "body"} {
		if res := w.call(t, w.bob, "PATCH", "/me/settings", body); res.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(res.text, `"`+place) {
			t.Errorf("%s: status %d, %s", body, res.StatusCode, res.text)
		}
	}
	w.call(t, w.bob, "GET", "/me/settings", nil).is(t, http.StatusOK).into(t, &set)
	if set.Theme != "dark" {
		t.Errorf("refused changes have changed the settings: %+v", set)
	}
}

func TestAUserMutesTypesByToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, n := range []notifier.NoticeType{
		{Slug: "like", Names: map[string]string{"en": "Likes", "ja": "いいね"}}, {Slug: "alarm", NoMute: true},
	} {
		if err := w.topics.SaveType(t.Context(), notifier.Actor{}, n); err != nil {
			t.Fatal(err)
		}
	}
	types := func(headers ...string) []meType {
		var who meAnswer
		w.call(t, w.bob, "GET", "/me", nil, headers...).is(t, http.StatusOK).into(t, &who)
		return who.Types
	}
	for range 2 {
		w.call(t, w.bob, "PUT", "/me/mutes/like", nil).is(t, http.StatusNoContent)
	}
	if got, want := types("Accept-Language", "ja"), []meType{{"alarm", "alarm", false, false}, {"like", "いいね", true, true}}; !slices.Equal(got, want) {
		t.Errorf("the types are %+v, want %+v", got, want)
	}
	w.call(t, w.send, "POST", "/notices", `{"target":{"users":["bob","erin"]},"type":"like","title":"Muted"}`).is(t, http.StatusAccepted)
	w.call(t, w.bob, "DELETE", "/me/mutes/like", nil).is(t, http.StatusNoContent)
	if got := types()[1]; got != (meType{"like", "Likes", true, false}) {
		t.Errorf("after the call the type is %+v", got)
	}
	if res := w.call(t, w.bob, "PUT", "/me/mutes/alarm", nil).is(t, http.StatusUnprocessableEntity); !strings.Contains(res.text, `"path.type"`) || !strings.Contains(res.text, "cannot be muted") {
		t.Errorf("the refusal is %s", res.text)
	}
	w.call(t, w.bob, "PUT", "/me/mutes/NO%20TYPE", nil).is(t, http.StatusUnprocessableEntity)
}

func TestAUserSubscribesToOpenTypesByToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, n := range []notifier.NoticeType{{Slug: "news", Open: true}, {Slug: "duty", NoMute: true}} {
		if err := w.topics.SaveType(t.Context(), notifier.Actor{}, n); err != nil {
			t.Fatal(err)
		}
	}
	own := func() (list []string) {
		all, err := w.store.Subscriptions(t.Context(), notifier.SubscriptionQuery{User: "bob", Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			list = append(list, s.Type+":"+s.Scope)
		}
		return list
	}
	for range 2 {
		w.call(t, w.bob, "PUT", "/me/subscriptions", `{"type":"news","scope":"berlin"}`).is(t, http.StatusNoContent)
	}
	if got := own(); !slices.Equal(got, []string{"news:berlin"}) {
		t.Errorf("bob has subscribed to %v", got)
	}
	for range 2 {
		w.call(t, w.bob, "DELETE", "/me/subscriptions", `{"type":"news","scope":"berlin"}`).is(t, http.StatusNoContent)
	}
	if got := own(); len(got) != 0 {
		t.Errorf("bob still has %v", got)
	}
	w.call(t, w.bob, "PUT", "/me/subscriptions", `{"type":"duty"}`).is(t, http.StatusForbidden)
	w.call(t, w.admin, "PUT", "/subscriptions", `{"type":"duty","user":"bob"}`).is(t, http.StatusCreated)
	w.call(t, w.bob, "DELETE", "/me/subscriptions", `{"type":"duty"}`).is(t, http.StatusForbidden)
	w.call(t, w.bob, "PUT", "/me/subscriptions", `{"type":"NO TYPE"}`).is(t, http.StatusUnprocessableEntity)
}

// A toast goes to the device that its user looks at, and to no other once it was shown.
func TestToastsGoToTheVisiblePageAndAreAcknowledged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.instance(t)
	old := w.token(t, "bob", map[string]any{"iat": time.Now().Unix() - 5})
	hidden, looked := one.follow(t, w.bob, "/me/events"), one.follow(t, old, "/me/events")
	hidden.until(t, "badge")
	looked.until(t, "badge")
	one.call(t, old, "POST", "/me/active", `{"visible":true}`).is(t, http.StatusNoContent)
	one.call(t, w.bob, "POST", "/me/active", `{"visible":false}`).is(t, http.StatusNoContent)
	w.call(t, w.send, "POST", "/toasts", `{"target":{"users":["bob"]},"title":"Saved"}`).is(t, http.StatusAccepted)
	_, id, _ := strings.Cut(looked.until(t, "toast").data, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	for range 2 {
		one.call(t, old, "POST", "/me/toasts/ack", `{"ids":["`+id+`"]}`).is(t, http.StatusNoContent)
	}
	bob, err := w.store.UserByName(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "no toast waits", func() bool {
		waiting, err := w.toasts.List(t.Context(), bob.Seq)
		return err == nil && len(waiting) == 0
	})
	one.call(t, old, "POST", "/me/toasts/ack", `{"ids":["x"]}`).is(t, http.StatusUnprocessableEntity)
	one.call(t, old, "POST", "/me/active", `{"visible":"yes"}`).is(t, http.StatusUnprocessableEntity)
}

func TestOpeningByTokenMarksNothingIfTheUserSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob, err := w.store.UserByName(t.Context(), "bob")
	if err == nil {
		_, err = w.store.SetSettings(t.Context(), bob.Seq, notifier.PutSettings{OpensOnly: new(true)})
	}
	if err != nil {
		t.Fatal(err)
	}
	w.call(t, w.admin, "POST", "/notices", `{"target":{"users":["bob"]},"type":"order","title":"Order 7 is late"}`).is(t, http.StatusAccepted)
	w.has(t, "bob", "Order 7 is late")
	var page meNotices
	w.call(t, w.bob, "POST", "/me/open", nil).is(t, http.StatusOK).into(t, &page)
	if page.Badge.Unread != 1 || len(page.Notices) != 1 || page.Notices[0].Read || page.Notices[0].New {
		t.Errorf("opened, the page is %+v", page)
	}
}
