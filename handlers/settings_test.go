package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// newChooser returns a world in which alice has these settings.
func newChooser(t *testing.T, set notifier.Settings) *world {
	t.Helper()
	w := newWorld(t, nil)
	w.choose(set)
	return w
}

var chosen = notifier.Settings{Locale: "ja", Theme: notifier.ThemeDark, KeysOff: true, ToastsOff: true}

func TestLanguageIsOfferedInItsOwnWords(t *testing.T) {
	t.Parallel()
	r := newChooser(t, notifier.Settings{}).get("alice", "/settings?tab=appearance", "Accept-Language", "ja").wantStatus(t, http.StatusOK)
	r.wantText(t, "#locale", "ブラウザーの設定に合わせるEnglish日本語简体中文繁體中文")
}

func TestFormShowsTheCurrentSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		set  notifier.Settings
		want string
	}{
		{notifier.Settings{}, " auto 1 1"},
		{chosen, "ja dark 0 0"},
		{notifier.Settings{Locale: "zh-Hans", Theme: notifier.ThemeLight, ToastsOff: true}, "zh-Hans light 1 0"},
		{notifier.Settings{Locale: "zh-Hant"}, "zh-Hant auto 1 1"},
	} {
		r := newChooser(t, test.set).get("alice", "/settings?tab=appearance").wantStatus(t, http.StatusOK)
		if got := selected(r); got != test.want {
			t.Errorf("%+v is shown as %q, want %q", test.set, got, test.want)
		}
		for _, field := range []string{"theme", "density"} {
			group := r.page.Find("fieldset:has([name=" + field + "])")
			if label := group.AttrOr("aria-labelledby", "?"); group.Find("legend#"+label).Text() == "" {
				t.Errorf("the group of %s has no name", field)
			}
		}
		for _, field := range []string{"opening", "keys", "toasts"} {
			if r.text("label:has([role=switch][name="+field+"])") == "" || r.count("[name=switch][value="+field+"]") != 1 {
				t.Errorf("the switch %s has no name, or the form does not name it", field)
			}
		}
	}
}

// selected lists what the form shows as chosen, in order; a switch is 1 or 0.
func selected(r reply) string {
	return fmt.Sprintf("%s %s %d %d", r.attr("#locale option[selected]", "value"), r.attr("[name=theme][checked]", "value"), r.count("#keys[checked]"), r.count("#toasts[checked]"))
}

func TestOnlySubmittedFieldsChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fields []string
		change func(*notifier.Settings)
	}{
		{[]string{"locale", "zh-Hans"}, func(s *notifier.Settings) { s.Locale = "zh-Hans" }},
		{[]string{"locale", "zh-Hant"}, func(s *notifier.Settings) { s.Locale = "zh-Hant" }},
		{[]string{"locale", ""}, func(s *notifier.Settings) { s.Locale = "" }},
		{[]string{"theme", "light"}, func(s *notifier.Settings) { s.Theme = "light" }},
		{[]string{"theme", "auto"}, func(s *notifier.Settings) { s.Theme = "" }},
		{[]string{"theme", ""}, func(s *notifier.Settings) { s.Theme = "" }},
		{[]string{"keys", "1"}, func(s *notifier.Settings) { s.KeysOff = false }},
		{[]string{"opening", "0"}, func(s *notifier.Settings) { s.OpensOnly = true }},
		{[]string{"density", "compact"}, func(s *notifier.Settings) { s.Compact = true }},
		{[]string{"density", "comfortable"}, func(s *notifier.Settings) { s.Compact = false }},
		{[]string{"switch", "opening", "keys", "1"}, func(s *notifier.Settings) { s.OpensOnly, s.KeysOff = true, false }},
		{[]string{"toasts", "1"}, func(s *notifier.Settings) { s.ToastsOff = false }},
		{nil, func(*notifier.Settings) {}},
		{[]string{"locale", "en", "theme", "light", "keys", "1", "toasts", "1"}, func(s *notifier.Settings) {
			*s = notifier.Settings{Locale: "en", Theme: "light"}
		}},
	} {
		c := newChooser(t, chosen)
		c.post("alice", "/settings", test.fields...).wantRedirect(t, "/settings?done=saved&tab=appearance")
		want := chosen
		test.change(&want)
		if diff := cmp.Diff(want, c.user(alice.Seq).Settings); diff != "" {
			t.Errorf("%q: %s", test.fields, diff)
		}
	}
	c := newChooser(t, notifier.Settings{})
	c.post("alice", "/settings", "keys", "0", "toasts", "0", "theme", "dark").wantRedirect(t, "/settings?done=saved&tab=appearance")
	if diff := cmp.Diff(notifier.Settings{Theme: "dark", KeysOff: true, ToastsOff: true}, c.user(alice.Seq).Settings); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidChoiceIsReportedBesideItsFieldAndOthersStay(t *testing.T) {
	t.Parallel()
	// The invalid field shows the stored choice, which is still the default.
	for _, test := range []struct{ field, value, say, want string }{
		{"locale", "tlh", "Choose one of the languages.", " dark 0 0"},
		{"locale", "\x00\xff", "Choose one of the languages.", " dark 0 0"},
		{"theme", "sepia", "Choose one of match system, light or dark.", "en auto 0 0"},
		{"keys", "", "Choose on or off.", "en dark 1 0"},
		{"keys", "true", "Choose on or off.", "en dark 1 0"},
		{"toasts", "2", "Choose on or off.", "en dark 0 1"},
	} {
		c := newChooser(t, notifier.Settings{})
		form := url.Values{"locale": {"en"}, "theme": {"dark"}, "keys": {"0"}, "toasts": {"0"}}
		form.Set(test.field, test.value)
		r := c.postBody("alice", "/settings", form.Encode()).wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, "#"+test.field+"-fault", test.say)
		if got := selected(r); got != test.want {
			t.Errorf("%s=%q: the form shows %q, want %q", test.field, test.value, got, test.want)
		}
		if r.count(".fault") != 1 || r.count("[aria-invalid=true]") != 1 ||
			!strings.Contains(r.attr("[aria-invalid=true]", "aria-describedby"), test.field+"-fault") {
			t.Errorf("%s=%q: the error is not tied to its field alone\n%s", test.field, test.value, r.body)
		}
		if got := c.user(alice.Seq).Settings; got != (notifier.Settings{}) {
			t.Errorf("%s=%q: stored %+v", test.field, test.value, got)
		}
	}
}

