package handlers_test

import (
	"net/http"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// The world's clock stands at 12:00 UTC on Friday, 20 November 2026: 21:00 in Tokyo.
func TestMenuSendsLaterAndTheButtonSaysWhen(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	for _, test := range []struct {
		name, target, choice string
		fields, headers      []string
		field, value, button string
	}{
		{"today", "user", "today", nil, nil, "#send_at", "2026-11-20T17:00", "Schedule for 17:00"},
		{"tomorrow", "user", "tomorrow", nil, inTokyo, "#send_at", "2026-11-21T09:00", "Schedule for 21 Nov, 09:00"},
		{"monday", "user", "monday", nil, inTokyo, "#send_at", "2026-11-23T09:00", "Schedule for 23 Nov, 09:00"},
		{"an announcement has one start", "audience", "tomorrow", nil, inTokyo, "#starts_at", "2026-11-21T09:00", "Schedule for 21 Nov, 09:00"},
		{"another time", "user", "pick", nil, nil, "#send_at", "", "Send"},
		{"another time instead of one", "user", "pick", []string{"send_at", "2026-11-24T08:00"}, nil, "#send_at", "2026-11-24T08:00", "Schedule for 24 Nov, 08:00"},
		{"now after all", "user", "now", []string{"send_at", "2026-11-24T08:00"}, nil, "#send_at", "", "Send"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fields := append([]string{"target", test.target, "to", "bob", "title", "Hello", "later", test.choice}, test.fields...)
			r := w.postAs(test.headers, "/staff/send", fields...).wantStatus(t, http.StatusOK)
			if got := r.attr(test.field, "value"); got != test.value || r.attr("#title", "value") != "Hello" {
				t.Errorf("%s has %q, the title %q", test.field, got, r.attr("#title", "value"))
			}
			r.wantText(t, "#send-label", test.button)
			if focus := r.count(test.field + "[autofocus]"); (focus == 1) != (test.choice != "now") {
				t.Errorf("%d fields of the time have the focus", focus)
			}
		})
	}
	if r := w.get("carol", "/staff/send", inTokyo...); r.count("[name=later][value=today]") != 0 || r.count("[name=later][value=tomorrow]") != 1 {
		t.Error("at nine in the evening the form offers to send later today, or not tomorrow")
	}
	for _, choice := range []string{"yesterday", "1h"} {
		w.post("carol", "/staff/send", "target", "user", "to", "bob", "title", "Hello", "later", choice).wantStatus(t, http.StatusUnprocessableEntity)
	}
	if len(sent) > 0 {
		t.Errorf("choosing a time sent %v", sent)
	}
}

func TestButtonSaysHowManyPeopleGetIt(t *testing.T) {
	t.Parallel()
	w := peopleWorld(t)
	w.live(nil, goodForm...).wantText(t, "#send-label", "Send to 2 people")
	w.live(nil, "target", "user").wantText(t, "#send-label", "Send")
	w.live(inTokyo, with(goodForm, "send_at", "2026-11-24T08:00")...).wantText(t, "#send-label", "Schedule for 24 Nov, 08:00")
}

// An announcement that a person sends is confirmed with where it shows; a program's form is not.
func TestEveryAnnouncementFromTheFormIsConfirmed(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 3, &sent)
	form := append(audienceForm[:len(audienceForm):len(audienceForm)], "asks", "1")
	r := w.post("carol", "/staff/send", append(with(form, "body", "See [the plan](https://example.com/a) and ![it](https://example.com/b.png)."), "pinned", "1")...).wantStatus(t, http.StatusUnprocessableEntity)
	for n, want := range []string{
		"This announcement goes to 3 people.", "Starts at once and ends on 4 December 2026, 12:00 UTC.",
		"It appears under Announcements and as a banner on every page until it's read.",
		"1 link will not work (not allowed: example.com).", "1 picture will not be shown, only its description (not allowed: example.com).",
	} {
		if got := r.texts("[data-testid=confirm] p"); len(got) <= n || got[n] != want {
			t.Errorf("line %d of the question is %q, want %q", n, got, want)
		}
	}
	r.wantText(t, "[data-testid=confirm] button", "Send to 3 people")
	if len(sent) > 0 {
		t.Fatalf("it was sent without being confirmed: %v", sent)
	}
	later := w.post("carol", "/staff/send", append(form, "starts_at", "2026-12-01T09:00")...).wantStatus(t, http.StatusUnprocessableEntity)
	later.wantText(t, "[data-testid=confirm] button", "Schedule for 1 Dec, 09:00")
	w.post("carol", "/staff/send", append(form, "confirm", "3")...).wantRedirect(t, "/staff/notices/42")
	w.post("carol", "/staff/send", audienceForm...).wantRedirect(t, "/staff/notices/42")
	if len(sent) != 2 || sent[0].ExpiresIn != sent[1].ExpiresIn || sent[0].ExpiresIn.Hours() != 14*24 {
		t.Errorf("sent %v: want two that are open for 14 days", sent)
	}
}

func TestFormNamesWhatAnAnnouncementLoses(t *testing.T) {
	t.Parallel()
	w := sendWorld(t, 1, &[]notifier.Draft{})
	body := "[a](https://evil.example/) [b](https://evil.example/b) [c](javascript:alert(1)) [d](/fine) <https://other.example/>"
	r := w.live(nil, with(audienceForm, "body", body)...)
	r.wantText(t, "#body-lost", "4 links will not work (not allowed: evil.example, javascript:alert(1), other.example).")
	if lost := w.live(nil, with(goodForm, "body", body)...).text("#body-lost"); lost != "" {
		t.Errorf("a notification, which has no markup, is said to lose %q", lost)
	}
}

func TestFreshAnnouncementIsForLateJoinersAndAnEditBeginsInTheTitle(t *testing.T) {
	t.Parallel()
	w := sendWorld(t, 1, &[]notifier.Draft{})
	if w.get("carol", "/staff/send?target=audience").count("#late_joiners[checked]") != 1 {
		t.Error("people who join later would not see an announcement")
	}
	if w.post("carol", "/staff/send", append(audienceForm[:len(audienceForm):len(audienceForm)], "preview", "1")...).count("#late_joiners[checked]") != 0 {
		t.Error("the box that the sender has unticked is ticked")
	}
	var asked []edited
	if editWorld(t, &asked).get("carol", "/staff/notices/5/edit").count("#title[autofocus]") != 1 {
		t.Error("an edit does not begin in the title")
	}
}
