package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// sendWorld counts recipients and records the sent drafts.
func sendWorld(t *testing.T, recipients int64, sent *[]notifier.Draft) *world {
	t.Helper()
	w := newWorld(t, func(w *world) {
		w.sender.count = func(notifier.Draft) (int64, error) { return recipients, nil }
		w.sender.send = func(d notifier.Draft) (notifier.Notice, error) {
			*sent = append(*sent, d)
			return notifier.Notice{ID: 42}, nil
		}
	})
	w.haveMembers("picker", "bob")
	return w
}

var goodForm = []string{
	"target", "user", "to", " alice,\r\nbob\n", "type", "like", "subject", "photo:1", "title", "Hello",
	"body", "One\r\nTwo", "link", "/photos/1", "expires_in", "72h",
}

// with replaces a field of a form.
func with(fields []string, name, value string) []string {
	changed := append([]string{}, fields...)
	for i := 0; i < len(changed); i += 2 {
		if changed[i] == name {
			changed[i+1] = value
			return changed
		}
	}
	return append(changed, name, value)
}

func TestValidFormSendsAndRedirectsToTheNotice(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	w.post("carol", "/staff/send", goodForm...).wantRedirect(t, "/staff/notices/42")
	w.post("carol", "/staff/send", with(with(goodForm, "target", "role"), "to", " picker ")...).wantRedirect(t, "/staff/notices/42")
	w.post("carol", "/staff/send", with(goodForm, "expires_in", "")...).wantRedirect(t, "/staff/notices/42")
	want := notifier.Draft{
		Target: notifier.Target{Users: []string{"alice", "bob"}}, Type: "like", Subject: "photo:1", Title: "Hello",
		Body: "One\r\nTwo", Link: "/photos/1", ExpiresIn: 72 * time.Hour, Sender: notifier.UserRef(carol),
	}
	byRole, kept := want, want
	byRole.Target = notifier.Target{Role: "picker"}
	kept.ExpiresIn = 0
	if diff := cmp.Diff([]notifier.Draft{want, byRole, kept}, sent); diff != "" {
		t.Error(diff)
	}
}

func TestPreviewSendsNothing(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 5000, &sent)
	r := w.post("carol", "/staff/send", append(with(goodForm, "scope", "119240"), "preview", "1")...).wantStatus(t, http.StatusOK)
	if got := r.attr("#scope", "value"); got != "119240" {
		t.Errorf("the form lost the scope: it has %q", got)
	}
	r.wantText(t, "[data-testid=recipients]", "5,000 people will get it.")
	r.wantText(t, "[data-testid=preview] h3 a", "Hello")
	if r.attr("#title", "value") != "Hello" || len(sent) != 0 {
		t.Errorf("the form has %q, sent %v", r.attr("#title", "value"), sent)
	}
}

func TestManyRecipientsAreConfirmedByTheirNumber(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 1234, &sent)
	for _, confirm := range []string{"", "1", "1000", "1235", "01234"} {
		r := w.post("carol", "/staff/send", append(goodForm, "confirm", confirm)...).wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, "[data-testid=confirm] p", "This notification goes to 1,234 people.")
		if r.attr("[data-testid=confirm] button[name=confirm]", "value") != "1234" || r.attr("#title", "value") != "Hello" {
			t.Error("the form does not offer to confirm, or has lost its text")
		}
	}
	if len(sent) != 0 {
		t.Fatalf("sent %v", sent)
	}
	before := w.sender.confirmed.Load()
	w.post("carol", "/staff/send", append(goodForm, "confirm", "1234")...).wantRedirect(t, "/staff/notices/42")
	if n := w.sender.confirmed.Load() - before; n != 1 {
		t.Errorf("the request that sends looked up the recipients %d times", n)
	}
	sendWorld(t, 1000, &sent).post("carol", "/staff/send", goodForm...).wantRedirect(t, "/staff/notices/42")
}

func TestErrorIsBesideItsFieldAndTheTextIsKept(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	for _, test := range []struct{ field, value, fault string }{
		{"target", "planet", "Choose people, a group, or followers of a category."},
		{"target", "", "Choose people, a group, or followers of a category."},
		{"to", " , ", "Required."},
		{"to", "ali\u202ece", "“ali\ufffdce” isn't a valid name."},
		{"type", "Big Type", "Use only lower-case letters, digits and . _ - (at most 63), starting with a letter or digit."},
		{"subject", "two words", "Use only printable ASCII characters without spaces."},
		{"subject", "notice_id:5", "A key cannot begin with notice_id: or contain :has_read:."},
		{"scope", "aisle 7", "Use only letters, digits and . _ - (at most 64)."},
		{"title", "", "Required."},
		{"title", strings.Repeat("字", 201), "At most 200 characters; this has 201."},
		{"title", "bell\x07", "This contains an unsupported character (U+0007)."},
		{"title", "bad\xff", "This contains an unsupported character (UTF-8)."},
		{"title", "nul\x00", "This contains an unsupported character (U+0000)."},
		{"body", "a\u202eb", "This contains an unsupported character (U+202E)."},
		{"body", strings.Repeat("x", 4001), "At most 4,000 characters; this has 4,001."},
		{"link", "javascript:alert(1)", "Enter a path that begins with / or an https address."},
		{"link", "//evil.example", "Enter a path that begins with / or an https address."},
		{"link", "https://evil.example/", "Links to evil.example aren't allowed."},
		{"expires_in", "soon", "Enter a time such as 30m or 72h."},
		{"expires_in", "1ns", "Enter a time such as 30m or 72h."},
		{"expires_in", "-5m", "This time has already passed."},
		{"expires_in", "99999h", "Notifications are kept for at most 180 days."},
	} {
		r := w.post("carol", "/staff/send", with(goodForm, test.field, test.value)...).wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, ".fault[data-field="+test.field+"]", test.fault)
		if got := r.text("[data-testid=faults] a[href='#" + test.field + "']"); !strings.HasSuffix(got, ": "+test.fault) {
			t.Errorf("%s %q: the list is %q and does not name the field", test.field, test.value, got)
		}
		if n := r.count(".fault"); n != 1 {
			t.Errorf("%s %q: %d faults", test.field, test.value, n)
		}
		if test.field != "target" && r.attr("#"+test.field, "aria-invalid") != "true" {
			t.Errorf("%s %q: the field is not marked as invalid", test.field, test.value)
		}
		if test.field != "body" && r.page.Find("#body").Text() != "One\nTwo" && r.page.Find("#body").Text() != "One\r\nTwo" {
			t.Errorf("%s %q: the text is lost: %q", test.field, test.value, r.page.Find("#body").Text())
		}
	}
	if len(sent) != 0 {
		t.Errorf("sent %v", sent)
	}
}

