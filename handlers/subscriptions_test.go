package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func subscription(id int64, typ, scope, user, role string) notifier.Subscription {
	return notifier.Subscription{
		ID: id, Topic: notifier.Topic{Type: typ, Scope: scope}, Subscriber: notifier.Subscriber{User: user, Role: role}, CreatedAt: noon.Add(-time.Hour),
	}
}

func TestSubscriptionsAreListedInPages(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for n := range 60 {
		*o.subs = append(*o.subs, subscription(int64(1000-n), "order.late", "", fmt.Sprintf("user%02d", n), ""))
	}
	for address, test := range map[string]struct {
		next, first string
		query       notifier.SubscriptionQuery
	}{
		"":                {"?before=951", "", notifier.SubscriptionQuery{}},
		"?q=+Late+":       {"?before=951&q=Late", "", notifier.SubscriptionQuery{Contains: "Late"}},
		"?before=951&q=x": {"?before=951&q=x", "/staff/subscriptions?q=x", notifier.SubscriptionQuery{Contains: "x", Before: 951}},
		"?type=a&scope=":  {"?before=951&scope=&type=a", "", notifier.SubscriptionQuery{Type: "a", ByScope: true}},
		"?scope=7&user=u": {"?before=951&scope=7&user=u", "", notifier.SubscriptionQuery{Scope: "7", ByScope: true, User: "u"}},
		"?role=r":         {"?before=951&role=r", "", notifier.SubscriptionQuery{Role: "r"}},
		"?before=-1&q=" + strings.Repeat("long", 100) + "&type=" + strings.Repeat("long", 100): {"?before=951", "", notifier.SubscriptionQuery{}},
	} {
		*o.asked = nil
		r := o.get("carol", "/staff/subscriptions"+address).wantStatus(t, http.StatusOK)
		test.query.Limit = 51
		if diff := cmp.Diff([]notifier.SubscriptionQuery{test.query}, *o.asked); diff != "" {
			t.Errorf("%s: %s", address, diff)
		}
		if got := r.attr("a[rel=next]", "href"); got != "/staff/subscriptions"+test.next || r.count("[data-testid=subscription]") != 50 {
			t.Errorf("%s: %d, and then %q", address, r.count("[data-testid=subscription]"), got)
		}
		if got := r.attr(".pager a:not([rel])", "href"); got != test.first {
			t.Errorf("%s: the first page is %q", address, got)
		}
	}
}

func TestSubscriptionShowsSubscriberAndTopic(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.topics.types = []notifier.NoticeType{{Slug: "rep_notice", Names: map[string]string{"en": "Replenishment <b>"}}}
	*o.subs = []notifier.Subscription{subscription(2, "rep_notice", "119240", "", "picker"), subscription(1, "like", "", "al <b> ice", "")}
	o.directory.displays = map[string]string{"al <b> ice": "Alice"}
	r := o.get("carol", "/staff/subscriptions?type=rep_notice&scope=")
	var rows []string
	for _, row := range r.page.Find("[data-testid=subscription]").EachIter() {
		rows = append(rows, strings.Join(strings.Fields(row.Text()), " "))
	}
	want := []string{"Replenishment <b> rep_notice119240role pickerToday 11:00 Remove", "like al <b> ice · AliceToday 11:00 Remove"}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	r.wantText(t, "[data-testid=only]", "Type: Replenishment <b> Scope: none Show all")
	if got := r.attr("[data-testid=subscription] td:nth-child(3) a", "href"); got != "/staff/roles/picker" {
		t.Errorf("the role links to %q", got)
	}
	if got := r.attr("[data-testid=subscription] button", "aria-label"); got != "Remove: role picker, Replenishment <b> · 119240" {
		t.Errorf("the button is named %q", got)
	}
	if r.attr("#type", "value") != "rep_notice" || r.count(".search input[name=type][value=rep_notice]") != 1 || r.count(".search input[name=scope]") != 1 {
		t.Error("the search and the form do not have the filters of the list")
	}
}

func TestSubscriptionIsAddedRemovedAndRestored(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	const list = "/staff/subscriptions"
	o.post("carol", list, "action", "add", "type", " order.late ", "scope", "", "user", "bob").wantRedirect(t, list+"?done=subscribed")
	o.post("carol", list, "type", "order.late", "scope", "119240", "role", "picker", "back", list+"?type=order.late&done=x").wantRedirect(t, list+"?done=subscribed&type=order.late")
	all := []notifier.Subscription{subscription(2, "order.late", "119240", "", "picker"), subscription(1, "order.late", "", "bob", "")}
	if diff := cmp.Diff(all, *o.subs); diff != "" {
		t.Fatal(diff)
	}
	r := o.get("carol", list+"?q=late")
	r.page.Find("[data-testid=subscription]").First().Remove()
	o.submit("carol", r, "[data-testid=subscription] form").wantRedirect(t, list+"?done=unsubscribed&q=late")
	r = o.get("carol", list+"?done=unsubscribed&q=late")
	r.wantText(t, "[data-testid=done] p", "bob is no longer subscribed to order.late.")
	o.submit("carol", r, "#done form").wantRedirect(t, list+"?done=subscribed&q=late")
	if len(*o.subs) != 2 {
		t.Errorf("the subscriptions are %v", *o.subs)
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
	for _, test := range []struct {
		fields []string
		faults map[string]string
	}{
		{nil, map[string]string{"type": "Required.", "user": "Required."}},
		{[]string{"type", "Not <a> type", "scope", "a b", "user", "bob", "role", "picker"}, map[string]string{
			"type":  "Use only lower-case letters, digits and . _ - (at most 63), starting with a letter or digit.",
			"scope": "Use only letters, digits and . _ - (at most 64).", "user": "Enter a person or a role, not both.",
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
			if got := r.attr("#"+test.fields[i], "value"); got != test.fields[i+1] {
				t.Errorf("%s is %q, typed was %q", test.fields[i], got, test.fields[i+1])
			}
		}
		if r.count(".adding[open]") != 1 || r.count("[autofocus]") != 1 || r.attr("#q", "value") != "kept" {
			t.Errorf("%v: the form is closed, or the list has changed:\n%s", test.fields, r.text("main"))
		}
	}
	if len(*o.subs) != 0 || len(o.done()) != 0 {
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
