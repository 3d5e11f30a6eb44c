package locale_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/views/locale"
)

func catalogue(t *testing.T) *locale.Catalogue {
	t.Helper()
	c, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEachRequestGetsTheBestLanguage(t *testing.T) {
	t.Parallel()
	c := catalogue(t)
	for _, test := range []struct{ setting, header, want string }{
		{"", "", "en"},
		{"", "ja,en;q=0.5", "ja"},
		{"", "zh-CN,zh;q=0.9", "zh-Hans"},
		{"", "zh", "zh-Hans"},
		{"", "zh-TW,zh;q=0.9", "zh-Hant"},
		{"", "fr-FR, ja;q=0.3", "ja"},
		{"", "fr", "en"},
		{"", "not a header;;;=", "en"},
		{"ja", "zh-CN", "ja"},
		{"zh-Hans", "ja", "zh-Hans"},
		{"zh-CN", "ja", "zh-Hans"},
		{"zh-Hant", "ja", "zh-Hant"},
		{"xx-bad-", "ja", "ja"},
		{"fr", "ja", "ja"},
	} {
		if got := c.For(test.setting, test.header).Lang(); got != test.want {
			t.Errorf("For(%q, %q) is %s, want %s", test.setting, test.header, got, test.want)
		}
	}
}

func TestCachedHeadersAreBounded(t *testing.T) {
	t.Parallel()
	c := catalogue(t)
	for i := range 5000 {
		c.For("", fmt.Sprintf("ja;q=0.%d", i))
		c.For("", strings.Repeat(" ", 200+i)+"ja")
	}
	if n := c.Remembered(); n == 0 || n > 1000 {
		t.Errorf("%d headers are cached, want 1,000 at most", n)
	}
}

func TestNumberSelectsThePluralForm(t *testing.T) {
	t.Parallel()
	c := catalogue(t)
	for _, test := range []struct {
		lang string
		n    int64
		want string
	}{
		{"en", 0, "0 new announcements"},
		{"en", 1, "1 new announcement"},
		{"en", 2, "2 new announcements"},
		{"en", 1234, "1,234 new announcements"},
		{"en", 1_000_001, "1,000,001 new announcements"},
		{"ja", 1, "新しいお知らせ1件を表示"},
		{"zh-Hans", 1234, "1,234 条新公告"},
		{"zh-Hant", 1, "1 則新公告"},
		{"zh-Hant", 1234, "1,234 則新公告"},
	} {
		if got := c.For(test.lang, "").N("js.announcement_arrivals", test.n); got != test.want {
			t.Errorf("%s %d: %q, want %q", test.lang, test.n, got, test.want)
		}
	}
}

func TestValuesAreInsertedAtTheirPlaceholders(t *testing.T) {
	t.Parallel()
	en := catalogue(t).For("en", "")
	if got, want := en.F("inbox.delete_named", "Title", "{{.Title}} & co"), "Delete: {{.Title}} & co"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := en.N("notice.share", 1200, "Part", "7"), "7 of 1,200"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := en.F("no.such.text"), "no.such.text"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDaysAreNamedRelativeToTheReader(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 5, 0, 0, time.UTC)
	for _, test := range []struct {
		lang string
		t    time.Time
		want string
	}{
		{"en", now.Add(-4 * time.Minute), "Today"},
		{"en", now.Add(-6 * time.Minute), "Yesterday"},
		{"ja", now.Add(-6 * time.Minute), "昨日"},
		{"en", now.AddDate(0, 0, -2), "27 February"},
		{"ja", now.AddDate(0, 0, -2), "2月27日"},
		{"en", now.AddDate(0, -3, 0), "1 December 2025"},
		{"zh-Hans", now.AddDate(0, -3, 0), "2025年12月1日"},
		{"zh-Hant", now.Add(-6 * time.Minute), "昨天"},
		{"zh-Hant", now.AddDate(0, 0, -2), "2月27日"},
		{"zh-Hant", now.AddDate(0, -3, 0), "2025年12月1日"},
	} {
		if got := catalogue(t).For(test.lang, "").Day(test.t, now); got != test.want {
			t.Errorf("%s %v: %q, want %q", test.lang, test.t, got, test.want)
		}
	}
}

func TestScriptTextsHavePluralForms(t *testing.T) {
	t.Parallel()
	var texts map[string]any
	if err := json.Unmarshal([]byte(catalogue(t).For("en", "").Script()), &texts); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"one": "{Count} new announcement", "other": "{Count} new announcements"}
	if diff := cmp.Diff(any(want), texts["announcement_arrivals"]); diff != "" {
		t.Error(diff)
	}
	if texts["newest"] != "{Unread}, newest: {Title}" {
		t.Errorf("a text without plural forms is %v", texts["newest"])
	}
}

func TestEveryDraftErrorHasAMessage(t *testing.T) {
	t.Parallel()
	for _, p := range catalogue(t).Printers() {
		for _, code := range draftCodes(t) {
			if !p.Has("error." + code) {
				t.Errorf("%s has no error.%s", p.Lang(), code)
			}
		}
	}
}

// TestCataloguesMatch checks that all catalogues have the same keys and placeholders, and agree
// on which texts depend on a number.
func TestCataloguesMatch(t *testing.T) {
	t.Parallel()
	english := shapes(t, "en")
	if len(english) < 100 {
		t.Fatalf("only %d messages found", len(english))
	}
	for _, lang := range []string{"ja", "zh-Hans", "zh-Hant"} {
		if diff := cmp.Diff(english, shapes(t, lang)); diff != "" {
			t.Errorf("en (-) and %s (+) differ:\n%s", lang, diff)
		}
	}
}

// Announcements are one kind of notice: a catalogue that calls every notice by their name misleads.
func TestNoNoticeIsCalledAnAnnouncement(t *testing.T) {
	t.Parallel()
	c := catalogue(t)
	en := c.For("en", "").Messages()
	for lang, word := range map[string]string{"ja": "お知らせ", "zh-Hans": "公告", "zh-Hant": "公告"} {
		uses := 0
		for id, m := range c.For(lang, "").Messages() {
			if !strings.Contains(m.Text, word) {
				continue
			}
			uses++
			original := strings.ToLower(en[id].Text)
			if strings.Contains(original, "notice") && !strings.Contains(original, "announcement") {
				t.Errorf("%s %s says %s (announcement) in %q, where English has %q", lang, id, word, m.Text, en[id].Text)
			}
		}
		if uses == 0 {
			t.Errorf("%s never says %s", lang, word)
		}
	}
}

// shapes maps each message to the names of its placeholders. It leaves out Count, because a form
// may express the number in words.
func shapes(t *testing.T, lang string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for id, m := range catalogue(t).For(lang, "").Messages() {
		found[id] = m.Values
		if m.Singular != nil && !slices.Equal(m.Values, m.Singular) {
			t.Errorf("%s %s: its plural forms have different placeholders", lang, id)
		}
	}
	return found
}
