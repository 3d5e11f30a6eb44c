package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

var topicForm = []string{"target", "topic", "to", "", "type", " rep_notice ", "scope", " 119240", "subject", "bin:7", "title", "Hello", "expires_in", ""}

// topicWorld has 3 subscribers to every topic.
func topicWorld(t *testing.T, sent *[]notifier.Draft) *world {
	t.Helper()
	w := sendWorld(t, 3, sent)
	w.haveTypes([]notifier.NoticeType{
		{Slug: "news", Names: map[string]string{"en": "News", "ja": "ニュース"}},
		{Slug: "rep_notice", Names: map[string]string{"en": "Restocking of shelves"}, ExpiresIn: 48 * time.Hour},
		{Slug: "shelf_notice"},
	}...)
	return w
}

func TestNoticeIsSentToATopicByTypeAndScope(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := topicWorld(t, &sent)
	w.post("carol", "/staff/send", topicForm...).wantRedirect(t, "/staff/notices/42")
	w.post("carol", "/staff/send", with(with(topicForm, "to", "what was typed for a role"), "scope", "")...).wantRedirect(t, "/staff/notices/42")
	var targets []notifier.Target
	for _, d := range sent {
		targets = append(targets, d.Target)
	}
	want := []notifier.Target{{Topic: topic("rep_notice", "119240")}, {Topic: topic("rep_notice", "")}}
	if diff := cmp.Diff(want, targets); diff != "" {
		t.Error(diff)
	}
	for _, headers := range [][]string{nil, {"HX-Request", "true"}} {
		r := w.postAs(headers, "/staff/send", append(append([]string{}, topicForm...), "preview", "1")...).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=recipients]", "3 people will get it.")
		r.wantText(t, "#preview .meta .why", "Restocking of shelves (119240)")
		r.wantText(t, "#expires_in-hint", "Leaves inboxes on 22 November 2026, 12:00 UTC.")
	}
}

func TestTopicWithoutSubscribersIsPointedOut(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := topicWorld(t, &sent)
	w.sender.count = func(notifier.Draft) (int64, error) { return 0, nil }
	for _, headers := range [][]string{nil, {"HX-Request", "true"}} {
		r := w.postAs(headers, "/staff/send", append(append([]string{}, topicForm...), "preview", "1")...).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=recipients]", "0 people will get it: nobody follows this category here.")
	}
	w.post("carol", "/staff/send", topicForm...).wantRedirect(t, "/staff/notices/42") // accepted all the same
	r := w.post("carol", "/staff/send", with(goodForm, "preview", "1")...)
	r.wantText(t, "[data-testid=recipients]", "0 people will get it.")
}

func TestTopicErrorsAreBesideTypeAndScope(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := topicWorld(t, &sent)
	for _, test := range []struct {
		typ, scope string
		want       []string
	}{
		{"", "", []string{"type"}},
		{"", "119240", []string{"type"}},
		{"Big Type", "119240", []string{"type"}},
		{"rep_notice", "aisle 7", []string{"scope"}},
		{"Big Type", "aisle 7", []string{"type", "scope"}},
	} {
		fields := with(with(topicForm, "type", test.typ), "scope", test.scope)
		for _, headers := range [][]string{nil, {"HX-Request", "true"}} {
			if headers != nil {
				fields = with(fields, "preview", "1")
			}
			r := w.postAs(headers, "/staff/send", fields...)
			var got []string
			for _, p := range r.page.Find(".fault").EachIter() {
				got = append(got, p.AttrOr("data-field", ""))
			}
			if diff := cmp.Diff(test.want, got); diff != "" || r.count("[data-testid=recipients]") != 0 {
				t.Errorf("%q %q: %s", test.typ, test.scope, diff)
			}
			if headers == nil && (r.StatusCode != http.StatusUnprocessableEntity || r.count("[data-testid=faults] li") != len(test.want) ||
				r.attr("[name=target][checked]", "value") != "topic" || r.attr("#scope", "value") != test.scope) {
				t.Errorf("%q %q: status %d, and the form has %q", test.typ, test.scope, r.StatusCode, r.attr("#scope", "value"))
			}
		}
	}
	if len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestTopicFormIsFilledInFromTheQueryAndSuggestsTypes(t *testing.T) {
	t.Parallel()
	w := topicWorld(t, &[]notifier.Draft{})
	r := w.get("carol", "/staff/send?target=topic&type=rep_notice&scope=119240").wantStatus(t, http.StatusOK)
	if r.attr("[name=target][checked]", "value") != "topic" || r.attr("#type", "value") != "rep_notice" || r.attr("#scope", "value") != "119240" {
		t.Errorf("the form has %q %q %q", r.attr("[name=target][checked]", "value"), r.attr("#type", "value"), r.attr("#scope", "value"))
	}
	r.wantText(t, "[data-testid=type]", "news Newsrep_notice Restocking of shelvesshelf_notice")
	r.wantText(t, "#expires_in-hint", "Leaves inboxes on 22 November 2026, 12:00 UTC.")
}

func TestTypesAreSuggestedWhileTyping(t *testing.T) {
	t.Parallel()
	w := topicWorld(t, &[]notifier.Draft{})
	for query, want := range map[string]string{
		"shel":  `{"names":[{"name":"shelf_notice","note":"shelf_notice","label":"Shelf notice","initials":"SN","tint":"amber"},{"name":"rep_notice","note":"rep_notice","label":"Restocking of shelves","icon":"package","tint":"teal"}]}`,
		"NEWS":  `{"names":[{"name":"news","note":"news","label":"News","icon":"megaphone","tint":"purple"}]}`,
		"zebra": `{"names":[]}`,
		"":      `{"names":[{"name":"news","note":"news","label":"News","icon":"megaphone","tint":"purple"},{"name":"rep_notice","note":"rep_notice","label":"Restocking of shelves","icon":"package","tint":"teal"},{"name":"shelf_notice","note":"shelf_notice","label":"Shelf notice","initials":"SN","tint":"amber"}]}`,
	} {
		if diff := cmp.Diff(want+"\n", w.get("carol", "/staff/names?target=type&q="+query).wantStatus(t, http.StatusOK).body); diff != "" {
			t.Errorf("%q: %s", query, diff)
		}
	}
	newWorld(t, nil).get("carol", "/staff/names?target=type&q=a").wantStatus(t, http.StatusOK)
	w.get("alice", "/staff/names?target=type&q=a").wantStatus(t, http.StatusNotFound)
}

func TestNoticeToATopicIsListedByTheTopicsName(t *testing.T) {
	t.Parallel()
	n := notice(5, notifier.StateSent)
	n.Target, n.Type = notifier.Target{Topic: topic("rep_notice", "119240")}, "rep_notice"
	w := topicWorld(t, &[]notifier.Draft{})
	w.sent.notices = func(notifier.NoticeQuery) ([]notifier.Notice, error) { return []notifier.Notice{n}, nil }
	w.sender.progress = func(int64) (notifier.Progress, error) { return notifier.Progress{Notice: n}, nil }
	if got := w.get("carol", "/staff/notices").text("tbody"); !strings.Contains(got, "To followers of Restocking of shelves (119240) · by carol") {
		t.Errorf("the list says %q", got)
	}
	if got := w.get("carol", "/staff/notices/5").text(".facts"); !strings.Contains(got, "Restocking of shelves (rep_notice)") {
		t.Errorf("its page says %q", got)
	}
}
