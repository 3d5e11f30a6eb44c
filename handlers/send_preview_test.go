package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// live submits a form as the script does while the user types.
func (w *world) live(headers []string, fields ...string) reply {
	w.t.Helper()
	values := url.Values{"preview": {"1"}}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return w.postBody("carol", "/staff/send", values.Encode(), append([]string{"HX-Request", "true"}, headers...)...)
}

// peopleWorld has the users alice and bob, and 1,234 pickers.
func peopleWorld(t *testing.T) *world {
	t.Helper()
	return newWorld(t, func(w *world) {
		w.sender.count = func(d notifier.Draft) (int64, error) {
			if d.Target.Role == "picker" {
				return 1234, nil
			}
			if d.Type == "muted" {
				return 0, nil
			}
			for _, name := range append(d.Target.Users, d.Target.Role) {
				if name != "alice" && name != "bob" && name != "" {
					var bad notifier.InvalidError
					bad.Add("to", notifier.CodeUnknownUsers, map[string]any{"Names": name, "Count": 1})
					return 0, &bad
				}
			}
			return int64(len(d.Target.Users)), nil
		}
		w.inbox.badge = func(int64) (notifier.Badge, error) { return notifier.Badge{}, errors.New("no bell is shown") }
	})
}

func TestScriptGetsThePreviewOfAnUnfinishedForm(t *testing.T) {
	t.Parallel()
	w := peopleWorld(t)
	for _, test := range []struct {
		name              string
		fields            []string
		recipients, title string
		faults            []string // fields with errors
	}{
		{"all of it", goodForm, "2 people will get it.", "Hello", nil},
		{"nothing", []string{"target", "user"}, "", "", []string{"to", "title"}},
		{"whom", []string{"target", "user", "to", "alice"}, "1 person will get it.", "", []string{"title"}},
		{"whom, who has muted it", []string{"target", "user", "to", "alice", "type", "muted"}, "0 people will get it.", "", []string{"title"}},
		{"what", []string{"target", "user", "title", "Hello"}, "", "Hello", []string{"to"}},
		{"many", []string{"target", "role", "to", "picker", "title", "Hello"}, "1,234 people will get it.", "Hello", nil},
		{"an unknown name", []string{"target", "user", "to", "dora", "title", "Hello"}, "", "Hello", []string{"to"}},
		{"a bad link", with(goodForm, "link", "javascript:alert(1)"), "2 people will get it.", "Hello", []string{"link"}},
		{"a host that is not allowed", with(goodForm, "link", "https://evil.example/"), "2 people will get it.", "Hello", []string{"link"}},
		{"no target", with(goodForm, "target", "planet"), "", "Hello", []string{"target"}},
		{"a strange time", with(goodForm, "expires_in", "soon"), "2 people will get it.", "Hello", []string{"expires_in"}},
	} {
		r := w.live(nil, test.fields...).wantStatus(t, http.StatusOK)
		var faults []string
		for _, p := range r.page.Find(".fault").EachIter() {
			field := p.AttrOr("data-field", "none")
			faults = append(faults, field)
			if p.AttrOr("id", "") != field+"-fault" || p.Text() == "" {
				t.Errorf("%s: the error of %s has the id %s and the text %q", test.name, field, p.AttrOr("id", ""), p.Text())
			}
		}
		if diff := cmp.Diff(test.faults, faults); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		r.wantText(t, "[data-testid=recipients]", test.recipients)
		r.wantText(t, "#preview h3", test.title)
		if test.title != "" && r.count("#preview .avatar use") == 0 && r.text("#preview .avatar") == "" {
			t.Errorf("%s: the icon of the notice is empty", test.name)
		}
		if r.count("form, h1, [data-testid=bell]") > 0 {
			t.Errorf("%s: the response is more than the part:\n%s", test.name, r.body)
		}
	}
}

func TestPreviewIsForStaffAndSendsNothing(t *testing.T) {
	t.Parallel()
	w := peopleWorld(t) // sending panics
	w.live(nil, goodForm...).wantStatus(t, http.StatusOK)
	values := url.Values{"preview": {"1"}, "target": {"user"}}
	w.postBody("alice", "/staff/send", values.Encode(), "HX-Request", "true").wantStatus(t, http.StatusNotFound)
	w.postBody("", "/staff/send", values.Encode(), "HX-Request", "true").wantStatus(t, http.StatusUnauthorized)
	w.sender.count = func(notifier.Draft) (int64, error) { return 0, fmt.Errorf("secret: %w", notifier.ErrUnavailable) }
	w.live(nil, goodForm...).wantStatus(t, http.StatusServiceUnavailable)
	w.live(nil, "target", "user", "to", "bob").wantStatus(t, http.StatusServiceUnavailable)
}

func TestFormShowsWhenANoticeDisappears(t *testing.T) {
	t.Parallel()
	tokyo := "tz=Asia/Tokyo"
	for _, test := range []struct {
		life, lang, zone, want string
		keep                   time.Duration
	}{
		{"72h", "en", tokyo, "Leaves inboxes on 23 November 2026, 21:00.", 0},
		{"72h", "en", "", "Leaves inboxes on 23 November 2026, 12:00 UTC.", 0},
		{"72h", "ja", tokyo, "2026年11月23日 21:00に受信トレイから消えます。", 0},
		{"72h", "zh", tokyo, "将于 2026年11月23日 21:00 从收件箱中消失。", 0},
		{"", "en", tokyo, "Leaves inboxes on 19 May 2027, 21:00.", 0},
		{"", "en", tokyo, "Leaves inboxes on 27 November 2026, 21:00.", 7 * 24 * time.Hour},
		{"soon", "en", tokyo, "", 0},
		{"-5m", "en", tokyo, "", 0},
		{"9999h", "en", tokyo, "", 0},
	} {
		w := peopleWorld(t)
		w.config.Keep = test.keep
		w.rebuild()
		headers := []string{"Accept-Language", test.lang, "Cookie", test.zone}
		w.live(headers, "target", "user", "expires_in", test.life).wantText(t, "#expires_in-hint", test.want)
		if test.life == "" {
			w.get("carol", "/staff/send", headers...).wantText(t, "#expires_in-hint", test.want)
		}
	}
}

func TestFocusIsOnTheMessageToReadFirst(t *testing.T) {
	t.Parallel()
	w := sendWorld(t, 1234, &[]notifier.Draft{})
	for _, test := range []struct {
		fields []string
		focus  string
	}{
		{goodForm, "confirm"},
		{with(goodForm, "title", ""), "faults"},
		{with(goodForm, "preview", "1"), "preview"},
	} {
		r := w.post("carol", "/staff/send", test.fields...)
		if got := r.attr("[autofocus]", "id"); got != test.focus || r.count("[autofocus]") != 1 || r.attr("[autofocus]", "tabindex") != "-1" {
			t.Errorf("the focus is on %q, want %q", got, test.focus)
		}
	}
	if w.get("carol", "/staff/send").count("[autofocus]") != 0 {
		t.Error("an empty form takes the focus")
	}
}
