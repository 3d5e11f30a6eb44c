package notifier_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// renderMarks writes marks in the same form as the script.
func renderMarks(m notifier.Marks) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A %d %d\n%s", m.AVer, m.Unread, m.Kind)
	for _, id := range m.IDs {
		fmt.Fprintf(&b, " %d", id)
	}
	return b.String()
}

// renderTurn writes a turn in the same form as the script.
func renderTurn(turn notifier.Turn) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d", turn.AVer, turn.Before)
	for _, e := range turn.Events {
		fmt.Fprintf(&b, "\n%s %d", e.Kind, e.ID)
		if e.Kind != notifier.TurnRemoved {
			fmt.Fprintf(&b, " %d %s", e.Top, e.JSON)
		}
	}
	return b.String()
}

func TestParseMarksReadsEachKind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]notifier.Marks{
		"A 1700000000001 3\nread 7":    {AVer: 1700000000001, Unread: 3, Kind: notifier.MarksRead, IDs: []int64{7}},
		"A 5 0\nread 7 8 9":            {AVer: 5, Kind: notifier.MarksRead, IDs: []int64{7, 8, 9}},
		"A 5 1\nunread 1":              {AVer: 5, Unread: 1, Kind: notifier.MarksUnread, IDs: []int64{1}},
		"A 9223372036854775807 0\nall": {AVer: 1<<63 - 1, Kind: notifier.MarksAll},
	} {
		got, err := notifier.ParseMarks(text)
		if err != nil || !notifier.IsMarks(text) {
			t.Errorf("%q: %v", text, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
		if again := renderMarks(got); again != text {
			t.Errorf("%q was rendered as %q", text, again)
		}
	}
}

func TestParseMarksRejectsTextThatNoScriptWrites(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "A", "A ", "A 1", "A 1 1", "1 1\nall", "a 1 1\nall", " A 1 1\nall", "A x 1\nall", "A 1 -1\nall", "A -1 1\nall", "A 1 1 1\nall", "A  1 1\nall",
		"A 1 1\n", "A 1 1\nall ", "A 1 1\nall 7", "A 1 1\nall\n", "A 1 1\nALL", "A 1 1\nread", "A 1 1\nread ", "A 1 1\nread x", "A 1 1\nread 0",
		"A 1 1\nread -7", "A 1 1\nread +7", "A 1 1\nread 07", "A 1 1\nread 7 ", "A 1 1\nread 7  8", "A 1 1\nread 7\nread 8", "A 1 1\nread 7\r", "A 1 1\nunread",
		"A 1 1\nremoved 7", "A 1 1\n\nread 7", "A 1 1\nread 9223372036854775808", "A +1 1\nall", "A 1 01\nall",
	} {
		if m, err := notifier.ParseMarks(text); err == nil {
			t.Errorf("%q was parsed as %+v", text, m)
		}
	}
}

func TestChangesAndMarksAreNotConfused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"5 0", "5 1\nread A 1", render(notifier.Change{Ver: 5, Unread: 1})} {
		if notifier.IsMarks(text) {
			t.Errorf("%q was taken for marks", text)
		}
	}
	if c, err := notifier.ParseChange("A 5 1\nread 7"); err == nil {
		t.Errorf("marks were parsed as a change: %+v", c)
	}
}

func TestParseTurnReadsAllEvents(t *testing.T) {
	t.Parallel()
	content, err := json.Marshal(notifier.AnnouncementText{Title: "a b", Body: "x\ny\r\u2028", Link: "/x", Pinned: true})
	if err != nil {
		t.Fatal(err)
	}
	text := "1700000000002 1700000000001\nopen 7 0 " + string(content) + "\nchanged 8 120 {\"changed\":true}\nremoved 9"
	want := notifier.Turn{AVer: 1700000000002, Before: 1700000000001, Events: []notifier.TurnEvent{
		{Kind: notifier.TurnOpen, ID: 7, JSON: string(content)},
		{Kind: notifier.TurnChanged, ID: 8, Top: 120, JSON: `{"changed":true}`},
		{Kind: notifier.TurnRemoved, ID: 9},
	}}
	got, err := notifier.ParseTurn(text)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if again := renderTurn(got); again != text {
		t.Errorf("rendered as %q", again)
	}
	if empty, err := notifier.ParseTurn("5 4"); err != nil || empty.AVer != 5 || empty.Before != 4 || empty.Events != nil {
		t.Errorf("without events: %+v, %v", empty, err)
	}
}

func TestParseTurnRejectsTextThatNoScriptWrites(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "1", "1 ", " 1", "x 1", "1 x", "1 -1", "-1 1", "2 1 1", "9223372036854775808 1", "2 1\n", "+2 1", "02 1",
		"2 1\nopen", "2 1\nopen 7", "2 1\nopen 7 0", "2 1\nopen 7 {}", "2 1\nopen 7 x {}", "2 1\nopen 7 -1 {}", "2 1\nopen 0 0 {}", "2 1\nopen -7 0 {}",
		"2 1\nopen 7 0 [1]", "2 1\nopen 7 0 {", "2 1\nopen 7 0  {}", "2 1\nopen 7 0 {}\n", "2 1\nopen 7 0 {\r}", "2 1\nopen 7 0 {\n}", "2 1\nopen +7 0 {}",
		"2 1\nopen  7 0 {}", "2 1\nopen 7 07 {}", "2 1\nOPEN 7 0 {}", "2 1\nclosed 7", "2 1\nchanged 7", "2 1\nremoved", "2 1\nremoved ", "2 1\nremoved x",
		"2 1\nremoved 0", "2 1\nremoved 7 ", "2 1\nremoved 7 0 {}", "2 1\n\nremoved 7", "2 1\nremoved 7\nopen 8", "2 1\nremoved 7\r", "A 2 1\nremoved 7",
	} {
		if turn, err := notifier.ParseTurn(text); err == nil {
			t.Errorf("%q was parsed as %+v", text, turn)
		}
	}
}

func TestUsersUpToTopSeeAnEvent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		top, seq int64
		want     bool
	}{{0, 1, true}, {0, 1 << 40, true}, {7, 6, true}, {7, 7, true}, {7, 8, false}} {
		if e := (notifier.TurnEvent{Top: c.top}); e.Sees(c.seq) != c.want {
			t.Errorf("top %d, user %d: Sees = %v", c.top, c.seq, !c.want)
		}
	}
}

func FuzzMarksThatAreBelievedAreThoseThatWereWritten(f *testing.F) {
	for _, s := range []string{"A 5 0\nall", "A 5 1\nread 7 8", "A 5 1\nunread 7", "A 5 1\nread +7", "A 1 1\nall "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if m, err := notifier.ParseMarks(text); err == nil && renderMarks(m) != text {
			t.Errorf("%q was rendered as %q", text, renderMarks(m))
		}
	})
}

func FuzzATurnThatIsBelievedIsOneThatWasWritten(f *testing.F) {
	for _, s := range []string{"5 4", "5 4\nopen 7 0 {\"x\":1}\nchanged 8 9 {}\nremoved 9", "5 4\nopen +7 0 {}", "5 4\nremoved 9\r", "05 4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		turn, err := notifier.ParseTurn(text)
		if err != nil {
			return
		}
		if again := renderTurn(turn); again != text {
			t.Errorf("%q was rendered as %q", text, again)
		}
		for _, e := range turn.Events {
			if strings.ContainsAny(e.JSON, "\r\n") {
				t.Errorf("%q was parsed with a field that could forge a line", text)
			}
		}
	})
}
