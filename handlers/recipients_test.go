package handlers_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// chosen lists the values of the selected controls.
func (r reply) chosen(selector string) []string {
	var values []string
	for _, e := range r.page.Find(selector).EachIter() {
		values = append(values, e.AttrOr("value", ""))
	}
	return values
}

func TestRoleIsChosenFromAListWithMemberCounts(t *testing.T) {
	t.Parallel()
	w := sendWorld(t, 1, &[]notifier.Draft{})
	w.haveCrowd("staff", 1199, 1, notifier.RoleStaff)
	r := w.get("carol", "/staff/send").wantStatus(t, http.StatusOK)
	r.wantText(t, ".for-role #to_role label", "picker 1 person staff 1,200 people")
	r.wantText(t, "#to_role legend", "Groups")
	r.wantText(t, "label[for=to]", "To")
	if got := r.chosen("#to_role [type=checkbox]"); !cmp.Equal(got, []string{"picker", "staff"}) {
		t.Errorf("the list is %q", got)
	}
	r = w.get("carol", "/staff/send?to=picker&target=role")
	if got := r.chosen("#to_role [checked]"); !cmp.Equal(got, []string{"picker"}) || r.text("#to") != "" {
		t.Errorf("the query chooses %q, and the names are %q", got, r.text("#to"))
	}
	if got := r.attr("[name=target][checked]", "value"); got != "role" {
		t.Errorf("the query chooses the target %q", got)
	}
}

func TestRoleNameIsTypedIfTheListIsTooLongOrUnavailable(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	have := 1 // staff
	upTo := func(n int) func() {
		return func() {
			for ; have < n; have++ {
				o.haveMembers(fmt.Sprintf("role %d", have))
			}
		}
	}
	for _, test := range []struct {
		name    string
		prepare func()
		listed  int
	}{{"200 roles", upTo(200), 200}, {"201 roles", upTo(201), 0}, {"no SQL", o.closeSQL, 0}} {
		test.prepare()
		for address, field := range map[string]string{"/staff/send?target=role&to=role+7": "to_role", "/staff/subscriptions?add&role=role+7": "role"} {
			list, chosen, none := "#to_role [type=checkbox]", "#to_role [checked]", 0
			if field == "role" {
				list, chosen, none = "select#role option", "#role option[selected]", 1
			}
			r := o.get("carol", address)
			if test.name == "no SQL" && field == "role" {
				r.wantStatus(t, http.StatusServiceUnavailable) // the page also lists subscriptions
				continue
			}
			r.wantStatus(t, http.StatusOK)
			if n := r.count(list); n != test.listed && n != test.listed+none {
				t.Errorf("%s: with %s %d are listed, want %d", address, test.name, n, test.listed)
			}
			if test.listed > 0 {
				if got := r.chosen(chosen); !cmp.Equal(got, []string{"role 7"}) {
					t.Errorf("%s: with %s %q is chosen", address, test.name, got)
				}
			} else if r.attr("input#"+field+"[data-names=role]", "value") != "role 7" || r.count("label[for="+field+"]") != 1 {
				t.Errorf("%s: with %s no name can be typed, or it is lost", address, test.name)
			}
		}
	}
}

func TestRoleComesFromTheFieldOrTheList(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 1, &sent)
	for _, test := range []struct{ to, chosen, want, fault string }{
		{"picker", "", "picker", ""},
		{" picker ", "picker", "picker", ""},
		{"", "picker", "picker", ""},
		{" \r\n", " picker ", "picker", ""},
		{"picker", "staff", "", "A group is also selected. Clear this field or that selection."},
		{"alice, bob", "staff", "", "A group is also selected. Clear this field or that selection."},
	} {
		for _, preview := range []string{"", "1"} {
			sent = nil
			form := with(with(goodForm, "target", "role"), "to", test.to)
			r := w.post("carol", "/staff/send", append(form, "to_role", test.chosen, "to_kept", "carol,\r\ndora", "preview", preview)...)
			if test.fault != "" {
				r.wantStatus(t, http.StatusUnprocessableEntity).wantText(t, "#to-fault", test.fault)
				r.wantText(t, "#to", test.to)
				r.wantText(t, "[data-testid=faults] a[href='#to']", "To: "+test.fault)
				if got := r.chosen("#to_role [checked]"); !cmp.Equal(got, []string{test.chosen}) || len(sent) > 0 {
					t.Errorf("%q and %q: the list has %q, sent %v", test.to, test.chosen, got, sent)
				}
				continue
			}
			if preview == "1" {
				if got := r.chosen("#to_role [checked]"); !cmp.Equal(got, []string{test.want}) || r.text("#to") != "" {
					t.Errorf("%q and %q: the list has %q, the names are %q", test.to, test.chosen, got, r.text("#to"))
				}
				if got := r.attr("[name=to_kept]", "value"); got != "carol,\r\ndora" && got != "carol,\ndora" {
					t.Errorf("the names of users are kept as %q", got)
				}
				continue
			}
			if len(sent) != 1 || !cmp.Equal(sent[0].Target, notifier.Target{Role: test.want}) {
				t.Errorf("%q and %q: sent %+v", test.to, test.chosen, sent)
			}
		}
	}
}

