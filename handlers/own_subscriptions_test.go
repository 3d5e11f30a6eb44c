package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// knownTypes has a type of each kind: a plain one, an open one, one that cannot be muted, and one
// that is open and cannot be muted.
var knownTypes = []notifier.NoticeType{
	{Slug: "like"},
	{Slug: "news", Names: map[string]string{"en": "News", "ja": "ニュース"}, Open: true},
	{Slug: "recall", Names: map[string]string{"en": "Recall"}, NoMute: true},
	{Slug: "rep_notice", Names: map[string]string{"en": "Restocking", "ja": "補充"}, NoMute: true, Open: true},
}

func topic(typ, scope string) notifier.Topic { return notifier.Topic{Type: typ, Scope: scope} }

// subscriberWorld has alice, a picker, who subscribes by name and through her role. asked
// collects her requests.
func subscriberWorld(t *testing.T, asked *[]string) (*chooser, *topics) {
	t.Helper()
	known := &topics{types: knownTypes}
	known.self = func(u notifier.User, topic notifier.Topic, on bool) error {
		*asked = append(*asked, fmt.Sprintf("%s %s/%s %v", u.Name, topic.Type, topic.Scope, on))
		return nil
	}
	c := newChooser(t, notifier.Settings{})
	c.alice.Roles = []string{"night", "picker"}
	c.config.Topics = known
	c.config.Subscriptions = subscriptions(func(q notifier.SubscriptionQuery) ([]notifier.Subscription, error) {
		if q.User != "" && q.User != "alice" || q.Limit < 1 {
			t.Errorf("Subscriptions got %+v", q)
		}
		return map[string][]notifier.Subscription{
			"alice": {
				{ID: 4, Topic: topic("rep_notice", "119240")}, {ID: 3, Topic: topic("recall", "")}, {ID: 2, Topic: topic("like", "<b>")},
			},
			"picker": {{ID: 1, Topic: topic("rep_notice", "119241")}},
		}[q.User+q.Role], nil
	})
	c.rebuild()
	return c, known
}

