package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestRolesAreListedByNameInPages(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for n := range 60 {
		o.haveMembers(fmt.Sprintf("team %02d", n))
	}
	o.haveMembers("night", "alice", "bob")
	r := o.get("carol", "/staff/roles").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=role]") != 50 || r.text("[data-testid=role] th a") == "" {
		t.Errorf("%d roles", r.count("[data-testid=role]"))
	}
	if got := r.attr("a[rel=next]", "href"); got != "/staff/roles?after=team+47" {
		t.Errorf("the next page is %q", got)
	}
	next := o.get("carol", r.attr("a[rel=next]", "href"))
	if next.count("[data-testid=role]") != 12 || next.count(".pager a[href='/staff/roles']") != 1 {
		t.Errorf("%d roles on the next page:\n%s", next.count("[data-testid=role]"), next.text("#pager"))
	}
	found := o.get("carol", "/staff/roles?q=NIGHT")
	found.wantText(t, "[data-testid=role]", "night2 peopleSend a notification")
	if got := found.attr("[data-testid=role] td a", "href"); got != "/staff/send?target=role&to=night" {
		t.Errorf("a row's link to send is %q", got)
	}
	if say := o.get("carol", "/staff/roles?q=zzz").attr("#results", "data-say"); say != "Nothing found" {
		t.Errorf("without results the page says %q", say)
	}
}

func TestRoleIsCreatedOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.post("carol", "/staff/roles", "action", "create", "role", " night shift ").wantRedirect(t, "/staff/roles/night%20shift?done=role-made")
	o.get("carol", "/staff/roles/night%20shift?done=role-made").wantText(t, "[data-testid=done] p", "The group has been created.")
	for role, want := range map[string]string{
		"night shift": "The group night shift already exists.", "": "“” isn't a valid name.", "a\u202eb": "“a\u202eb” isn't a valid name.",
	} {
		r := o.post("carol", "/staff/roles", "role", role).wantStatus(t, http.StatusUnprocessableEntity)
		if got := r.page.Find("#role-fault").Text(); got != want {
			t.Errorf("role %q: the error is %q, want %q", role, got, want)
		}
		if r.attr("#role", "value") != role || r.attr("#role", "aria-describedby") != "role-hint role-fault" || r.count("#role[autofocus]") != 1 {
			t.Errorf("role %q: the typed name is lost:\n%s", role, r.text("main"))
		}
	}
	if diff := cmp.Diff([]string{"carol role.create role night shift"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestMembersAreAddedRemovedAndRestored(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("picker", "alice")
	r := o.get("carol", "/staff/roles/picker").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Group picker")
	r.wantText(t, "[data-testid=members]", "1 person")
	add := append(r.fields("[data-testid=member-form]"), "user", "bob")
	o.post("carol", "/staff/roles/picker", unique(add)...).wantRedirect(t, "/staff/roles/picker?done=member-added")
	o.submit("carol", o.get("carol", "/staff/roles/picker?q=ali"), "[data-testid=member] form").wantRedirect(t, "/staff/roles/picker?done=member-removed&q=ali")
	if diff := cmp.Diff([]string{"bob"}, o.members("picker")); diff != "" {
		t.Fatal(diff)
	}
	if r = o.get("carol", "/staff/roles/picker?done=member-added"); r.count("#done form") != 0 {
		t.Errorf("Undo of another action is offered: %s", r.text("#done"))
	}
	r = o.get("carol", "/staff/roles/picker?done=member-removed&q=ali")
	r.wantText(t, "[data-testid=done] p", "alice is no longer in the group.")
	o.submit("carol", r, "#done form").wantRedirect(t, "/staff/roles/picker?done=member-added&q=ali")
	if diff := cmp.Diff([]string{"alice", "bob"}, o.members("picker")); diff != "" {
		t.Error(diff)
	}
	want := []string{"carol user.role.add bob picker", "carol user.role.remove alice picker", "carol user.role.add alice picker"}
	if diff := cmp.Diff(want, o.done()); diff != "" {
		t.Error(diff)
	}
}

// unique keeps only the last value of each field.
func unique(fields []string) []string {
	last := map[string]string{}
	var names []string
	for i := 0; i+1 < len(fields); i += 2 {
		if _, known := last[fields[i]]; !known {
			names = append(names, fields[i])
		}
		last[fields[i]] = fields[i+1]
	}
	var kept []string
	for _, name := range names {
		kept = append(kept, name, last[name])
	}
	return kept
}

// A link with a done code must not trick staff into adding a user.
func TestAddressAloneOffersNoUndo(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, address := range []string{"/staff/roles/staff?done=member-removed&user=mallory", "/staff/subscriptions?done=unsubscribed&user=mallory&type=x"} {
		if r := o.get("carol", address).wantStatus(t, http.StatusOK); r.count("#done form") != 0 {
			t.Errorf("%s offers %s", address, r.text("#done"))
		}
	}
}

func TestMembersAreListedLikeUsers(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var crowd []string
	for n := range 60 {
		crowd = append(crowd, fmt.Sprintf("user%02d", n))
	}
	o.haveMembers("crowd", append(crowd, "other")...)
	o.haveUsers("user00 who is no member")
	r := o.get("carol", "/staff/roles/crowd?sort=-name&after=user58&q=user")
	if r.count("[data-testid=member]") != 50 || r.attr("a[rel=next]", "href") != "/staff/roles/crowd?after=user08&q=user&sort=-name" {
		t.Errorf("%d members, and then %q", r.count("[data-testid=member]"), r.attr("a[rel=next]", "href"))
	}
	next := o.get("carol", r.attr("a[rel=next]", "href"))
	if first, last := next.page.Find("[data-testid=member] th").First().Text(), next.page.Find("[data-testid=member] th").Last().Text(); next.count("[data-testid=member]") != 8 ||
		!strings.Contains(first, "user07") || !strings.Contains(last, "user00") {
		t.Errorf("the next page has %d members, from %q to %q", next.count("[data-testid=member]"), first, last)
	}
	if got := r.attr("form.search", "action"); got != "/staff/roles/crowd" {
		t.Errorf("the search goes to %q", got)
	}
}

func TestRoleOfAnyNameHasAPage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a/b", "..", ".", "50 %", "a?b=c&d", "日本 の", "<b>\"x'", "#1", "+", "a;b", strings.Repeat("n", notifier.MaxName)} {
		o := newOffice(t)
		o.haveMembers(name, "bob")
		link := ""
		for _, a := range o.get("carol", "/staff/roles").page.Find("[data-testid=role] th a").EachIter() {
			if a.Text() == name {
				link = a.AttrOr("href", "")
			}
		}
		r := o.get("carol", link).wantStatus(t, http.StatusOK)
		r.wantText(t, "h1", "Group "+name)
		r = o.submit("carol", r, "[data-testid=member] form")
		if len(o.members(name)) != 0 || r.StatusCode != http.StatusSeeOther {
			t.Errorf("%q: removing a member: %d", name, r.StatusCode)
		}
		back := o.get("carol", r.Header.Get("Location")).wantStatus(t, http.StatusOK)
		back.wantText(t, "h1", "Group "+name)
		o.submit("carol", back, "#done form")
		if diff := cmp.Diff([]string{"bob"}, o.members(name)); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
		o.submit("carol", o.get("carol", link), "[data-testid=delete] form").wantRedirect(t, "/staff/roles?done=role-deleted")
		if _, err := o.db.Role(t.Context(), name); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("%q is still there: %v", name, err)
		}
	}
}

