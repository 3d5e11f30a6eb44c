package notifier_test

import (
	"errors"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestAQuestionNeedsAsManyPeopleAsAnswersAndCollectsThoseOfTenThousand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		needs      int
		recipients int64
		code       string
	}{
		{1, 0, notifier.CodeFewPeople},
		{1, 1, ""},
		{2, 1, notifier.CodeFewPeople},
		{2, 1_000_000, ""},
		{0, 0, notifier.CodeFewPeople},
		{0, 10_000, ""},
		{0, 10_001, notifier.CodeManyPeople},
	} {
		var d notifier.Draft
		d.Extras.Ask = &notifier.Ask{Rule: notifier.AskRule{Needs: c.needs}}
		err := d.CheckPeople(c.recipients)
		bad := (*notifier.InvalidError)(nil)
		if errors.As(err, &bad) != (c.code != "") || bad != nil && (bad.Fields[0].Field != "answers" || bad.Fields[0].Code != c.code) {
			t.Errorf("%d answers of %d people: %v, want %q", c.needs, c.recipients, err, c.code)
		}
	}
}
