package handlers_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// knownTypes has a type of each kind: plain, open, not mutable, and both open and not mutable.
var knownTypes = []notifier.NoticeType{
	{Slug: "like"},
	{Slug: "news", Names: map[string]string{"en": "News", "ja": "ニュース"}, Open: true},
	{Slug: "recall", Names: map[string]string{"en": "Recall"}, NoMute: true},
	{Slug: "rep_notice", Names: map[string]string{"en": "Restocking", "ja": "補充"}, NoMute: true, Open: true},
}

func topic(typ, scope string) notifier.Topic { return notifier.Topic{Type: typ, Scope: scope} }

// subscriberWorld has alice, a picker, with subscriptions of her own and through her role.
func subscriberWorld(t *testing.T) *world {
	t.Helper()
	c := newChooser(t, notifier.Settings{})
	c.haveTypes(knownTypes...)
	c.haveMembers("night", "alice")
	c.haveMembers("picker", "alice")
	c.haveSubscriptions(
		subscription(1, "rep_notice", "119241", "", "picker"), subscription(2, "like", "b", "alice", ""), subscription(3, "recall", "", "alice", ""),
		subscription(4, "rep_notice", "119240", "alice", ""), subscription(5, "like", "of.others", "bob", ""),
	)
	return c
}

// subscribed lists alice's topics, newest first.
func (d *databases) subscribed() []string {
	d.t.Helper()
	found, err := d.db.Subscriptions(d.t.Context(), notifier.SubscriptionQuery{User: "alice", Limit: notifier.MaxSubscriptions})
	if err != nil {
		d.t.Fatal(err)
	}
	var topics []string
	for _, s := range found {
		topics = append(topics, s.Type+"/"+s.Scope)
	}
	return topics
}

func TestSettingsListSubscriptionsAndTheOnesTheUserCanEnd(t *testing.T) {
	t.Parallel()
	c := subscriberWorld(t)
	for lang, want := range map[string][]string{
		"en": {
			"Restocking (119240) | Unfollow Restocking (119240) rep_notice 119240 0", "Recall Managed by staff |",
			"like (b) | Unfollow like (b) like b 0", "Restocking (119241) Through the group picker |",
		},
		"ja": {
			"補充（119240） | 「補充（119240）」のフォローを解除 rep_notice 119240 0", "Recall スタッフが管理 |",
			"like（b） | 「like（b）」のフォローを解除 like b 0", "補充（119241） グループ「picker」として |",
		},
	} {
		r := c.get("alice", "/settings", "Accept-Language", lang).wantStatus(t, http.StatusOK)
		var got []string
		for _, li := range r.page.Find("[data-testid=subscriptions] li").EachIter() {
			parts := []string{strings.TrimSpace(li.Find("span:first-of-type").Text() + " " + li.Find(".hint").Text()), "|"}
			if form := li.Find("form[method=post][action='/settings/subscriptions']"); form.Length() == 1 {
				parts = append(parts, form.Find("button").AttrOr("aria-label", ""), form.Find("[name=type]").AttrOr("value", ""),
					form.Find("[name=scope]").AttrOr("value", ""), form.Find("[name=subscribed]").AttrOr("value", ""))
			}
			got = append(got, strings.Join(parts, " "))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", lang, diff)
		}
	}
	r := c.get("alice", "/settings")
	r.wantText(t, "#topic-type", "NewsRestocking")
	if r.attr("#topic-type option", "value") != "news" || r.attr("#subscribe [name=subscribed]", "value") != "1" || r.count("#subscribe [name=scope]") != 1 {
		t.Errorf("the form offers %q", r.text("#subscribe"))
	}
}

func TestUserSubscribesAndUnsubscribes(t *testing.T) {
	t.Parallel()
	c := subscriberWorld(t)
	c.post("alice", "/settings/subscriptions", "type", " news ", "scope", "", "subscribed", "1").wantRedirect(t, "/settings?done=you-subscribe")
	c.post("alice", "/settings/subscriptions", "type", "rep_notice", "scope", "119240", "subscribed", "0", "page_user", "alice").
		wantRedirect(t, "/settings?done=you-unsubscribe")
	if diff := cmp.Diff([]string{"news/", "recall/", "like/b"}, c.subscribed()); diff != "" {
		t.Error(diff)
	}
	c.get("alice", "/settings?done=you-subscribe").wantText(t, "[data-testid=done] p", "Followed. You'll get what comes from now on.")
	c.get("alice", "/settings?done=you-unsubscribe").wantText(t, "[data-testid=done] p", "Unfollowed.")
}

