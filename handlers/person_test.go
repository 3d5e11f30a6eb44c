package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestAPersonHasAPageWithWhatReachesThem(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("night shift", "bob")
	o.inbox.look = func(seq int64, q notifier.Query) (notifier.Page, error) {
		if seq != bob.Seq || q.Limit != 20 || q.Unread || q.PutAway() {
			t.Errorf("looked at %d, %+v", seq, q)
		}
		return notifier.Page{Unread: 3, Entries: []notifier.Entry{
			{Key: "a:1", NoticeID: 17, Content: notifier.Content{Title: "Your order <5>"}},
			{Key: "a:2", NoticeID: 16, Read: true, Content: notifier.Content{Title: "Welcome"}},
		}}, nil
	}
	o.posts.list = func(r notifier.Reader) (notifier.OpenAnnouncements, error) {
		return notifier.OpenAnnouncements{Unread: map[bool]int64{true: 2}[r.Seq == bob.Seq]}, nil
	}
	r := o.get("carol", "/staff/users/bob").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "bob")
	var groups, sent []string
	for _, g := range r.page.Find("[data-testid=group]").EachIter() {
		groups = append(groups, strings.TrimSpace(g.Find(".chip").Text()))
	}
	for _, s := range r.page.Find("[data-testid=sent] li").EachIter() {
		sent = append(sent, s.Find("a").AttrOr("href", "")+" "+s.Find("a").Text()+" "+s.Find(".hint").Text()[len(s.Find(".hint").Text())-8:])
	}
	if diff := cmp.Diff([]string{"User", "night shift"}, groups); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/staff/notices/17 Your order <5> read yet", "/staff/notices/16 Welcome  · Read"}, sent); diff != "" {
		t.Error(diff)
	}
	facts := r.text(".facts")
	for _, want := range []string{"Number2", "Unread3 in the inbox, 2 announcements"} {
		if !strings.Contains(facts, want) {
			t.Errorf("%q is not among the facts: %s", want, facts)
		}
	}
	if got := r.attr(".deeds a.primary", "href"); got != "/staff/send?to=bob" {
		t.Errorf("the button to send leads to %q", got)
	}
	for address, from := range map[string]string{"/staff/users?q=bob": "[data-testid=user] th a", "/staff/roles/night%20shift": "[data-testid=member] th a"} {
		if got := o.get("carol", address).attr(from, "href"); got != "/staff/users/bob" {
			t.Errorf("%s links to %q", address, got)
		}
	}
}

func TestAPersonsPageIsFoundByAnyName(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, name := range []string{"a/b c?d&é%", ".", "..", "mail", "日本"} {
		o.haveUsers(name)
		href := o.get("carol", "/staff/users?q="+url.QueryEscape(name)).page.Find("[data-testid=user] th a").FilterFunction(func(_ int, a *goquery.Selection) bool { return a.Text() == name }).AttrOr("href", "")
		r := o.get("carol", href).wantStatus(t, http.StatusOK)
		r.wantText(t, "h1", name)
		o.submit("carol", r, "[data-testid=sign-out]").wantRedirect(t, withDone(href, "person-signed-out"))
	}
	for _, address := range []string{"/staff/users/nobody", "/staff/users/BOB", "/staff/users/%FF", "/staff/users/bob/x", "/staff/users?user=nobody"} {
		r := o.get("carol", address).wantStatus(t, http.StatusNotFound)
		r.wantText(t, "nav[aria-label='Staff pages'] [aria-current=page]", "People")
		r.wantText(t, "main a.primary", "Back to People")
	}
	if r := o.get("alice", "/staff/users/bob").wantStatus(t, http.StatusNotFound); r.count("nav[aria-label='Staff pages']") > 0 {
		t.Error("somebody else sees the frame of the staff pages")
	}
}

func withDone(href, done string) string {
	if strings.Contains(href, "?") {
		return href + "&done=" + done
	}
	return href + "?done=" + done
}

