package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// tryMailAgain is the deed that revives a mail address to which mail bounced.
func tryMailAgain() deed {
	fault := func(t *testing.T, u *subject) int {
		return u.there.get(t, "/settings").Find("[data-testid=address-fault]").Length()
	}
	return deed{
		before: func(t *testing.T, u *subject) {
			u.command(t, "user", "mail", u.name, strings.ReplaceAll(u.name, " ", "-")+"@example.com")
			u.api(t, http.MethodPost, "/users/"+url.PathEscape(u.name)+"/mail/bounced", `{"kind":"hard"}`)
			testkit.Eventually(t, "the page says that mail came back", func() bool { return fault(t, u) == 1 })
		},
		doors: []door{
			page("user user.mail.revive", "/settings/mail"),
			under(office("user user.mail.revive", "/staff/users", "action", "mail"), "a page of staff"),
			typed("command user.mail.revive", "user", "mail", "--revive", "NAME"),
		},
		effect: func(t *testing.T, u *subject) {
			testkit.Eventually(t, "the address has no fault", func() bool { return fault(t, u) == 0 })
		},
	}
}