func TestAllErrorsAreShownAtOnce(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	r := w.post("carol", "/staff/send", "target", "planet", "title", "", "type", "!", "expires_in", "soon", "extra", "1")
	r.wantStatus(t, http.StatusUnprocessableEntity)
	var fields []string
	for _, li := range r.page.Find("[data-testid=faults] li").EachIter() {
		fields = append(fields, li.Find("a").AttrOr("href", "none"))
	}
	if diff := cmp.Diff([]string{"none", "#target", "#type", "#title", "#expires_in"}, fields); diff != "" {
		t.Error(diff)
	}
	if r.attr("#expires_in option[selected]", "value") != "soon" {
		t.Error("the invalid time is not kept")
	}
}

func TestUnknownNameIsReportedTogetherWithOtherErrors(t *testing.T) {
	t.Parallel()
	for _, preview := range []string{"", "1"} {
		w := peopleWorld(t)
		form := with(with(with(goodForm, "to", "dora"), "title", ""), "expires_in", "soon")
		r := w.post("carol", "/staff/send", with(form, "preview", preview)...).wantStatus(t, http.StatusUnprocessableEntity)
		var fields []string
		for _, li := range r.page.Find("[data-testid=faults] li").EachIter() {
			fields = append(fields, li.Find("a").AttrOr("href", "none"))
		}
		if diff := cmp.Diff([]string{"#to", "#title", "#expires_in"}, fields); diff != "" {
			t.Errorf("preview %q: %s", preview, diff)
		}
		if got := r.text("#to-fault"); !strings.Contains(got, "dora") {
			t.Errorf("preview %q: the error of the names is %q", preview, got)
		}
	}
}

func TestBrowserMayCacheTheFormForBack(t *testing.T) {
	t.Parallel()
	w := sendWorld(t, 1234, &[]notifier.Draft{})
	for name, r := range map[string]reply{
		"the form":     w.get("carol", "/staff/send"),
		"faults":       w.post("carol", "/staff/send", with(goodForm, "title", "")...),
		"confirmation": w.post("carol", "/staff/send", goodForm...),
		"a preview":    w.post("carol", "/staff/send", with(goodForm, "preview", "1")...),
		"another user": w.post("carol", "/staff/send", with(goodForm, "page_user", "dora")...),
	} {
		if got := r.Header.Get("Cache-Control"); got != "private, no-cache" {
			t.Errorf("%s: %q", name, got)
		}
	}
	w.post("", "/staff/send", goodForm...).wantRedirect(t, "/login?next=%2Fstaff%2Fsend")
	if got := w.get("carol", "/settings").Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("other pages: %q", got)
	}
}

func TestUnknownNamesAreReportedInEveryLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.sender.count = func(notifier.Draft) (int64, error) {
			var bad notifier.InvalidError
			bad.Add("to", notifier.CodeUnknownUsers, map[string]any{"Names": "dora, <b>", "Count": 2})
			return 0, &bad
		}
	})
	for lang, want := range map[string]string{
		"en": "2 unknown users: dora, <b>.",
		"ja": "登録されていない名前が2件あります：dora, <b>",
		"zh": "有 2 个名称不存在：dora, <b>。",
	} {
		r := w.postBody("carol", "/staff/send", "target=user&to=dora&type=a&title=b", "Accept-Language", lang)
		r.wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, "#to-fault", want)
	}
}

func TestSendingWorksWithoutRedis(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 1, &sent)
	w.inbox.badge = func(int64) (notifier.Badge, error) { return notifier.Badge{}, notifier.ErrUnavailable }
	r := w.get("carol", "/staff/send").wantStatus(t, http.StatusOK)
	if r.attr("[data-testid=bell]", "aria-label") != "Notifications" {
		t.Errorf("the bell is named %q", r.attr("[data-testid=bell]", "aria-label"))
	}
	w.post("carol", "/staff/send", goodForm...).wantRedirect(t, "/staff/notices/42")
}