func TestInvalidSettingsFormChangesNothing(t *testing.T) {
	t.Parallel()
	c := newChooser(t, chosen)
	c.postBody("alice", "/settings", "keys=1&keys=0").wantStatus(t, http.StatusUnprocessableEntity).
		wantText(t, "[data-testid=error]", "フォームを解釈できませんでした。不明な項目か、重複した項目があります。")
	c.post("alice", "/settings", "seq", "9", "keys", "1").wantStatus(t, http.StatusUnprocessableEntity)
	c.postBody("alice", "/settings", "keys=%zz").wantStatus(t, http.StatusBadRequest)
	c.postBody("alice", "/settings", "keys=1", "Origin", "https://evil.example").wantStatus(t, http.StatusForbidden)
	if got := c.user(alice.Seq).Settings; got != chosen {
		t.Errorf("stored %+v", got)
	}
}

func TestUsersLanguageWinsOverTheBrowsers(t *testing.T) {
	t.Parallel()
	c := newChooser(t, chosen)
	if got := c.get("alice", "/inbox", "Accept-Language", "zh").attr("html", "lang"); got != "ja" {
		t.Errorf("the page is in %q", got)
	}
}

// TestCachedPageIsOnlyForTheSettingsItWasRenderedWith changes one setting at a time; the page depends on each of
// them.
func TestCachedPageIsOnlyForTheSettingsItWasRenderedWith(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*notifier.Settings){
		"locale": func(s *notifier.Settings) { s.Locale = "en" },
		"theme":  func(s *notifier.Settings) { s.Theme = notifier.ThemeLight },
		"keys":   func(s *notifier.Settings) { s.KeysOff = false },
		"rows":   func(s *notifier.Settings) { s.Compact = true },
	} {
		c := newChooser(t, chosen)
		opened := 0
		c.inbox.open = func(int64) (notifier.Page, error) { opened++; return notifier.Page{}, nil }
		tag := c.get("alice", "/inbox").Header.Get("Etag")
		c.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusNotModified)
		now := chosen
		change(&now)
		c.choose(now)
		c.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusOK)
		if opened != 2 {
			t.Errorf("%s: rendered %d times, want 2: before and after the change", name, opened)
		}
	}
}

func TestOpeningTheInboxMarksNothingIfTheUserTurnedThatOff(t *testing.T) {
	t.Parallel()
	for _, keeps := range []bool{true, false} {
		opened := 0
		c := newChooser(t, notifier.Settings{OpensOnly: keeps})
		page := notifier.Page{Entries: []notifier.Entry{entry(1, noon, false, false)}, Unread: 1, Ver: 77}
		c.inbox.open = func(int64) (notifier.Page, error) { opened++; return page, nil }
		c.inbox.look = func(int64, notifier.Query) (notifier.Page, error) { return page, nil }
		r := c.get("alice", "/inbox").wantStatus(t, http.StatusOK)
		if opened == 0 != keeps || r.count("[data-unopened]") != 0 {
			t.Errorf("with OpensOnly %v the inbox was opened %d times; scripts may open it: %d", keeps, opened, r.count("[data-unopened]"))
		}
	}
}
