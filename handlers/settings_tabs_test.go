package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestTheSettingsHaveThreeTabs(t *testing.T) {
	t.Parallel()
	w := preferring(t, notifier.PutPreferences{})
	sections := map[string]string{
		"notifications": "[data-testid=preferences]", "appearance": "form[action='/settings']", "account": "[data-testid=sessions]",
	}
	for address, shown := range map[string]string{
		"/settings": "notifications", "/settings?done=saved": "notifications", "/settings?tab=": "notifications", "/settings?tab=other": "notifications",
		"/settings?tab=appearance": "appearance", "/settings?tab=account": "account",
	} {
		r := w.get("alice", address).wantStatus(t, http.StatusOK)
		for name, section := range sections {
			if got := r.count(section) == 1; got != (name == shown) {
				t.Errorf("%s shows %s: %t", address, name, got)
			}
		}
		r.wantText(t, ".tabs", "Notifications Appearance Account")
		if r.count(".tabs [aria-current=page]") != 1 || !strings.EqualFold(r.text(".tabs [aria-current=page]"), shown) {
			t.Errorf("%s marks the tab %q", address, r.text(".tabs [aria-current=page]"))
		}
	}
	r := w.get("alice", "/settings")
	var order []string
	for _, h := range r.page.Find("main caption, main h2, main label[for=zone]").EachIter() {
		order = append(order, strings.TrimSpace(strings.Split(strings.TrimSpace(h.Text()), "\n")[0]))
	}
	const want = "Email|Pause|Quiet hours|Time zone|Devices|What you follow"
	if got := strings.Join(order[1:], "|"); !strings.HasPrefix(order[0], "Categories of notifications") || got != want {
		t.Errorf("the sections are %q, %q; want the table, %q", order[0], got, want)
	}
	for address, tab := range map[string]string{"": "Notifications", "?tab=appearance": "Appearance", "?tab=account": "Account"} {
		if got := r.text(".tabs a[href='/settings" + address + "']"); got != tab {
			t.Errorf("the tab %s is named %q", address, got)
		}
	}
}

// TestOneSwitchIsSaved sends the form as a browser does when one switch is flipped, with a script and without one.
func TestOneSwitchIsSaved(t *testing.T) {
	t.Parallel()
	w := preferring(t, notifier.PutPreferences{})
	const form = "switch=opening&opening=1&switch=toasts&switch=keys&keys=1&theme=auto&density=comfortable&locale="
	w.postBody("alice", "/settings", form).wantRedirect(t, "/settings?done=saved&tab=appearance")
	if got := w.user(alice.Seq).Settings; got != (notifier.Settings{ToastsOff: true}) {
		t.Errorf("without a script: %+v", got)
	}
	r := w.get("alice", "/settings?done=saved&tab=appearance")
	r.wantText(t, "[data-testid=done] p", "Saved.")
	if r.count("#toasts[checked]") != 0 || r.count("#keys[checked]") != 1 || r.count("form[data-saves] > .buttons [type=submit]") != 1 {
		t.Error("the page shows another switch, or has no button to save")
	}
	r = w.postBody("alice", "/settings", strings.Replace(form, "switch=toasts", "switch=toasts&toasts=1", 1), "Carillon-Form", "1").wantStatus(t, http.StatusNoContent)
	if got := w.user(alice.Seq).Settings; got != (notifier.Settings{}) || r.Header.Get("Location") != "/settings?done=saved&tab=appearance" {
		t.Errorf("with a script: %+v, then %q", got, r.Header.Get("Location"))
	}

	const wants = "type=news&news:+Devices=1&news:+Mail=1"
	w.postBody("alice", "/settings/preferences", wants, "Carillon-Form", "1").wantStatus(t, http.StatusNoContent)
	w.postBody("alice", "/settings/preferences", "push=off", "Carillon-Form", "1").wantStatus(t, http.StatusNoContent)
	has := w.preferences()
	if off := has.Types["news"].Inbox; off == nil || *off || !has.Push.Off || has.Quiet != nil || has.Zone != "" {
		t.Errorf("a part of the preferences is saved as %+v", has)
	}
	w.postBody("alice", "/settings/preferences", "quiet_from=22:00&quiet_to=", "Carillon-Form", "1").wantStatus(t, http.StatusUnprocessableEntity).
		wantText(t, "[data-testid=preferences-fault] p", "Enter both times of the quiet hours.")
}
