package handlers_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestUsersHaveTheirDeadAddressTriedAgainAndAFailingOneOnlyAfterAWhile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state notifier.ReachState
		since time.Duration
		offer bool
	}{
		{notifier.ReachDead, 0, true},
		{notifier.ReachFailing, notifier.OwnRevivalWait, true},
		{notifier.ReachFailing, notifier.OwnRevivalWait - time.Second, false},
		{notifier.ReachOn, 24 * time.Hour, false},
		{notifier.ReachOff, 24 * time.Hour, false},
	} {
		w := preferring(t, notifier.PutPreferences{})
		w.mailState(c.state)
		w.now.Add(int64(c.since))
		page := w.get("alice", "/settings").wantStatus(t, http.StatusOK)
		if got := page.count("[data-testid=address-fault] button[form=try-mail]") == 1; got != c.offer {
			t.Errorf("%s for %s: the button is there: %t", c.state, c.since, got)
		}
		if token := w.get("", "/u/"+w.mailToken()+"/settings").wantStatus(t, http.StatusOK); token.count("[form=try-mail], #try-mail") > 0 {
			t.Errorf("%s: a mail that has arrived offers to try its address", c.state)
		}
		if !c.offer {
			continue
		}
		if page.count("form form") > 0 || page.count("form[data-testid=preferences] #try-mail") > 0 {
			t.Error("browsers drop a form in a form")
		}
		w.submit("alice", page, "#try-mail").wantRedirect(t, "/settings?done=mail-again")
		w.get("alice", "/settings?done=mail-again").wantText(t, "[data-testid=done] p", "The address is tried again now.")
		if mail, err := w.db.MailOf(t.Context(), alice.Seq); err != nil || mail.State != notifier.ReachOn {
			t.Errorf("%s: the address is %+v, %v", c.state, mail, err)
		}
		if want := []string{"alice user.mail.revive alice 1"}; !slices.Equal(w.done(), want) {
			t.Errorf("%s: the audit log has %q", c.state, w.done())
		}
	}
}

func TestStaffHaveTheAddressOfSomebodyTriedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.config.Mailing = true })
	w.haveUsers("albert")
	w.mailState(notifier.ReachFailing)
	list := w.get("carol", "/staff/users?q=al").wantStatus(t, http.StatusOK)
	list.wantText(t, "[data-testid=mail-fault]", "The last email could not be delivered yet. It is tried again.")
	page := w.get("carol", list.attr("[data-testid=user]:has([data-testid=mail-fault]) th a", "href")).wantStatus(t, http.StatusOK)
	if got := page.attr("[data-testid=mail] button", "aria-label"); page.count("[data-testid=mail] button") != 1 || got != "Try the email address of alice again" {
		t.Errorf("%d buttons, %q", page.count("[data-testid=mail] button"), got)
	}
	w.submit("carol", page, "[data-testid=mail]").wantRedirect(t, "/staff/users/alice?done=mail-again")
	w.post("carol", "/staff/users", "action", "mail", "user", "bob", "back", "https://eve.example/").wantRedirect(t, "/staff/users?done=mail-fine")
	for _, name := range []string{"", "eve", "@example.com", "example.com"} {
		w.post("carol", "/staff/users", "action", "mail", "user", name).wantStatus(t, http.StatusNotFound)
	}
	w.post("alice", "/staff/users", "action", "mail", "user", "bob").wantStatus(t, http.StatusNotFound)
	if want := []string{"carol user.mail.revive alice 1"}; !slices.Equal(w.done(), want) {
		t.Errorf("revived %q, want %q", w.done(), want)
	}
}

func TestWithoutMailNobodyTriesAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.mailState(notifier.ReachDead)
	w.post("alice", "/settings/mail").wantStatus(t, http.StatusNotFound)
	w.post("carol", "/staff/users", "action", "mail", "user", "alice").wantStatus(t, http.StatusNotFound)
	if n := w.get("carol", "/staff/users").count("[data-testid=mail-fault]"); n > 0 || len(w.done()) > 0 {
		t.Errorf("%d faults, revived %q", n, w.done())
	}
}

func TestTheListOfPeopleIsShownWithoutTheStateOfTheirMail(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.config.Mailing = true })
	w.exec(`ALTER TABLE targets RENAME TO lost`)
	if n := w.get("carol", "/staff/users").wantStatus(t, http.StatusOK).count("[data-testid=user]"); n != 3 {
		t.Errorf("%d rows", n)
	}
}