func TestFailedSubscriptionIsExplainedBesideItsField(t *testing.T) {
	t.Parallel()
	c := subscriberWorld(t)
	for n := range notifier.MaxSubscriptions - 3 {
		c.haveSubscriptions(subscription(0, "like", strconv.Itoa(n), "alice", ""))
	}
	before := c.subscribed()
	for _, test := range []struct {
		form     string
		at, says string
	}{
		{"type=rep_notice&scope=aisle+7&subscribed=1", "#topic-scope-fault", "Use only letters, digits and . _ - (at most 64)."},
		{"type=rep_notice&scope=x&subscribed=1", "#topic-type-fault", "At most 200 can be followed. Unfollow another first."},
		{"type=like&scope=x&subscribed=1", "#topic-type-fault", "You can't follow this category yourself."},
		{"type=recall&scope=&subscribed=0", "[data-testid=subscribe-fault]", "Staff manage this, so it can't be ended here."},
		{"type=news&scope=x&subscribed=2", "[data-testid=subscribe-fault]", "Choose on or off."},
		{"type=news&scope=x", "[data-testid=subscribe-fault]", "Choose on or off."},
		{"type=news&type=like&scope=x&subscribed=1", "[data-testid=subscribe-fault]", "The form is invalid: a field is unknown or was sent twice."},
		{"type=news&scope=x&subscribed=1&user=bob", "[data-testid=subscribe-fault]", "The form is invalid: a field is unknown or was sent twice."},
	} {
		r := c.postBody("alice", "/settings/subscriptions", test.form).wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, test.at, test.says)
		if n := r.count(".fault") + r.count("[data-testid=subscribe-fault]"); n != 1 {
			t.Errorf("%s: %d faults", test.form, n)
		}
	}
	if diff := cmp.Diff(before, c.subscribed()); diff != "" {
		t.Error(diff)
	}
	r := c.post("alice", "/settings/subscriptions", "type", "rep_notice", "scope", "aisle 7", "subscribed", "1")
	if r.attr("#topic-scope", "value") != "aisle 7" || r.attr("#topic-type option[selected]", "value") != "rep_notice" {
		t.Error("the typed text is lost")
	}
}

func TestSubscribingFailsWithTheUsualErrorPages(t *testing.T) {
	t.Parallel()
	c := subscriberWorld(t)
	before := c.subscribed()
	c.postBody("alice", "/settings/subscriptions", "type=news&subscribed=1", "Origin", "https://evil.example").wantStatus(t, http.StatusForbidden)
	c.get("alice", "/settings/subscriptions").wantStatus(t, http.StatusMethodNotAllowed)
	c.post("alice", "/settings/subscriptions", "type", "news", "subscribed", "1", "page_user", "bob").wantStatus(t, http.StatusConflict)
	if diff := cmp.Diff(before, c.subscribed()); diff != "" {
		t.Error(diff)
	}
	c.closeSQL()
	c.post("alice", "/settings/subscriptions", "type", "news", "subscribed", "1").wantStatus(t, http.StatusServiceUnavailable)
	newWorld(t, nil).post("", "/settings/subscriptions", "type", "news", "subscribed", "1").wantRedirect(t, "/login?next=%2Finbox")
}

func TestSettingsSayWhenThereAreMoreSubscriptionsThanListed(t *testing.T) {
	t.Parallel()
	c := newChooser(t, notifier.Settings{})
	c.haveMembers("night", "alice")
	c.haveMembers("picker", "alice")
	for n := range 51 {
		c.haveSubscriptions(subscription(0, "like", strconv.Itoa(n), "", "night"), subscription(0, "like", strconv.Itoa(n), "", "picker"))
	}
	r := c.get("alice", "/settings").wantStatus(t, http.StatusOK)
	if n := r.count("[data-testid=subscriptions] li"); n != 100 || !strings.Contains(r.text("[data-testid=subscriptions]"), "Only the first ones are shown.") {
		t.Errorf("%d are listed, and the note is %q", n, r.text("[data-testid=subscriptions] .below"))
	}
}
