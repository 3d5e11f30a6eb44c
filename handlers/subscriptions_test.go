package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func subscription(id int64, typ, scope, user, role string) notifier.Subscription {
	return notifier.Subscription{
		ID: id, Topic: notifier.Topic{Type: typ, Scope: scope}, Subscriber: notifier.Subscriber{User: user, Role: role}, CreatedAt: noon,
	}
}

func TestSubscriptionsAreListedInPages(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveUsers("u")
	o.haveMembers("r")
	for n := range 60 {
		o.haveUsers(fmt.Sprintf("user%02d", n))
		o.haveSubscriptions(subscription(0, "order.late", "", fmt.Sprintf("user%02d", n), ""))
	}
	o.haveSubscriptions(subscription(0, "a", "", "u", ""), subscription(0, "a", "7", "u", ""), subscription(0, "b", "7", "", "r"))
	for address, test := range map[string]struct {
		rows        int
		next, first string
	}{
		"":                        {50, "?before=14", ""},
		"?q=+Late+":               {50, "?before=11&q=Late", ""},
		"?before=11&q=Late":       {10, "", "/staff/subscriptions?q=Late"},
		"?before=61&type=a":       {0, "", ""},
		"?type=a&scope=":          {1, "", ""},
		"?type=a":                 {2, "", ""},
		"?type=a&scope=7&user=u":  {1, "", ""},
		"?role=r":                 {1, "", ""},
		"?type=order.late":        {50, "?before=11&type=order.late", ""},
		"?scope=&type=order.late": {50, "?before=11&scope=&type=order.late", ""},
		"?before=-1&q=" + strings.Repeat("long", 100) + "&type=" + strings.Repeat("long", 100): {50, "?before=14", ""},
	} {
		r := o.get("carol", "/staff/subscriptions"+address).wantStatus(t, http.StatusOK)
		if test.next != "" {
			test.next = "/staff/subscriptions" + test.next
		}
		if got := r.attr("a[rel=next]", "href"); got != test.next || r.count("[data-testid=subscription]") != test.rows {
			t.Errorf("%s: %d, and then %q", address, r.count("[data-testid=subscription]"), got)
		}
		if got := r.attr(".pager a:not([rel])", "href"); got != test.first && test.rows > 0 {
			t.Errorf("%s: the first page is %q", address, got)
		}
	}
}

// A scope belongs to a type. Without a type, the list ignores the scope and must not show it as a filter.
func TestAScopeWithoutATypeIsNoFilter(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveSubscriptions(subscription(0, "a", "7", "bob", ""), subscription(0, "a", "8", "bob", ""))
	for _, address := range []string{"?scope=7", "?scope=7&type="} {
		r := o.get("carol", "/staff/subscriptions"+address).wantStatus(t, http.StatusOK)
		if r.count("[data-testid=subscription]") != 2 || strings.Contains(r.text("[data-testid=only]"), "Only for") {
			t.Errorf("%s lists %d, as %q", address, r.count("[data-testid=subscription]"), r.text("[data-testid=only]"))
		}
	}
}

