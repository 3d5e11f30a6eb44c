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

func TestASingleRoleIsSpelledInOneWay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		target, want notifier.Target
		code         string
	}{
		{notifier.Target{Roles: []string{"a", "a"}}, notifier.Target{Role: "a"}, ""},
		{notifier.Target{Roles: []string{"b", "a", "b"}}, notifier.Target{Roles: []string{"b", "a"}}, ""},
		{notifier.Target{Role: "a", Roles: []string{"b"}}, notifier.Target{Role: "a", Roles: []string{"b"}}, notifier.CodeOneTarget},
		{notifier.Target{Roles: []string{"a", ""}}, notifier.Target{Roles: []string{"a", ""}}, notifier.CodeBadName},
		{notifier.Target{Users: []string{"x"}, Roles: []string{"a", "b"}}, notifier.Target{Users: []string{"x"}, Roles: []string{"a", "b"}}, notifier.CodeOneTarget},
	} {
		d := notifier.Draft{Type: "like", Title: "A title", Target: tt.target}
		err := d.Validate(notifier.Limits{})
		var bad *notifier.InvalidError
		if (err != nil) != (tt.code != "") || errors.As(err, &bad) && bad.Fields[0].Code != tt.code || fmt.Sprint(d.Target) != fmt.Sprint(tt.want) {
			t.Errorf("%+v: %+v, %v", tt.target, d.Target, err)
		}
	}
	var many []string
	for i := range notifier.MaxTargetRoles + 1 {
		many = append(many, fmt.Sprint("r", i))
	}
	d := notifier.Draft{Type: "like", Title: "A title", Target: notifier.Target{Roles: many}}
	var bad *notifier.InvalidError
	if err := d.Validate(notifier.Limits{}); !errors.As(err, &bad) || bad.Fields[0].Code != notifier.CodeTooManyRoles {
		t.Errorf("one role too many: %v", err)
	}
}
