package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

func TestAWebhookIsAddedListedAndRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var added addedHook
	w.call(t, w.admin, "POST", "/hooks", `{"name":"shop","url":"https://hooks.example.com/a","events":["user.deleted","notice.sent"]}`).
		is(t, http.StatusCreated).into(t, &added)
	if added.ID == 0 || !strings.HasPrefix(added.Secret, "whsec_") {
		t.Errorf("added: %+v", added)
	}
	list := w.call(t, w.admin, "GET", "/hooks", nil).is(t, http.StatusOK)
	var all struct{ Hooks []hookAnswer }
	list.into(t, &all)
	if len(all.Hooks) != 1 || all.Hooks[0].Name != "shop" || all.Hooks[0].State != "on" || len(all.Hooks[0].Events) != 2 || strings.Contains(list.text, "whsec_") {
		t.Errorf("listed: %s", list.text)
	}
	path := "/hooks/" + strconv.FormatInt(added.ID, 10)
	for _, key := range []string{w.send, w.read} {
		w.call(t, key, "POST", "/hooks", `{"name":"a","url":"https://hooks.example.com/","events":["test"]}`).is(t, http.StatusForbidden)
		w.call(t, key, "GET", "/hooks", nil).is(t, http.StatusForbidden)
		w.call(t, key, "DELETE", path, nil).is(t, http.StatusForbidden)
	}
	w.call(t, w.admin, "DELETE", path, nil).is(t, http.StatusNoContent)
	w.call(t, w.admin, "DELETE", path, nil).is(t, http.StatusNotFound)
}

func TestABadWebhookIsRefusedNamingTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for body, place := range map[string]string{
		`{"url":"https://hooks.example.com/","events":["test"]}`:                                                  "body.name",
		`{"name":"a","events":["test"]}`:                                                                          "body.url",
		`{"name":"a","url":"https://hooks.example.com/"}`:                                                         "body.events",
		`{"name":"a","url":"https://hooks.example.com/","events":[]}`:                                             "body.events",
		`{"name":"a","url":"https://hooks.example.com/","events":["notice.lost"]}`:                                "body.events",
		`{"name":"a","url":"https://hooks.example.com/","events":["test"],"secret":"mine"}`:                       "body.secret",
		`{"name":"a","url":"http://hooks.example.com/","events":["test"]}`:                                        "body.url",
		`{"name":"a","url":"https://127.0.0.1/","events":["test"]}`:                                               "body.url",
		`{"name":"a","url":"https://2130706433/","events":["test"]}`:                                              "body.url",
		`{"name":"a","url":"https://ann:pass@hooks.example.com/","events":["test"]}`:                              "body.url",
		`{"name":"a","url":"https://hooks.example.com/","events":[` + strings.Repeat(`"test",`, 500) + `"test"]}`: "body.events",
		`{"name":"` + strings.Repeat("n", 201) + `","url":"https://hooks.example.com/","events":["test"]}`:        "body.name",
	} {
		if r := w.call(t, w.admin, "POST", "/hooks", body).is(t, http.StatusUnprocessableEntity); !strings.Contains(r.text, `"`+place) {
			t.Errorf("%.120s: %s; want a fault of %s", body, r.text, place)
		}
	}
}