func TestAudiencesComeFromTheFieldOrTheBoxes(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 1, &sent)
	const twice = "A group is also selected. Clear this field or that selection."
	for _, test := range []struct {
		to     string
		ticked []string
		want   []notifier.Audience
		field  string
		fault  string
	}{
		{"customer, operator", nil, []notifier.Audience{3, 1}, "", ""},
		{"", []string{"", "customer", "operator"}, []notifier.Audience{3, 1}, "", ""},
		{"", []string{"customer", "customer", "CUSTOMER"}, []notifier.Audience{3, 3}, "", ""},
		{"Customer, Operator", []string{"", "operator", "customer"}, []notifier.Audience{3, 1}, "", ""},
		{"customer", []string{"customer", "operator"}, nil, "to", twice},
		{"alice", []string{"customer"}, nil, "to", twice},
		{"alice", []string{""}, nil, "to", "alice does not exist."},
		{"", []string{"customer", "martian"}, nil, "to_audience", "martian does not exist."},
		{"", []string{""}, nil, "to_audience", "Choose one."},
	} {
		sent = nil
		form := with(audienceForm, "to", test.to)
		for _, name := range test.ticked {
			form = append(form, "to_audience", name)
		}
		r := w.postAs(nil, "/staff/send", form...)
		if test.fault == "" {
			r.wantRedirect(t, "/staff/notices/42")
			if len(sent) != 1 || !cmp.Equal(sent[0].Target.Audiences, test.want) {
				t.Errorf("%q and %q: sent %+v", test.to, test.ticked, sent)
			}
			continue
		}
		r.wantStatus(t, http.StatusUnprocessableEntity).wantText(t, ".fault", test.fault)
		if got := r.attr("[data-testid=faults] a", "href"); got != "#"+test.field || r.count(r.attr("[data-testid=faults] a", "href")+"[tabindex], textarea#to") == 0 || len(sent) > 0 {
			t.Errorf("%q and %q: the error links to %q, sent %v", test.to, test.ticked, got, sent)
		}
		if r.text("#to") != test.to || r.count("#to_audience [value=customer][checked]") == 1 != (len(test.ticked) > 0 && test.ticked[0] == "customer") {
			t.Errorf("%q and %q: the choice is lost", test.to, test.ticked)
		}
	}
}

func TestSeveralRolesAreTickedOrNamed(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 3, &sent)
	w.haveMembers("a, b", "carol")
	for _, test := range []struct {
		to     string
		ticked []string
		want   notifier.Target
	}{
		{"", []string{"picker", "", "staff", "picker"}, notifier.Target{Roles: []string{"picker", "staff"}}},
		{"picker; staff,\r\npicker", nil, notifier.Target{Roles: []string{"picker", "staff"}}},
		{"staff, picker", []string{"picker", "staff"}, notifier.Target{Roles: []string{"staff", "picker"}}},
		{"a, b", nil, notifier.Target{Role: "a, b"}},
		{"", []string{"a, b"}, notifier.Target{Role: "a, b"}},
		{"", []string{"picker, staff"}, notifier.Target{Roles: []string{"picker", "staff"}}}, // typed, when there are too many to list
	} {
		sent = nil
		form := with(with(goodForm, "target", "role"), "to", test.to)
		for _, name := range test.ticked {
			form = append(form, "to_role", name)
		}
		w.postAs(nil, "/staff/send", form...).wantRedirect(t, "/staff/notices/42")
		if len(sent) != 1 || !cmp.Equal(sent[0].Target, test.want) {
			t.Errorf("%q and %q: sent %+v", test.to, test.ticked, sent)
		}
	}
	r := w.postAs(nil, "/staff/send", append(with(with(goodForm, "target", "role"), "to", ""), "to_role", "staff", "to_role", "gone", "preview", "1")...)
	if diff := cmp.Diff([]string{"staff", "gone"}, r.chosen("#to_role [checked]")); diff != "" {
		t.Error(diff)
	}
}

