package notifier_test

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestATextIsFoundWithoutRegardToCaseAndWidth(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, title string
		want        bool
	}{
		{"", "Order 7", true},
		{"   ", "Order 7", true},
		{"ORDER", "order 7", true},
		{" order 7 ", "Order 7", true},
		{"order  7", "Order 7", false},
		{"order 8", "Order 7", false},
		{"ÉTÉ", "été", true},
		{"e\u0301te\u0301", "Été", true}, // with combining accents
		{"strasse", "Straße", true},
		{"ΣΊΣΥΦΟΣ", "Σίσυφος", true},
		{"привет", "ПРИВЕТ", true},
		{"ＡＢＣ１２", "abc12", true},
		{"abc12", "ＡＢＣ１２", true},
		{"ｶﾀｶﾅ", "カタカナ", true},
		{"倉庫", "第3倉庫", true},
		{"倉", "庫", false},
		{"👩‍🏭", "New: 👩‍🏭", true},
		{".*", "Order 7", false},
		{"%", "100 %", true},
		{"\\", "a\\b", true},
		{"\x00", "Order 7", false},
		{"\xff", "Order 7", false},
		{strings.Repeat("é", notifier.MaxFind), strings.Repeat("É", notifier.MaxFind), true},
		{strings.Repeat("é", notifier.MaxFind+1), strings.Repeat("É", notifier.MaxFind+1), false},
		{strings.Repeat(" ", notifier.MaxFind+1), "Order 7", false},
	} {
		f := notifier.Filter{Text: c.text}
		if got := f.Texts()(&notifier.Content{Title: c.title}); got != c.want {
			t.Errorf("%q in the title %q: %v", c.text, c.title, got)
		}
		if got := f.Texts()(&notifier.Content{Title: "Other", Body: "More\n" + c.title}); got != c.want {
			t.Errorf("%q in the body %q: %v", c.text, c.title, got)
		}
		if !c.want && !f.Filters() {
			t.Errorf("%q leaves entries out, but does not filter", c.text)
		}
	}
	if f := (notifier.Filter{Text: " "}); f.Filters() {
		t.Error("spaces filter")
	}
}

func FuzzTextThatIsThereIsFound(f *testing.F) {
	f.Add("Order", "late")
	f.Add("İ", "ǅ ﬁ ß")
	f.Add("\xff", "\u0301")
	f.Fuzz(func(t *testing.T, text, around string) {
		has := notifier.Filter{Text: text}.Texts()
		if long := len([]rune(text)) > notifier.MaxFind; has(&notifier.Content{Title: text}) == long {
			t.Errorf("%q in itself: %v", text, !long)
		}
		has(&notifier.Content{Title: around, Body: around + text}) // any text is accepted
	})
}