func TestStaffChangeAPerson(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("picker", "alice")
	page := o.get("carol", "/staff/users/bob")
	o.post("carol", "/staff/users", unique(append(page.fields("[data-testid=add]"), "role", "picker"))...).wantRedirect(t, "/staff/users/bob?done=group-added")
	page = o.get("carol", "/staff/users/bob?done=group-added")
	page.wantText(t, "[data-testid=done] p", "Added to the group.")
	o.submit("carol", page, "[data-testid=remove]").wantRedirect(t, "/staff/users/bob?done=group-removed")
	if diff := cmp.Diff([]string{"alice"}, o.members("picker")); diff != "" {
		t.Error(diff)
	}
	asked := o.get("carol", "/staff/users/bob?ask=password").wantStatus(t, http.StatusOK)
	o.post("carol", "/staff/users", unique(append(asked.fields("[data-testid=password]"), "password", "long enough"))...).wantRedirect(t, "/staff/users/bob?done=password-set")
	if _, hash, err := o.db.Credentials(t.Context(), "bob"); err != nil || hash == "" {
		t.Errorf("bob's password is %q, %v", hash, err)
	}
	o.submit("carol", page, "[data-testid=sign-out]").wantRedirect(t, "/staff/users/bob?done=person-signed-out")
	history := o.get("carol", "/staff/users/bob").text("[data-testid=history]")
	for _, want := range []string{"Added to picker by carol", "Removed from picker by carol", "Password set by carol", "Signed out everywhere by carol"} {
		if !strings.Contains(history, want) {
			t.Errorf("%q is not in the history: %s", want, history)
		}
	}
	if page.count("#ask") != 0 {
		t.Error("the page deletes without a question")
	}
	o.submit("carol", o.get("carol", "/staff/users/bob?ask=delete"), "#ask form").wantRedirect(t, "/staff/users?done=person-deleted")
	o.get("carol", "/staff/users/bob").wantStatus(t, http.StatusNotFound)
	want := []string{
		"carol user.role.add 0 picker", "carol user.role.remove 0 picker", "carol user.passwd 0", "carol user.sign_out 0", "carol user.delete 2",
	}
	if diff := cmp.Diff(want, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestFormsAboutAPersonAreRefused(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("picker", "alice")
	for _, c := range []struct {
		fields []string
		status int
		fault  string // of the form
	}{
		{[]string{"action", "add", "role", ""}, http.StatusUnprocessableEntity, "#role-fault"},
		{[]string{"action", "add", "role", "nothing"}, http.StatusUnprocessableEntity, "#role-fault"},
		{[]string{"action", "password", "password", "short"}, http.StatusUnprocessableEntity, "#password-fault"},
		{[]string{"action", "else"}, http.StatusUnprocessableEntity, ""},
		{[]string{"action", "remove", "role", "nothing"}, http.StatusNotFound, ""},
	} {
		r := o.post("carol", "/staff/users", append(c.fields, "user", "bob")...).wantStatus(t, c.status)
		if c.fault != "" && r.count(c.fault) != 1 {
			t.Errorf("%q: no fault: %s", c.fields, r.text("main"))
		}
	}
	for _, action := range []string{"add", "remove", "sign-out", "password", "delete", "mail"} {
		fields := []string{"action", action, "user", "nobody", "role", "picker", "password", "long enough"}
		o.post("carol", "/staff/users", fields...).wantStatus(t, http.StatusNotFound)
		o.post("alice", "/staff/users", fields...).wantStatus(t, http.StatusNotFound)
	}
	for action, want := range map[string]int{"delete": http.StatusConflict, "password": http.StatusNotFound, "remove": http.StatusConflict} {
		o.post("carol", "/staff/users/carol", "action", action, "role", "staff", "password", "long enough").wantStatus(t, want)
	}
	if own := o.get("carol", "/staff/users/carol?ask=delete"); own.count("#ask, [data-testid=remove], .menu-items a[href*=ask]") != 0 {
		t.Errorf("carol is offered what she cannot do: %s", own.text("main"))
	}
	if len(o.done()) > 0 {
		t.Errorf("the audit log has %q", o.done())
	}
}

func TestWithoutPasswordsNobodySetsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.config.PasswordsOff = true })
	if n := w.get("carol", "/staff/users/bob?ask=password").wantStatus(t, http.StatusOK).count("#ask, a[href*='ask=password']"); n > 0 {
		t.Error("the page offers a password")
	}
	w.post("carol", "/staff/users/bob", "action", "password", "password", "long enough").wantStatus(t, http.StatusNotFound)
}

func TestAPersonsPageIsShownWithoutRedis(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return notifier.Page{}, notifier.ErrUnavailable }
	r := w.get("carol", "/staff/users/bob").wantStatus(t, http.StatusOK)
	if facts := r.text(".facts"); strings.Contains(facts, "Unread") {
		t.Errorf("an unknown number is shown: %s", facts)
	}
}
