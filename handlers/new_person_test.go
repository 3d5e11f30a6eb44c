package handlers_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// newPerson posts the form for another person, with the fields given in pairs.
func (o *office) newPerson(pairs ...string) reply {
	return o.post("carol", "/staff/users", append([]string{"action", "new"}, pairs...)...)
}

func TestStaffAddAPerson(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.config.Mailing = true
	o.rebuild()
	o.haveMembers("night shift", "bob")
	r := o.get("carol", "/staff/users")
	r.wantText(t, "[data-testid=new] summary", "New person")
	r.wantText(t, "#audience [selected]", "User")
	o.newPerson("name", " dave/5 ", "email", " Dave@example.com ", "audience", "customer", "role", "night shift", "password", "correct\thorse ").
		wantRedirect(t, "/staff/users/dave%2F5?done=person-added")
	u, err := o.db.UserByName(t.Context(), "dave/5")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"night shift"}, u.Roles); diff != "" || u.Audience != 3 {
		t.Errorf("audience %d, %s", u.Audience, diff)
	}
	if mail, err := o.db.MailOf(t.Context(), u.Seq); err != nil || mail.Address != "Dave@example.com" {
		t.Errorf("address %q, %v", mail.Address, err)
	}
	if _, hash, err := o.db.Credentials(t.Context(), "dave/5"); err != nil {
		t.Error(err)
	} else if fits, err := argon2id.ComparePasswordAndHash("correct\thorse ", hash); err != nil || !fits {
		t.Errorf("the password does not fit: %v", err)
	}
	log, err := o.db.UserLog(t.Context(), u.Seq, 5)
	if err != nil || len(log) != 1 || log[0].Action != "user.add" || log[0].Actor.Name != "carol" || log[0].Detail != "night shift" {
		t.Errorf("the log has %+v, %v", log, err)
	}
	o.newPerson("name", "erin", "audience", "user").wantRedirect(t, "/staff/users/erin?done=person-added")
	o.get("carol", "/staff/users/erin?done=person-added").wantText(t, "[data-testid=done] p", "Added. They can receive notifications now.")
}

func TestAPersonWhoCannotBeAddedIsLeftInTheForm(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.config.Mailing = true
	o.rebuild()
	for name, test := range map[string]struct {
		fields []string
		field  string
		says   string
	}{
		"no name":          {[]string{"name", " ", "audience", "user"}, "name", "isn't a valid name"},
		"a taken name":     {[]string{"name", "bob", "audience", "user"}, "name", "The user name bob is taken."},
		"a bad address":    {[]string{"name", "dave", "audience", "user", "email", "dave"}, "email", "Enter one mail address"},
		"no audience":      {[]string{"name", "dave"}, "audience", "Choose one of these groups."},
		"a bad audience":   {[]string{"name", "dave", "audience", "else"}, "audience", "Choose one of these groups."},
		"an unknown group": {[]string{"name", "dave", "audience", "user", "role", "nobody"}, "role", "nobody"},
		"a short password": {[]string{"name", "dave", "audience", "user", "password", "short"}, "password", "Use at least 8 characters."},
	} {
		r := o.newPerson(test.fields...).wantStatus(t, http.StatusUnprocessableEntity)
		if r.count("[data-testid=new][open]") != 1 || r.count("#"+test.field+"[aria-invalid=true]") != 1 {
			t.Errorf("%s: the form is closed, or the field is not marked", name)
		}
		if got := r.text("#" + test.field + "-fault"); !strings.Contains(got, test.says) {
			t.Errorf("%s: the field says %q", name, got)
		}
		if got := r.attr("#name", "value"); got != test.fields[1] {
			t.Errorf("%s: the name is now %q", name, got)
		}
		if r.attr("#password", "value") != "" {
			t.Errorf("%s: the page has the password", name)
		}
	}
	if _, err := o.db.UserByName(t.Context(), "dave"); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("dave exists: %v", err)
	}
}

func TestAllFaultsOfANewPersonAreShownTogether(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.config.Mailing = true
	o.rebuild()
	r := o.newPerson("name", "bob", "email", "bob", "audience", "else", "role", "nobody", "password", "short").wantStatus(t, http.StatusUnprocessableEntity)
	for field, says := range map[string]string{
		"name": "The user name bob is taken.", "email": "Enter one mail address", "audience": "Choose one of these groups.", "role": "nobody does not exist.", "password": "Use at least 8 characters.",
	} {
		if got := r.text("#" + field + "-fault"); !strings.Contains(got, says) {
			t.Errorf("%s says %q", field, got)
		}
	}
	if r.count("[data-testid=person-form] .banner") != 0 || r.count("#name[autofocus]") != 1 {
		t.Error("a fault stands apart from its field, or the first one has no focus")
	}
}

func TestOnlyStaffAddPeople(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.post("alice", "/staff/users", "action", "new", "name", "dave", "audience", "user").wantStatus(t, http.StatusNotFound)
	if _, err := o.db.UserByName(t.Context(), "dave"); !errors.Is(err, notifier.ErrNotFound) {
		t.Errorf("dave exists: %v", err)
	}
}

func TestAPersonIsAddedWithoutWhatIsSwitchedOff(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.config.PasswordsOff = true
	o.rebuild()
	if n := o.get("carol", "/staff/users").count("#password, #email"); n != 0 {
		t.Errorf("%d fields for what is off", n)
	}
	o.newPerson("name", "dave", "audience", "user", "password", "correct horse").wantRedirect(t, "/staff/users/dave?done=person-added")
	if _, hash, err := o.db.Credentials(t.Context(), "dave"); err != nil || hash != "" {
		t.Errorf("hash %q, %v", hash, err)
	}
}