func TestUnknownUserIsNotAdded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for user, want := range map[string]string{"": "Required.", "no <b>": "Unknown user: no <b>."} {
		r := o.post("carol", "/staff/roles/staff", "action", "add", "user", user).wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, "#user-fault", want)
		if r.attr("#user", "value") != user {
			t.Errorf("the text is %q", r.attr("#user", "value"))
		}
	}
	o.post("carol", "/staff/roles/gone", "action", "add", "user", "bob").wantStatus(t, http.StatusNotFound)
	if _, err := o.db.Role(t.Context(), "gone"); !errors.Is(err, notifier.ErrNotFound) || len(o.done()) != 0 {
		t.Errorf("the role: %v, audit log %v", err, o.done())
	}
}

func TestStaffCannotRemoveThemselvesOrTheStaffRole(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	r := o.get("carol", "/staff/roles/staff")
	if r.count("[data-testid=member] form") != 0 || r.count("[data-testid=delete]") != 0 {
		t.Error("the page offers to leave the staff role or to delete it")
	}
	r.wantText(t, "[data-testid=member] .act", "you")
	r = o.post("carol", "/staff/roles/staff", "action", "remove", "user", "carol").wantStatus(t, http.StatusConflict)
	r.wantText(t, "h1", "You can't remove yourself")
	r = o.post("carol", "/staff/roles/staff", "action", "delete").wantStatus(t, http.StatusConflict)
	r.wantText(t, "h1", "This group can't be deleted")
	r.wantText(t, "main a[href='/staff/roles/staff']", "Back to the group")
	if diff := cmp.Diff([]string{"carol"}, o.members("staff")); diff != "" || len(o.done()) != 0 {
		t.Errorf("%s\naudit log: %v", diff, o.done())
	}
}

func TestUsersLinkToTheirRoles(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("picker", "bob")
	o.haveMembers("a/b", "bob")
	r := o.get("carol", "/staff/users?q=bob", "Accept-Language", "ja")
	r.wantText(t, "[data-testid=user] [data-testid=groups]", "一般ユーザー a/b picker")
	if got := r.attr("[data-testid=user] [data-testid=groups] a", "href"); got != "/staff/roles/a%2Fb" {
		t.Errorf("a role links to %q", got)
	}
}
