package notifier_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestAToastWithoutAnEntryNeedsOnlyATitleAndHasTheLimitsOfANotice(t *testing.T) {
	t.Parallel()
	to := notifier.Target{Users: []string{"alice"}}
	for name, test := range map[string]struct {
		draft  notifier.Draft
		faults []string // FIELD CODE
	}{
		"only a title":        {notifier.Draft{Target: to, Title: " A "}, nil},
		"all allowed fields":  {notifier.Draft{Target: to, Title: "A", Type: "like", Body: "b", Link: "/x", ExpiresIn: 4 * time.Hour}, nil},
		"to a topic":          {notifier.Draft{Target: notifier.Target{Topic: notifier.Topic{Type: "stock"}}, Title: "A"}, nil},
		"nothing":             {notifier.Draft{}, []string{"to required", "title required"}},
		"audiences":           {notifier.Draft{Target: notifier.Target{Audiences: []notifier.Audience{3}}, Title: "A"}, []string{"to toast_audience"}},
		"a bad type":          {notifier.Draft{Target: to, Title: "A", Type: "Big"}, []string{"type bad_type"}},
		"a bad link":          {notifier.Draft{Target: to, Title: "A", Link: "//evil"}, []string{"link bad_link"}},
		"too long":            {notifier.Draft{Target: to, Title: "A", Body: strings.Repeat("x", 4001)}, []string{"body too_long"}},
		"longer than allowed": {notifier.Draft{Target: to, Title: "A", ExpiresIn: 4*time.Hour + 1}, []string{"expires_in toast_late"}},
		"in the past":         {notifier.Draft{Target: to, Title: "A", ExpiresIn: -1}, []string{"expires_in expires_past"}},
	} {
		err := test.draft.ValidateToast(notifier.Limits{Toast: 4 * time.Hour})
		var got []string
		if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
			for _, f := range bad.Fields {
				got = append(got, f.Field+" "+f.Code)
			}
		}
		if d := cmp.Diff(test.faults, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestAToastWithoutAnEntryLivesOneHourByDefault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ most, said, want time.Duration }{
		{0, 0, time.Hour}, {24 * time.Hour, 0, time.Hour}, {24 * time.Hour, 5 * time.Hour, 5 * time.Hour}, {time.Hour, time.Second, time.Second},
	} {
		d := notifier.Draft{Target: notifier.Target{Role: "picker"}, Title: "A", ExpiresIn: test.said}
		if err := d.ValidateToast(notifier.Limits{Toast: test.most}); err != nil || d.ExpiresIn != test.want {
			t.Errorf("%+v: %v, %v", test, d.ExpiresIn, err)
		}
	}
}

func TestAToastShowsTheBeginningOfALongBody(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, n := range []int{0, 10, 299, 300, 301, 4000} {
		c := notifier.Content{Type: "like", Title: "A", Body: strings.Repeat("字", n), Link: "/x", CreatedAt: at, Reason: "user"}
		whole, err := notifier.EncodeContent(c)
		if err != nil {
			t.Fatal(err)
		}
		var got notifier.Content
		if err := json.Unmarshal(notifier.ToastContent(whole), &got); err != nil {
			t.Fatal(err)
		}
		want := c
		if n > notifier.MaxToastBody {
			want.Body = strings.Repeat("字", notifier.MaxToastBody-1) + "…"
		}
		if d := cmp.Diff(want, got); d != "" || utf8.RuneCountInString(got.Body) > notifier.MaxToastBody {
			t.Errorf("%d characters (-want +got):\n%s", n, d)
		}
	}
	if got := notifier.ToastContent([]byte(strings.Repeat("x", 1000))); len(got) != 1000 {
		t.Error("content that cannot be decoded was changed")
	}
}
