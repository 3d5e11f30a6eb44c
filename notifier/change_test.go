package notifier_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestParseChangeReadsAllEvents(t *testing.T) {
	t.Parallel()
	text := "1700000000001 3\n" +
		`notice 7 like:photo_id:1:user_id:7 {"title":"a b","body":"x\ny"}` + "\n" +
		`changed 8 like:photo_id:3 {"rev":1}` + "\nremoved like:photo_id:2\nread a:b\nunread c:d\nupto 1700000000000"
	want := notifier.Change{Ver: 1700000000001, Unread: 3, Events: []notifier.ChangeEvent{
		{Kind: notifier.ChangeNotice, ID: 7, Key: "like:photo_id:1:user_id:7", JSON: `{"title":"a b","body":"x\ny"}`},
		{Kind: notifier.ChangeEdited, ID: 8, Key: "like:photo_id:3", JSON: `{"rev":1}`},
		{Kind: notifier.ChangeRemoved, Key: "like:photo_id:2"},
		{Kind: notifier.ChangeRead, Key: "a:b"},
		{Kind: notifier.ChangeUnread, Key: "c:d"},
		{Kind: notifier.ChangeUpto, At: 1700000000000},
	}}
	got, err := notifier.ParseChange(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if c, err := notifier.ParseChange("5 0"); err != nil || c.Ver != 5 || c.Events != nil {
		t.Errorf("without events: %+v, %v", c, err)
	}
}

func TestParseChangeRejectsTextThatNoScriptWrites(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "1", "1 ", " 1", "x 1", "1 x", "1 -1", "-1 1", "1 1 1", "1.7e+12 3", "9223372036854775808 1",
		"1 1\n", "1 1\nread", "1 1\nread ", "1 1\nread a b", "1 1\nread a\r", "1 1\n\nread a", "1 1\nbadge a", "1 1\nREAD a",
		"1 1\nupto", "1 1\nupto x", "1 1\nupto 1 2", "1 1\nupto 1e12",
		"1 1\nnotice", "1 1\nnotice 7", "1 1\nnotice 7 k", "1 1\nnotice x k {}", "1 1\nnotice 7  {}", "1 1\nnotice 7 k [1]",
		"1 1\nnotice 7 k {", "1 1\nnotice 7 k {\r}", "1 1\nread a\nnotice 7 k",
	} {
		if c, err := notifier.ParseChange(text); err == nil {
			t.Errorf("%q was parsed as %+v", text, c)
		}
	}
}

// render writes a change in the same form as the scripts.
func render(c notifier.Change) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d", c.Ver, c.Unread)
	for _, e := range c.Events {
		b.WriteString("\n" + e.Kind)
		switch e.Kind {
		case notifier.ChangeNotice:
			fmt.Fprintf(&b, " %d %s %s", e.ID, e.Key, e.JSON)
		case notifier.ChangeUpto:
			fmt.Fprintf(&b, " %d", e.At)
		default:
			b.WriteString(" " + e.Key)
		}
	}
	return b.String()
}

func FuzzAChangeThatIsBelievedHoldsNothingThatForgesALine(f *testing.F) {
	for _, s := range []string{"5 0", "5 1\nnotice 7 a:b {\"x\":1}\nread c\nunread d\nupto 3\nremoved e", "5 1\nread a\r", "1 1\nnotice +7 k {}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := notifier.ParseChange(text)
		if err != nil {
			return
		}
		if c.Ver < 0 || c.Unread < 0 {
			t.Errorf("%q was parsed with negative numbers", text)
		}
		for _, e := range c.Events {
			if strings.ContainsAny(e.Key, " \r\n") || strings.ContainsAny(e.JSON, "\r\n") {
				t.Errorf("%q was parsed with a field that could forge a line", text)
			}
		}
		again, err := notifier.ParseChange(render(c))
		if err != nil {
			t.Fatalf("rendering and parsing %q again: %v", text, err)
		}
		if d := cmp.Diff(c, again); d != "" {
			t.Errorf("rendering and parsing %q again (-first +second):\n%s", text, d)
		}
	})
}
