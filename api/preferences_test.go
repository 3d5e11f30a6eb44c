package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const noPreferences = `{"mail":{"when":"off","at":"08:00"},"push":{"when":"0s"},"quiet":null,"zone":"","paused_until":null,"types":{}}`

func TestEachFieldOfThePreferencesIsReplacedAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inForce := func(zone, from string, mailChosen bool) string {
		return fmt.Sprintf(`,"in_force":{"zone":%q,"zone_from":%q,"mail_chosen":%t,"mail":false,"push":false,"types":{}}}`, zone, from, mailChosen)
	}
	for _, step := range []struct{ body, want, inForce string }{
		{`{}`, noPreferences, inForce("UTC", "installation", false)},
		{
			`{"mail":{"when":"daily","at":"18:30"},"push":{"when":"5m"},"quiet":{"from":"22:00","to":"07:00"},"zone":"Asia/Tokyo","paused_until":"2031-05-01T09:00:00+09:00","types":{"like":{"inbox":false,"mail":false},"alarm":{"inbox":true,"push":true}}}`,
			`{"mail":{"when":"daily","at":"18:30"},"push":{"when":"5m"},"quiet":{"from":"22:00","to":"07:00"},"zone":"Asia/Tokyo","paused_until":"2031-05-01T00:00:00.000Z","types":{"alarm":{"inbox":true,"push":true},"like":{"inbox":false,"mail":false}}}`,
			inForce("Asia/Tokyo", "chosen", true),
		},
		{`{"mail":{"when":"30m"},"types":{"alarm":{"push":false}}}`, `{"mail":{"when":"30m","at":"08:00"},"push":{"when":"5m"},"quiet":{"from":"22:00","to":"07:00"},"zone":"Asia/Tokyo","paused_until":"2031-05-01T00:00:00.000Z","types":{"alarm":{"push":false}}}`, inForce("Asia/Tokyo", "chosen", true)},
		{`{"quiet":null,"paused_until":null,"types":{},"mail":{"when":"off"},"push":{"when":"0s"},"zone":"UTC"}`, strings.Replace(noPreferences, `"zone":""`, `"zone":"UTC"`, 1), inForce("UTC", "chosen", true)},
		{strings.TrimSuffix(noPreferences, "}") + inForce("UTC", "chosen", true), noPreferences, inForce("UTC", "installation", true)}, // what GET answers
	} {
		step.want = strings.TrimSuffix(step.want, "}") + step.inForce
		for _, path := range []string{"/users/bob/preferences", "/me/preferences"} {
			key := w.admin
			if strings.HasPrefix(path, "/me") {
				key = w.bob
			}
			if got := w.call(t, key, "PUT", path, step.body).is(t, http.StatusOK).text; strings.TrimSpace(got) != step.want {
				t.Errorf("PUT %s %s:\n%s, want\n%s", path, step.body, got, step.want)
			}
			if got := w.call(t, key, "GET", path, nil).is(t, http.StatusOK).text; strings.TrimSpace(got) != step.want {
				t.Errorf("GET %s after %s:\n%s, want\n%s", path, step.body, got, step.want)
			}
		}
	}
	w.call(t, w.admin, "GET", "/users/nobody/preferences", nil).is(t, http.StatusNotFound)
	w.call(t, w.admin, "PUT", "/users/nobody/preferences", `{}`).is(t, http.StatusNotFound)
	w.call(t, w.send, "GET", "/users/bob/preferences", nil).is(t, http.StatusForbidden)
	w.call(t, w.read, "PUT", "/users/bob/preferences", `{}`).is(t, http.StatusForbidden)
}

// A host draws the table of preferences from this answer alone.
func TestThePreferencesHaveTheDefaultsOfTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, w.admin, "PUT", "/types/bill", `{"mutable":false,"urgent":true,"mail":false}`).is(t, http.StatusOK)
	w.call(t, w.admin, "PUT", "/types/like", `{"push":false}`).is(t, http.StatusOK)
	for path, key := range map[string]string{"/users/bob/preferences": w.admin, "/me/preferences": w.bob} {
		got := w.call(t, key, "GET", path, nil).is(t, http.StatusOK).text
		const want = `"types":{"bill":{"inbox":true,"push":true,"mail":false,"mutable":false,"urgent":true},"like":{"inbox":true,"push":false,"mail":true,"mutable":true,"urgent":false}}}}`
		if !strings.HasSuffix(strings.TrimSpace(got), want) {
			t.Errorf("GET %s: %s, want it to end with %s", path, got, want)
		}
		w.call(t, key, "PUT", path, got).is(t, http.StatusOK) // what GET answers
	}
}

func TestFaultyPreferencesChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.call(t, w.admin, "PUT", "/types/bill", `{"mutable":false}`).is(t, http.StatusOK)
	var names []string
	for i := range 201 {
		names = append(names, fmt.Sprintf(`"t%d":{}`, i))
	}
	many := `{"types":{` + strings.Join(names, ",") + `}}`
	for body, place := range map[string]string{
		`{"zone":"Asia/Tokyo","mail":{"when":"-1s"}}`:     "body.mail.when",
		`{"zone":"Asia/Tokyo","mail":{"when":"25h"}}`:     "body.mail.when",
		`{"zone":"Asia/Tokyo","mail":{"x":1}}`:            "body.mail.x",
		`{"mail":{"when":"daily","at":"24:00"}}`:          "body.mail.at",
		`{"push":{"when":"daily"},"zone":"Asia/Tokyo"}`:   "body.push.when",
		`{"zone":"Mars/Base"}`:                            "body.zone",
		`{"zone":"Local"}`:                                "body.zone",
		`{"quiet":{"from":"22:00"},"zone":"Asia/Tokyo"}`:  "body.quiet",
		`{"quiet":{"from":"22:00","to":"22:00"}}`:         "body.quiet",
		`{"quiet":{"from":"22:00","to":"7:00"}}`:          "body.quiet.to",
		`{"paused_until":"tomorrow","zone":"Asia/Tokyo"}`: "body.paused_until",
		`{"types":{"Not A Type":{}},"zone":"Asia/Tokyo"}`: "body.types",
		`{"types":{"bill":{"inbox":false}}}`:              "body.types.bill.inbox",
		`{"types":{"like":{"fax":true}}}`:                 "body.types.like.fax",
		`{"snooze":true}`:                                 "body.snooze",
		many:                                              "body.types",
	} {
		r := w.call(t, w.admin, "PUT", "/users/bob/preferences", body).is(t, http.StatusUnprocessableEntity)
		if !strings.Contains(r.text, `"`+place+`"`) {
			t.Errorf("%.80s: %s does not name %s", body, r.text, place)
		}
	}
	if got := w.call(t, w.admin, "GET", "/users/bob/preferences", nil).text; !strings.HasPrefix(strings.TrimSpace(got), strings.TrimSuffix(noPreferences, "}")) {
		t.Errorf("something has changed: %s", got)
	}
}

func TestAMuteFromBeforeATypeWasLockedMayStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const muted = `{"types":{"bill":{"inbox":false}}}`
	w.call(t, w.admin, "PUT", "/users/bob/preferences", muted).is(t, http.StatusOK)
	w.call(t, w.admin, "PUT", "/types/bill", `{"mutable":false}`).is(t, http.StatusOK)
	w.call(t, w.admin, "PUT", "/users/bob/preferences", `{"types":{"bill":{"inbox":false,"mail":false}}}`).is(t, http.StatusOK)
	w.call(t, w.admin, "PUT", "/users/bob/preferences", `{"types":{}}`).is(t, http.StatusOK)
	w.call(t, w.admin, "PUT", "/users/bob/preferences", muted).is(t, http.StatusUnprocessableEntity)
}

func TestTheAddressOfAUser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	email := func(want string) {
		t.Helper()
		if r := w.call(t, w.admin, "GET", "/users/bob", nil).is(t, http.StatusOK); !strings.Contains(r.text, `"email":`+want) {
			t.Errorf("%s, want the address %s", r.text, want)
		}
	}
	email("null")
	w.call(t, w.admin, "POST", "/users/bob/mail/bounced", `{"kind":"hard"}`).is(t, http.StatusNotFound)
	w.call(t, w.admin, "PUT", "/users/bob", `{"email":"bob@example.com"}`).is(t, http.StatusOK)
	email(`"bob@example.com"`)
	w.call(t, w.admin, "PUT", "/users/bob", `{"locale":"ja"}`).is(t, http.StatusOK)
	email(`"bob@example.com"`)
	for _, address := range []string{"", "bob", `bob@example.com\nBcc: eve@example.com`, "a@example.com, b@example.com", strings.Repeat("b", 250) + "@example.com"} {
		r := w.call(t, w.admin, "PUT", "/users/bob", `{"audience":"customer","email":"`+address+`"}`).is(t, http.StatusUnprocessableEntity)
		if !strings.Contains(r.text, `"body.email"`) {
			t.Errorf("%q: %s", address, r.text)
		}
	}
	email(`"bob@example.com"`)
	w.call(t, w.admin, "POST", "/users/bob/mail/bounced", `{"kind":"soft"}`).is(t, http.StatusNoContent)
	w.call(t, w.admin, "POST", "/users/bob/mail/bounced", `{"kind":"gone"}`).is(t, http.StatusUnprocessableEntity)
	w.call(t, w.admin, "POST", "/users/bob/mail/bounced", `{"kind":"hard"}`).is(t, http.StatusNoContent)
	w.call(t, w.admin, "PUT", "/users/bob", `{"email":null}`).is(t, http.StatusOK)
	email("null")
}

func TestATypeIsChangedFieldByField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range []struct{ body, want string }{
		{`{}`, `{"type":"alarm","names":{},"expires_in":"0s","mutable":true,"open":false,"urgent":false,"push":true,"mail":true}`},
		{`{"names":{"en":"Alarm"},"urgent":true,"mail":false}`, `{"type":"alarm","names":{"en":"Alarm"},"expires_in":"0s","mutable":true,"open":false,"urgent":true,"push":true,"mail":false}`},
		{`{"mutable":false,"open":true,"push":false,"mail":true,"expires_in":"72h"}`, `{"type":"alarm","names":{"en":"Alarm"},"expires_in":"72h0m0s","mutable":false,"open":true,"urgent":true,"push":false,"mail":true}`},
	} {
		if got := w.call(t, w.admin, "PUT", "/types/alarm", step.body).is(t, http.StatusOK).text; strings.TrimSpace(got) != step.want {
			t.Errorf("%s: %s, want %s", step.body, got, step.want)
		}
		if got := w.call(t, w.read, "GET", "/types", nil).is(t, http.StatusOK).text; !strings.Contains(got, step.want) {
			t.Errorf("after %s the types are %s", step.body, got)
		}
	}
	w.call(t, w.admin, "PUT", "/types/No", `{}`).is(t, http.StatusUnprocessableEntity)
	w.call(t, w.admin, "PUT", "/types/alarm", `{"expires_in":"soon"}`).is(t, http.StatusUnprocessableEntity)
	w.call(t, w.read, "PUT", "/types/alarm", `{}`).is(t, http.StatusForbidden)
}
