package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestLinesOfChoicesMakeANoticeAQuestion(t *testing.T) {
	t.Parallel()
	for lines, want := range map[string][]notifier.ChoiceID{
		" \r\n\n":                       nil,
		" Approve \r\n\r\nNot yet!\r\n": {"approve", "not-yet"},
		"はい\nいいえ\n2 weeks":              {"choice-1", "choice-2", "2-weeks"},
		"Yes!\nYes?":                    {"yes", "yes-2"},
	} {
		var sent []notifier.Draft
		w := sendWorld(t, 2, &sent)
		w.post("carol", "/staff/send", with(goodForm, "choices", lines)...).wantRedirect(t, "/staff/notices/42")
		var got []notifier.ChoiceID
		if ask := sent[0].Extras.Ask; ask != nil {
			for _, c := range ask.Choices {
				got = append(got, c.ID)
			}
			if ask.Rule.Needs != 1 || ask.Choices[0].Style != notifier.StylePrimary || ask.Choices[1].Comment != notifier.CommentOptional {
				t.Errorf("%q: %+v", lines, ask)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", lines, diff)
		}
	}
}

func TestFaultsOfChoicesAreBesideTheirField(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	for lines, want := range map[string]string{
		"Yes":                                "2",
		"a\nb\nc\nd\ne":                      "4",
		"Yes\n" + strings.Repeat("a", 25):    "24",
		"<b>one</b>\n" + "Yes\nYes\nYes\nNo": "",
	} {
		r := w.post("carol", "/staff/send", with(goodForm, "choices", lines)...).wantStatus(t, http.StatusUnprocessableEntity)
		if fault := r.text("#choices-fault"); fault == "" || !strings.Contains(fault, want) || r.text("#choices") != strings.ReplaceAll(lines, "\n", " ") {
			t.Errorf("%q: the fault is %q, the field %q", lines, fault, r.text("#choices"))
		}
	}
	r := w.post("carol", "/staff/send", with(with(goodForm, "choices", "Yes\nNo"), "preview", "1")...).wantStatus(t, http.StatusOK)
	if r.count("[data-testid=card] .calls span.primary") != 1 || r.count("[data-testid=card] form") != 0 {
		t.Errorf("the preview:\n%s", r.text("#preview"))
	}
}