func TestSettingsListSubscriptionsAndTheOnesTheUserCanEnd(t *testing.T) {
	t.Parallel()
	var asked []string
	c, _ := subscriberWorld(t, &asked)
	for lang, want := range map[string][]string{
		"en": {
			"Restocking (119240) | Unsubscribe from Restocking (119240) rep_notice 119240 0", "Recall Managed by staff |",
			"like (<b>) | Unsubscribe from like (<b>) like <b> 0", "Restocking (119241) Through the role picker |",
		},
		"ja": {
			"補充（119240） | 「補充（119240）」の購読を解除 rep_notice 119240 0", "Recall スタッフが管理 |",
			"like（<b>） | 「like（<b>）」の購読を解除 like <b> 0", "補充（119241） ロール「picker」として |",
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
	var asked []string
	c, _ := subscriberWorld(t, &asked)
	c.post("alice", "/settings/subscriptions", "type", " news ", "scope", "", "subscribed", "1").wantRedirect(t, "/settings?done=you-subscribe")
	c.post("alice", "/settings/subscriptions", "type", "rep_notice", "scope", "119240", "subscribed", "0", "page_user", "alice").
		wantRedirect(t, "/settings?done=you-unsubscribe")
	if diff := cmp.Diff([]string{"alice news/ true", "alice rep_notice/119240 false"}, asked); diff != "" {
		t.Error(diff)
	}
	c.get("alice", "/settings?done=you-subscribe").wantText(t, "[data-testid=done] p", "Subscribed. You'll get new notices of this topic.")
	c.get("alice", "/settings?done=you-unsubscribe").wantText(t, "[data-testid=done] p", "Unsubscribed.")
}

func TestFailedSubscriptionIsExplainedBesideItsField(t *testing.T) {
	t.Parallel()
	fault := func(field, code string, params map[string]any) error {
		var bad notifier.InvalidError
		bad.Add(field, code, params)
		return fmt.Errorf("subscribe: %w", &bad)
	}
	forbidden := fmt.Errorf("subscribe: %w", notifier.ErrForbidden)
	var asked []string
	c, known := subscriberWorld(t, &asked)
	for _, test := range []struct {
		form     string
		err      error
		at, says string
		asks     int
	}{
		{"type=rep_notice&scope=aisle+7&subscribed=1", fault("scope", notifier.CodeBadScope, nil), "#topic-scope-fault", "Use only letters, digits and . _ - (at most 64).", 1},
		{"type=rep_notice&scope=x&subscribed=1", fault("type", notifier.CodeTooManySubs, map[string]any{"Max": notifier.MaxSubscriptions}), "#topic-type-fault", "At most 200 topics. Unsubscribe from another first.", 1},
		{"type=like&scope=x&subscribed=1", forbidden, "#topic-type-fault", "You can't subscribe to this type yourself.", 1},
		{"type=recall&scope=&subscribed=0", forbidden, "[data-testid=subscribe-fault]", "This subscription is managed by staff and can't be ended here.", 1},
		{"type=news&scope=x&subscribed=2", nil, "[data-testid=subscribe-fault]", "Choose on or off.", 0},
		{"type=news&scope=x", nil, "[data-testid=subscribe-fault]", "Choose on or off.", 0},
		{"type=news&type=like&scope=x&subscribed=1", nil, "[data-testid=subscribe-fault]", "The form is invalid: a field is unknown or was sent twice.", 0},
		{"type=news&scope=x&subscribed=1&user=bob", nil, "[data-testid=subscribe-fault]", "The form is invalid: a field is unknown or was sent twice.", 0},
	} {
		tries := 0
		known.self = func(notifier.User, notifier.Topic, bool) error { tries++; return test.err }
		r := c.postBody("alice", "/settings/subscriptions", test.form).wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, test.at, test.says)
		if n := r.count(".fault") + r.count("[data-testid=subscribe-fault]"); n != 1 || tries != test.asks {
			t.Errorf("%s: %d faults, tried %d times", test.form, n, tries)
		}
	}
	known.self = func(notifier.User, notifier.Topic, bool) error { return forbidden }
	r := c.post("alice", "/settings/subscriptions", "type", "rep_notice", "scope", "aisle 7", "subscribed", "1")
	if r.attr("#topic-scope", "value") != "aisle 7" || r.attr("#topic-type option[selected]", "value") != "rep_notice" {
		t.Error("the typed text is lost")
	}
}

func TestSubscribingFailsWithTheUsualErrorPages(t *testing.T) {
	t.Parallel()
	var asked []string
	c, known := subscriberWorld(t, &asked)
	c.postBody("alice", "/settings/subscriptions", "type=news&subscribed=1", "Origin", "https://evil.example").wantStatus(t, http.StatusForbidden)
	c.get("alice", "/settings/subscriptions").wantStatus(t, http.StatusMethodNotAllowed)
	c.post("alice", "/settings/subscriptions", "type", "news", "subscribed", "1", "page_user", "bob").wantStatus(t, http.StatusConflict)
	if len(asked) > 0 {
		t.Errorf("SubscribeSelf got %v", asked)
	}
	known.self = func(notifier.User, notifier.Topic, bool) error {
		return fmt.Errorf("secret: %w", notifier.ErrUnavailable)
	}
	c.post("alice", "/settings/subscriptions", "type", "news", "subscribed", "1").wantStatus(t, http.StatusServiceUnavailable)
	newWorld(t, nil).post("", "/settings/subscriptions", "type", "news", "subscribed", "1").wantRedirect(t, "/login?next=%2Finbox")
}

func TestSettingsSayWhenThereAreMoreSubscriptionsThanListed(t *testing.T) {
	t.Parallel()
	var asked []string
	c, _ := subscriberWorld(t, &asked)
	c.config.Subscriptions = subscriptions(func(q notifier.SubscriptionQuery) ([]notifier.Subscription, error) {
		if q.Role == "" {
			return nil, nil
		}
		return make([]notifier.Subscription, min(q.Limit, 51)), nil
	})
	c.rebuild()
	r := c.get("alice", "/settings").wantStatus(t, http.StatusOK)
	if n := r.count("[data-testid=subscriptions] li"); n != 100 || !strings.Contains(r.text("[data-testid=subscriptions]"), "Only the first ones are shown.") {
		t.Errorf("%d are listed, and the note is %q", n, r.text("[data-testid=subscriptions] .below"))
	}
}