func TestSubscriptionShowsSubscriberAndTopic(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveTypes(notifier.NoticeType{Slug: "rep_notice", Names: map[string]string{"en": "Replenishment <b>"}})
	o.haveMembers("picker")
	if _, err := o.people.Provided(t.Context(), notifier.ProxiedUser{Name: "al <b> ice", Audience: 2, Display: new("Alice")}); err != nil {
		t.Fatal(err)
	}
	o.haveSubscriptions(subscription(1, "like", "", "al <b> ice", ""), subscription(2, "rep_notice", "119240", "", "picker"))
	r := o.get("carol", "/staff/subscriptions")
	var rows []string
	for _, row := range r.page.Find("[data-testid=subscription]").EachIter() {
		rows = append(rows, strings.Join(strings.Fields(row.Text()), " "))
	}
	want := []string{"Replenishment <b> rep_notice119240group pickerToday 12:00 Remove", "like al <b> ice · AliceToday 12:00 Remove"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	only := o.get("carol", "/staff/subscriptions?type=rep_notice&scope=")
	only.wantText(t, "[data-testid=only]", "Category: Replenishment <b> Only for: everyone Show all")
	if got := r.attr("[data-testid=subscription] td:nth-child(3) a", "href"); got != "/staff/roles/picker" {
		t.Errorf("the role links to %q", got)
	}
	if got := r.attr("[data-testid=subscription] button", "aria-label"); got != "Remove: group picker, Replenishment <b> · 119240" {
		t.Errorf("the button is named %q", got)
	}
	if only.attr("#type", "value") != "rep_notice" || only.count(".search input[name=type][value=rep_notice]") != 1 || only.count(".search input[name=scope]") != 1 {
		t.Error("the search and the form do not have the filters of the list")
	}
}

func TestSubscriptionIsAddedRemovedAndRestored(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("picker")
	const list = "/staff/subscriptions"
	o.post("carol", list, "action", "add", "type", " order.late ", "scope", "", "user", "bob").wantRedirect(t, list+"?done=subscribed")
	o.post("carol", list, "type", "order.late", "scope", "119240", "role", "picker", "back", list+"?type=order.late&done=x").wantRedirect(t, list+"?done=subscribed&type=order.late")
	all := []notifier.Subscription{subscription(2, "order.late", "119240", "", "picker"), subscription(1, "order.late", "", "bob", "")}
	if diff := cmp.Diff(all, o.allSubscriptions()); diff != "" {
		t.Fatal(diff)
	}
	r := o.get("carol", list+"?q=late")
	r.page.Find("[data-testid=subscription]").First().Remove()
	o.submit("carol", r, "[data-testid=subscription] form").wantRedirect(t, list+"?done=unsubscribed&q=late")
	r = o.get("carol", list+"?done=unsubscribed&q=late")
	r.wantText(t, "[data-testid=done] p", "bob no longer follows order.late.")
	o.submit("carol", r, "#done form").wantRedirect(t, list+"?done=subscribed&q=late")
	if all := o.allSubscriptions(); len(all) != 2 {
		t.Errorf("the subscriptions are %v", all)
	}
	// Removing it again succeeds and is not audited.
	o.post("carol", list, "action", "remove", "type", "like", "user", "bob").wantRedirect(t, list+"?done=unsubscribed")
	want := []string{
		"carol subscription.add bob order.late:", "carol subscription.add role picker order.late:119240",
		"carol subscription.remove bob order.late:", "carol subscription.add bob order.late:",
	}
	if diff := cmp.Diff(want, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidSubscriptionKeepsItsText(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveMembers("picker")
	for _, test := range []struct {
		fields []string
		faults map[string]string
	}{
		{nil, map[string]string{"type": "Required.", "user": "Required."}},
		{[]string{"type", "Not <a> type", "scope", "a b", "user", "bob", "role", "picker"}, map[string]string{
			"type":  "Use only lower-case letters, digits and . _ - (at most 63), starting with a letter or digit.",
			"scope": "Use only letters, digits and . _ - (at most 64).", "user": "Enter a person or a group, not both.",
		}},
		{[]string{"type", "like", "user", "nobody"}, map[string]string{"user": "Unknown user: nobody."}},
	} {
		r := o.post("carol", "/staff/subscriptions", append(test.fields, "back", "/staff/subscriptions?q=kept")...).wantStatus(t, http.StatusUnprocessableEntity)
		for _, field := range []string{"type", "scope", "user", "role"} {
			if got := r.text("#" + field + "-fault"); got != test.faults[field] {
				t.Errorf("%v: the error of %s is %q, want %q", test.fields, field, got, test.faults[field])
			}
		}
		for i := 0; i+1 < len(test.fields); i += 2 {
			if got := r.attr("input#"+test.fields[i]+", #"+test.fields[i]+" [selected]", "value"); got != test.fields[i+1] {
				t.Errorf("%s is %q, typed was %q", test.fields[i], got, test.fields[i+1])
			}
		}
		if r.count(".adding[open]") != 1 || r.count("[autofocus]") != 1 || r.attr("#q", "value") != "kept" {
			t.Errorf("%v: the form is closed, or the list has changed:\n%s", test.fields, r.text("main"))
		}
	}
	if len(o.allSubscriptions()) != 0 || len(o.done()) != 0 {
		t.Errorf("audit log: %v", o.done())
	}
}

func TestActionReturnsOnlyToItsOwnList(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, back := range []string{"https://evil.example/staff/subscriptions", "//evil.example/staff/subscriptions", "/inbox?q=x", "javascript:x", "%zz", "/staff/subscriptions/../../inbox"} {
		o.post("carol", "/staff/subscriptions", "type", "like", "user", "bob", "back", back).wantRedirect(t, "/staff/subscriptions?done=subscribed")
	}
}
