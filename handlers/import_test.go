package handlers_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// upload posts a form with a file, and the given fields in pairs.
func (o *office) upload(user, content string, fields ...string) reply {
	o.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			o.t.Fatal(err)
		}
	}
	file, err := form.CreateFormFile("file", "people.csv")
	if err != nil {
		o.t.Fatal(err)
	}
	if _, err := file.Write([]byte(content)); err != nil {
		o.t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		o.t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/staff/import", &body)
	return o.do(r, user, "Content-Type", form.FormDataContentType())
}

// names lists everybody, by name.
func (o *office) names() (all []string) {
	o.t.Helper()
	users, err := o.db.Users(o.t.Context(), notifier.UserQuery{Limit: 100})
	if err != nil {
		o.t.Fatal(err)
	}
	for _, u := range users {
		all = append(all, u.Name)
	}
	return all
}

func TestEverybodyInAFileIsAdded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	r := o.get("carol", "/staff/import").wantStatus(t, http.StatusOK)
	sample := strings.NewReplacer("alice,", "dave,", "bob,", "erin,").Replace(r.page.Find(".sample").Text())
	o.upload("carol", sample, "page_user", "carol").wantRedirect(t, "/staff/users?sort=-seq&done=people-imported")
	if diff := cmp.Diff([]string{"alice", "bob", "carol", "dave", "erin"}, o.names()); diff != "" {
		t.Error(diff)
	}
	dave, err := o.db.UserByName(t.Context(), "dave")
	if diff := cmp.Diff([]string{"picker", "staff"}, dave.Roles); err != nil || diff != "" || dave.Audience != 1 {
		t.Errorf("%v, audience %d: %s", err, dave.Audience, diff)
	}
	if diff := cmp.Diff([]string{"carol user.import file people.csv 2 users"}, o.done()); diff != "" {
		t.Error(diff)
	}
	o.get("carol", "/staff/users?sort=-seq&done=people-imported").wantText(t, "[data-testid=done] p", "Everybody in the file has been added.")
}

func TestAWrongLineIsNamedAndNobodyIsAdded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const first = "name,audience,email\ndave,user,\n"
	for file, want := range map[string]string{
		"":                       "Choose a file with at least one line.",
		"who\ndave\n":            "The first line must name the columns: name, and any of name, password_hash, audience, roles, locale, email, each once.",
		"name,name\ndave,x\n":    "The first line must name the columns: name, and any of name, password_hash, audience, roles, locale, email, each once.",
		first + "erin,martian,":  "Line 3: audience: martian does not exist. Choose one of these: operator, user, customer. Nobody was added.",
		first + "erin,user,erin": "Line 3: email: Enter one mail address, such as bob@example.com. Nobody was added.",
		first + "bob,user,":      "Line 3: Somebody has this user name already. Remove the line, or choose another name. Nobody was added.",
		first + "dave,user,":     "Line 3: This user name appears twice in the file. Keep one of the lines. Nobody was added.",
		first + "erin,user":      "Line 3: This line has more or fewer values than the first line. A value with a comma needs quotes. Nobody was added.",
		first + `erin,"user,`:    "Line 3: A quote is missing, or the password hash is not of argon2id, which begins with $argon2id$. Nobody was added.",
		first + "\xff,user,":     "Line 3: name: “\ufffd” isn't a valid name. Nobody was added.",
	} {
		r := o.upload("carol", file).wantStatus(t, http.StatusUnprocessableEntity)
		if got := r.text("#file-fault"); got != want || r.count("#file[aria-invalid=true][autofocus]") != 1 {
			t.Errorf("%q: the fault is %q, want %q", file, got, want)
		}
	}
	if diff := cmp.Diff([]string{"alice", "bob", "carol"}, o.names()); diff != "" || len(o.done()) != 0 {
		t.Errorf("%s%v", diff, o.done())
	}
}

func TestAFileOfPeopleIsForStaffAndBounded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const file = "name\ndave\n"
	o.get("alice", "/staff/import").wantStatus(t, http.StatusNotFound)
	o.upload("alice", file).wantStatus(t, http.StatusNotFound)
	o.upload("", file).wantStatus(t, http.StatusSeeOther)
	o.upload("carol", file, "page_user", "alice").wantStatus(t, http.StatusConflict)
	o.upload("carol", file, "else", "1").wantStatus(t, http.StatusUnprocessableEntity)
	o.upload("carol", "name\n"+strings.Repeat("x", 1<<20)).wantStatus(t, http.StatusRequestEntityTooLarge)
	o.post("carol", "/staff/import", "file", file).wantStatus(t, http.StatusBadRequest)
	if diff := cmp.Diff([]string{"alice", "bob", "carol"}, o.names()); diff != "" || len(o.done()) != 0 {
		t.Errorf("%s%v", diff, o.done())
	}
	o.upload("carol", "\ufeffname\r\ndave\r\n").wantRedirect(t, "/staff/users?sort=-seq&done=people-imported") // as spreadsheets write it
}

// A file of more than one step is answered piece by piece, with how far it is, and ends with the same promise.
func TestALongImportShowsHowFarItIs(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var file strings.Builder
	file.WriteString("name,audience\n")
	for n := range 2500 {
		fmt.Fprintf(&file, "person%d,user\n", n)
	}
	r := o.upload("carol", file.String()+"erin,martian\n").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=import-end] .banner", "Line 2,502: audience: martian does not exist. Choose one of these: operator, user, customer. Nobody was added.")
	if got := r.attr("[data-testid=import-end] a", "href"); got != "/staff/import" || len(o.done()) != 0 {
		t.Errorf("it leads to %q, and %v was done", got, o.done())
	}
	if diff := cmp.Diff([]string{"alice", "bob", "carol"}, o.names()); diff != "" {
		t.Error(diff)
	}
	r = o.upload("carol", file.String()).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=import-step] p:not(.hint)", "2,000 of 2,500 people added2,500 of 2,500 people added")
	r.wantText(t, "[data-testid=import-end] p", "Everybody in the file has been added.")
	if got := r.attr("[data-testid=import-end] a", "href"); got != "/staff/users?sort=-seq" || r.count("progress[max='2500']") != 2 || !strings.HasSuffix(strings.TrimSpace(r.body), "</html>") {
		t.Errorf("it leads to %q: %s", got, r.body)
	}
	if diff := cmp.Diff([]string{"carol user.import file people.csv 2500 users"}, o.done()); diff != "" {
		t.Error(diff)
	}
}
