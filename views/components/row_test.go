package components

import (
	"html"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func FuzzTextIsEscapedLikeTheLibraryDoes(f *testing.F) {
	for _, s := range []string{"", "plain", `<a href="x" title='y'>&amp;</a>`, "\x00\xff日本", "''''"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got := string(new(markup).text(s).b); got != html.EscapeString(s) {
			t.Errorf("%q became %q", s, got)
		}
	})
}

func TestNoValueOfARowBecomesMarkup(t *testing.T) {
	t.Parallel()
	evil := `"><script>alert('x')</script><b a="`
	around := Named{evil, evil}
	r := Row{
		Key: evil, ID: evil, At: evil, Type: evil, Icon: evil, Tint: evil, Title: evil, Body: evil, Link: evil, Reason: evil,
		Datetime: evil, Clock: evil, Moment: evil, Why: evil, Mute: &Mute{Label: evil, Named: around},
	}
	l := Labels{
		New: evil, Unread: evil, MarkRead: evil, MarkUnread: evil, Delete: evil,
		ReadNamed: around, UnreadNamed: around, DeleteNamed: around, ActionsNamed: around,
	}
	for _, state := range []struct{ read, fresh bool }{{true, false}, {false, true}, {false, false}} {
		r.Read, r.New = state.read, state.fresh
		var b strings.Builder
		if err := (Rows{Labels: &l, Icons: Icons(evil), Back: evil, Rows: []Row{r}}).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		page, err := goquery.NewDocumentFromReader(strings.NewReader("<ul>" + b.String() + "</ul>"))
		if err != nil {
			t.Fatal(err)
		}
		if n := page.Find("script, b").Length(); n != 0 {
			t.Errorf("%d elements come from values in %s", n, b.String())
		}
		for selector, name := range map[string]string{
			"[data-testid=entry]": "data-key", "h3 a": "href", "time": "datetime", "[name=key]": "value", "[name=back]": "value",
		} {
			if got := page.Find(selector).AttrOr(name, ""); got != evil {
				t.Errorf("%s of %s is %q", name, selector, got)
			}
		}
		if got := page.Find("[action='/inbox/delete'] button").AttrOr("aria-label", ""); got != evil+evil+evil {
			t.Errorf("the action is named %q", got)
		}
		if got := page.Find("[action='/settings/mute'] button").AttrOr("aria-label", ""); got != evil+evil+evil {
			t.Errorf("muting is named %q", got)
		}
	}
}
