package handlers_test

import (
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
		o.roles.members[fmt.Sprintf("team %02d", n)] = make([]string, n)
	}
	r := o.get("carol", "/staff/roles").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=role]") != 50 || r.text("[data-testid=role] th a") == "" {
		t.Errorf("%d roles", r.count("[data-testid=role]"))
	}
	if got := r.attr("a[rel=next]", "href"); got != "/staff/roles?after=team+48" {
		t.Errorf("the next page is %q", got)
	}
	next := o.get("carol", r.attr("a[rel=next]", "href"))
	if next.count("[data-testid=role]") != 11 || next.count(".pager a[href='/staff/roles']") != 1 {
		t.Errorf("%d roles on the next page:\n%s", next.count("[data-testid=role]"), next.text("#pager"))
	}
	found := o.get("carol", "/staff/roles?q=team+07")
	found.wantText(t, "[data-testid=role]", "team 077 peopleSend a notice")
	if got := found.attr("[data-testid=role] td a", "href"); got != "/staff/send?target=role&to=team+07" {
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
	o.get("carol", "/staff/roles/night%20shift?done=role-made").wantText(t, "[data-testid=done] p", "The role has been created.")
	for role, want := range map[string]string{
		"night shift": "The role night shift already exists.", "": "“” isn't a valid name.", "a\u202eb": "“a\u202eb” isn't a valid name.",
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
	o.roles.members["picker"] = []string{"alice"}
	r := o.get("carol", "/staff/roles/picker").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Role picker")
	r.wantText(t, "[data-testid=members]", "1 person")
	add := append(r.fields("[data-testid=member-form]"), "user", "bob")
	o.post("carol", "/staff/roles/picker", unique(add)...).wantRedirect(t, "/staff/roles/picker?done=member-added")
	o.submit("carol", o.get("carol", "/staff/roles/picker?q=ali"), "[data-testid=member] form").wantRedirect(t, "/staff/roles/picker?done=member-removed&q=ali")
	if diff := cmp.Diff([]string{"bob"}, o.roles.members["picker"]); diff != "" {
		t.Fatal(diff)
	}
	if r = o.get("carol", "/staff/roles/picker?done=member-added"); r.count("#done form") != 0 {
		t.Errorf("Undo of another action is offered: %s", r.text("#done"))
	}
	r = o.get("carol", "/staff/roles/picker?done=member-removed&q=ali")
	r.wantText(t, "[data-testid=done] p", "alice is no longer in the role.")
	o.submit("carol", r, "#done form").wantRedirect(t, "/staff/roles/picker?done=member-added&q=ali")
	if diff := cmp.Diff([]string{"bob", "alice"}, o.roles.members["picker"]); diff != "" {
		t.Error(diff)
	}
	want := []string{"carol user.role.add bob picker", "carol user.role.remove alice picker", "carol user.role.add alice picker"}
	if diff := cmp.Diff(want, o.done()); diff != "" {
		t.Error(diff)
	}
}

// unique keeps the last value of each field.
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

// A link with a done code must not get staff to add anyone anywhere.
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
	for n := range 60 {
		o.roles.members["crowd"] = append(o.roles.members["crowd"], fmt.Sprintf("user%02d", n))
	}
	r := o.get("carol", "/staff/roles/crowd?sort=-name&after=user70&q=user")
	if r.count("[data-testid=member]") != 50 || r.attr("a[rel=next]", "href") != "/staff/roles/crowd?after=user49&q=user&sort=-name" {
		t.Errorf("%d members, and then %q", r.count("[data-testid=member]"), r.attr("a[rel=next]", "href"))
	}
	want := []notifier.UserQuery{{Role: "crowd", Contains: "user", Descending: true, After: "user70", Limit: 51}}
	if diff := cmp.Diff(want, o.roles.asked); diff != "" {
		t.Error(diff)
	}
	if got := r.attr("form.search", "action"); got != "/staff/roles/crowd" {
		t.Errorf("the search goes to %q", got)
	}
}

func TestRoleOfAnyNameHasAPage(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a/b", "..", ".", "50 %", "a?b=c&d", "日本 の", "<b>\"x'", "#1", "+", "a;b", strings.Repeat("n", notifier.MaxName)} {
		o := newOffice(t)
		delete(o.roles.members, notifier.RoleStaff)
		o.roles.members[name] = []string{"bob"}
		link := o.get("carol", "/staff/roles").attr("[data-testid=role] th a", "href")
		r := o.get("carol", link).wantStatus(t, http.StatusOK)
		r.wantText(t, "h1", "Role "+name)
		r = o.submit("carol", r, "[data-testid=member] form")
		if len(o.roles.members[name]) != 0 || r.StatusCode != http.StatusSeeOther {
			t.Errorf("%q: removing a member: %d", name, r.StatusCode)
		}
		back := o.get("carol", r.Header.Get("Location")).wantStatus(t, http.StatusOK)
		back.wantText(t, "h1", "Role "+name)
		o.submit("carol", back, "#done form")
		if diff := cmp.Diff([]string{"bob"}, o.roles.members[name]); diff != "" {
			t.Errorf("%q: %s", name, diff)
		}
		o.submit("carol", o.get("carol", link), "[data-testid=delete] form").wantRedirect(t, "/staff/roles?done=role-deleted")
		if len(o.roles.members) != 0 {
			t.Errorf("%q: the members are %v", name, o.roles.members)
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
	if _, made := o.roles.members["gone"]; made || len(o.done()) != 0 {
		t.Errorf("members %v, audit log %v", o.roles.members, o.done())
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
	r.wantText(t, "h1", "This role can't be deleted")
	r.wantText(t, "main a[href='/staff/roles/staff']", "Back to the role")
	if diff := cmp.Diff(map[string][]string{"staff": {"carol"}}, o.roles.members); diff != "" || len(o.done()) != 0 {
		t.Errorf("%s\naudit log: %v", diff, o.done())
	}
}

func TestUsersLinkToTheirRoles(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.directory.users = func(notifier.UserQuery) ([]notifier.User, error) {
		return []notifier.User{{Name: "bob", Seq: 1, Roles: []string{"a/b", "picker"}}}, nil
	}
	r := o.get("carol", "/staff/users", "Accept-Language", "ja")
	r.wantText(t, "[data-testid=user] td:nth-child(4)", "a/b、picker")
	if got := r.attr("[data-testid=user] td:nth-child(4) a", "href"); got != "/staff/roles/a%2Fb" {
		t.Errorf("a role links to %q", got)
	}
}