func TestControlOfAnotherTargetIsIgnoredAndKeepsItsChoice(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 1, &sent)
	others := []string{"to_role", "staff", "to_audience", "", "to_audience", "customer"}
	w.postAs(nil, "/staff/send", append(others, goodForm...)...).wantRedirect(t, "/staff/notices/42")
	if len(sent) != 1 || !cmp.Equal(sent[0].Target, notifier.Target{Users: []string{"alice", "bob"}}) {
		t.Errorf("sent %+v", sent)
	}
	r := w.postAs(nil, "/staff/send", append(others, with(goodForm, "title", "")...)...).wantStatus(t, http.StatusUnprocessableEntity)
	if diff := cmp.Diff([]string{"staff", "customer"}, r.chosen("#to_role [checked], #to_audience [checked]")); diff != "" {
		t.Error(diff)
	}
	// A field sent twice is still refused.
	r = w.postAs(nil, "/staff/send", append([]string{"to_kept", "a", "to_kept", "b"}, goodForm...)...)
	r.wantStatus(t, http.StatusUnprocessableEntity)
}

func TestMissingRecipientsAreReportedAtTheOneField(t *testing.T) {
	t.Parallel()
	w := sendWorld(t, 1, &[]notifier.Draft{})
	for target, want := range map[string]string{
		"user": "#to To: Required.", "role": "#to_role To: Choose one.", "audience": "#to_audience To: Choose one.",
	} {
		form := with(with(goodForm, "target", target), "to", "")
		r := w.post("carol", "/staff/send", form...).wantStatus(t, http.StatusUnprocessableEntity)
		if got := r.attr("[data-testid=faults] a", "href") + " " + r.text("[data-testid=faults] a"); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
		if got := r.attr("#to", "aria-invalid"); got != "true" || r.count(".recipients > #to-fault") != 1 || r.count(".fault") != 1 {
			t.Errorf("%s: the field is not marked as invalid", target)
		}
		if live := w.live(nil, form...); live.count("#to-fault") != 1 {
			t.Errorf("%s: while typing there is no error", target)
		}
	}
}

func TestAudiencesAreListedWithoutSizesIfThoseAreUnavailable(t *testing.T) {
	t.Parallel()
	w := sendWorld(t, 1, &[]notifier.Draft{})
	w.closeSQL()
	r := w.get("carol", "/staff/send?target=audience", "Accept-Language", "ja").wantStatus(t, http.StatusOK)
	r.wantText(t, "#to_audience label", "オペレーター 一般ユーザー 顧客")
	if diff := cmp.Diff([]string{"operator", "user", "customer"}, r.chosen("#to_audience [type=checkbox]")); diff != "" {
		t.Error(diff)
	}
}

func TestEditReadsTheBoxes(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	form := []string{"title", "Hello", "to_audience", "", "to_audience", "operator", "revision", "7"}
	w.postAs(nil, "/staff/notices/5/edit", form...).wantRedirect(t, "/staff/notices/5?done=edited")
	if len(asked) != 1 || !cmp.Equal(asked[0].Draft.Target.Audiences, []notifier.Audience{1}) {
		t.Errorf("Edit got %+v", asked)
	}
	r := w.postAs(nil, "/staff/notices/5/edit", form[:4]...).wantStatus(t, http.StatusUnprocessableEntity)
	if r.count("#to_audience-fault") != 1 || r.count("#to_audience [checked]") != 0 || len(asked) != 1 {
		t.Errorf("with no box ticked: %q, Edit called %d times", r.text(".fault"), len(asked))
	}
}
