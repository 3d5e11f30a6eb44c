package handlers_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// inRole returns the names of a role's members.
func (o *office) inRole(role string) string {
	o.t.Helper()
	users, err := o.db.Users(o.t.Context(), notifier.UserQuery{Role: role, Limit: 5000})
	if err != nil {
		o.t.Fatal(err)
	}
	names := make([]string, len(users))
	for i := range users {
		names[i] = users[i].Name
	}
	return strings.Join(names, " ")
}

// filled returns the fields of the form that a page has, as a browser without a script sends them by the button with this value.
func filled(r reply, form, button string) (pairs []string) {
	for _, field := range r.page.Find(form + " input, " + form + " select").EachIter() {
		_, checked := field.Attr("checked")
		switch kind := field.AttrOr("type", ""); {
		case kind == "checkbox" && !checked:
		case field.Is("select"):
			pairs = append(pairs, field.AttrOr("name", ""), field.Find("[selected]").AttrOr("value", ""))
		default:
			pairs = append(pairs, field.AttrOr("name", ""), field.AttrOr("value", ""))
		}
	}
	if button != "" {
		pairs = append(pairs, "action", button)
	}
	return pairs
}

// without removes a field from pairs.
func without(name string, pairs []string) (left []string) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != name {
			left = append(left, pairs[i], pairs[i+1])
		}
	}
	return left
}

func TestTickedPeopleJoinAndLeaveAGroup(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("night & day", "bob")
	page := o.get("carol", "/staff/users?q=o").wantStatus(t, http.StatusOK) // bob and carol
	if got := page.attr("[data-testid=user] input", "aria-label"); got != "Select bob" {
		t.Errorf("the box is called %q", got)
	}
	form := without("to_group", filled(page, "#many", "join"))
	r := o.post("carol", "/staff/users", append(form, "pick", "1", "pick", "2", "to_group", "night & day")...)
	r.wantRedirect(t, "/staff/users?q=o&n=1&in=night+%26+day&done=many-joined")
	o.get("carol", "/staff/users?q=o&n=1&in=night+%26+day&done=many-joined").wantText(t, "[data-testid=done] p", "1 person was added to night & day.")
	if got := o.inRole("night & day"); got != "alice bob" {
		t.Errorf("the members are %q", got)
	}
	leave := without("to_group", filled(page, "#many", "leave"))
	o.post("carol", "/staff/users", append(leave, "pick", "2", "pick", "3", "pick", "99", "to_group", "night & day")...).
		wantRedirect(t, "/staff/users?q=o&n=1&in=night+%26+day&done=many-left")
	if got := o.inRole("night & day"); got != "alice" {
		t.Errorf("the members are %q", got)
	}
	if diff := cmp.Diff([]string{"carol user.role.add alice night & day", "carol user.role.remove bob night & day"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestAFormForManyPeopleSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("night", "bob")
	for name, test := range map[string]struct {
		fields   []string
		at, says string
	}{
		"nobody":   {[]string{"action", "join", "to_group", "night"}, "[data-testid=many-bar] .banner", "Select somebody first."},
		"no group": {[]string{"action", "join", "pick", "2", "to_group", ""}, "#to_group-fault", "Required."},
		"unknown":  {[]string{"action", "leave", "pick", "2", "to_group", "day"}, "#to_group-fault", "day does not exist."},
		"staff":    {[]string{"action", "join", "all", "1", "sure", "1", "to_group", "staff"}, "#to_group-fault", "Add and remove staff one at a time"},
	} {
		r := o.post("carol", "/staff/users", test.fields...).wantStatus(t, http.StatusUnprocessableEntity)
		if got := r.text(test.at); !strings.Contains(got, test.says) {
			t.Errorf("%s: %q", name, got)
		}
		if want := slices.Contains(test.fields, "pick"); (r.attr("[name=pick][checked]", "value") == "2") != want {
			t.Errorf("%s: the ticks are lost", name)
		}
	}
	o.post("carol", "/staff/users", "action", "join", "pick", "2", "to_group", "night", "name", "x").wantStatus(t, http.StatusUnprocessableEntity)
	o.post("alice", "/staff/users", "action", "join", "pick", "2", "to_group", "night").wantStatus(t, http.StatusNotFound)
	o.post("carol", "/staff/users", "action", "join", "pick", "1", "to_group", "night", "page_user", "alice").wantStatus(t, http.StatusConflict)
	if got := o.inRole("night"); got != "bob" || len(o.done()) > 0 {
		t.Errorf("%q, %v", got, o.done())
	}
}

// TestAllWhoMatchJoinStepByStepWithoutAScript has 2,100 who match, more than one step changes.
func TestAllWhoMatchJoinStepByStepWithoutAScript(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("night", "bob")
	o.haveCrowd("crowd", 2100, 2)
	page := o.get("carol", "/staff/users?q=crowd&group=audience%3A2").wantStatus(t, http.StatusOK)
	page.wantText(t, "[data-testid=matches] label", "Select all 2,100 that match")
	form := without("to_group", filled(page, "#many", "join"))
	r := o.post("carol", "/staff/users", append(form, "all", "1", "to_group", "night")...).wantStatus(t, http.StatusOK)
	r.wantText(t, "#many-step > p:not(.hint)", "Add 2,100 people to night?")
	if got := o.inRole("night"); got != "bob" {
		t.Fatalf("before the answer the members are %q", got)
	}
	r = o.post("carol", "/staff/users", filled(r, "#many-step", "")...).wantStatus(t, http.StatusOK)
	r.wantText(t, "#many-step [role=status]", "2,000 people were added to night.")
	r.wantText(t, "#many-step .hint", "2,000 of 2,100 people checked")
	if r.attr("progress", "value") != "2000" || r.attr("progress", "max") != "2100" || r.attr("#many-step", "hx-trigger") != "load" {
		t.Error("the page does not show how far it is, or does not continue")
	}
	r = o.post("carol", "/staff/users", filled(r, "#many-step", "")...).wantStatus(t, http.StatusOK)
	r.wantText(t, "#many-step [role=status]", "2,100 people were added to night.")
	if r.count("#many-step button, #many-step[hx-trigger]") != 0 {
		t.Error("the page continues after the last step")
	}
	if got := r.attr("#many-step a", "href"); got != "/staff/users?group=audience%3A2&q=crowd" {
		t.Errorf("it leads back to %q", got)
	}
	if role, err := o.db.Role(t.Context(), "night"); err != nil || role.Members != 2101 {
		t.Errorf("%+v, %v", role, err)
	}
}

func TestANotificationToTickedPeopleBeginsWithTheirNames(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("night", "bob")
	o.haveCrowd("crowd", 101, 3)
	o.post("carol", "/staff/users", "action", "send", "pick", "2", "pick", "1", "pick", "999").wantRedirect(t, "/staff/send?to=bob%0Aalice")
	o.post("carol", "/staff/users", "action", "send", "all", "1", "group", "role:night").wantRedirect(t, "/staff/send?target=role&to=night")
	o.post("carol", "/staff/users", "action", "send", "all", "1", "group", "role:night", "q", "b", "sort", "-seq").wantRedirect(t, "/staff/send?to=bob")
	r := o.post("carol", "/staff/users", "action", "send", "all", "1", "q", "crowd").wantStatus(t, http.StatusUnprocessableEntity)
	if got := r.text("[data-testid=many-bar] .banner"); !strings.Contains(got, "more than 100 people") {
		t.Errorf("it says %q", got)
	}
	if r.count("[name=all][checked]") != 1 {
		t.Error("the box is not ticked any more")
	}
}
