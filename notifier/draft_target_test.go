package notifier_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestANoticeCanNameMaxNamesUsersAndNoMore(t *testing.T) {
	t.Parallel()
	names := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "u%d,", i)
		}
		return b.String()
	}
	fault := func(text string) error {
		d := notifier.Draft{Type: "like", Title: "A title", Target: notifier.Target{Users: readNames(text)}}
		return d.Validate(notifier.Limits{})
	}
	if err := fault(names(notifier.MaxNames) + names(notifier.MaxNames)); err != nil {
		t.Errorf("the allowed number of names, each twice: %v", err)
	}
	var bad *notifier.InvalidError
	if err := fault(names(notifier.MaxNames + 1)); !errors.As(err, &bad) || bad.Fields[0].Field != "to" || bad.Fields[0].Code != notifier.CodeTooManyNames {
		t.Errorf("one too many: %v", err)
	}
	if n := len(readNames(names(100_000))); n != notifier.MaxNames+1 {
		t.Errorf("%d names were read, want at most one more than the limit", n)
	}
}
