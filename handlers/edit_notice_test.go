package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

var editNotice = []string{"page_user", "carol", "title", "New", "body", "One\r\nThree", "link", "/photos/2", "revision", "7"}

func TestTextOfANoticeCanBeEdited(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	r := w.get("carol", "/staff/notices/9/edit").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Edit notification")
	r.wantText(t, "#body", "One Two")
	var fields []string
	for _, field := range r.page.Find("[data-testid=edit-form] [name]:not([form])").EachIter() {
		fields = append(fields, field.AttrOr("name", "")+"="+field.AttrOr("value", ""))
	}
	want := []string{"page_user=carol", "revision=7", "title=Hello", "body=", "link=/photos/1", "preview=1"}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Error(diff)
	}
	w.post("carol", "/staff/notices/9/edit", editNotice...).wantRedirect(t, "/staff/notices/9?done=notice-edited")
	w.post("carol", "/staff/notices/9/edit", "title", "Only this").wantRedirect(t, "/staff/notices/9?done=notice-edited")
	whole, part := notice(9, notifier.StateSent).Draft, notice(9, notifier.StateSent).Draft
	whole.Title, whole.Body, whole.Link = "New", "One\r\nThree", "/photos/2"
	part.Title = "Only this"
	if diff := cmp.Diff([]edited{{9, 7, whole}, {9, 7, part}}, asked); diff != "" {
		t.Error(diff)
	}
	for _, e := range w.audit.entries {
		if !e.Actor.Is(notifier.UserRef(carol)) || e.Action != "notice.edit" || e.Object != notifier.NoticeRef(9) {
			t.Errorf("audit entry: %+v", e)
		}
	}
	if len(w.audit.entries) != 2 {
		t.Errorf("%d audit entries", len(w.audit.entries))
	}
	w.get("carol", "/staff/notices/9?done=notice-edited").
		wantText(t, "[data-testid=done] p", "Saved. Open inboxes update in a moment.")
}

func TestEditedLinksMayLeadToThePagesThatTheSenderMayLinkTo(t *testing.T) {
	t.Parallel()
	shop := notifier.App{Name: "shop", Audience: 2, Origins: []string{"https://shop.example"}}
	for name, c := range map[string]struct {
		of      notifier.SendingApp
		sender  notifier.Ref
		link    string
		allowed bool
	}{
		"an app, to its own pages":   {notifier.SendingApp{ID: 1, Name: "shop"}, notifier.KeyRef("shop"), "https://shop.example/9", true},
		"an app, to another's pages": {notifier.SendingApp{ID: 1, Name: "shop"}, notifier.KeyRef("shop"), "https://crm.example/9", false},
		"a person, to any":           {notifier.SendingApp{}, notifier.UserRef(carol), "https://crm.example/9", true},
		"a key of no app":            {notifier.SendingApp{}, notifier.KeyRef("billing"), "https://crm.example/9", false},
	} {
		var asked []edited
		w := editWorld(t, &asked)
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			n := notice(id, notifier.StateSent)
			n.App, n.Sender, n.Revision = c.of, c.sender, 7
			return notifier.Progress{Notice: n}, nil
		}
		w.haveApp(shop)
		w.haveApp(notifier.App{Name: "crm", Audience: 2, Origins: []string{"https://crm.example"}})
		w.post("carol", "/staff/notices/9/edit", with(editNotice, "link", c.link)...)
		if got := len(asked) == 1; got != c.allowed {
			t.Errorf("%s: saved %t", name, got)
		}
	}
}

func TestEditOfANoticeIgnoresFieldsThatCannotChange(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	w.sender.count = func(notifier.Draft) (int64, error) {
		t.Error("the recipients are looked up again, although one may have been deleted")
		return 0, nil
	}
	for _, test := range []struct{ field, value, fault string }{
		{"title", "", "Required."},
		{"body", "a\u202eb", "This contains an unsupported character (U+202E)."},
		{"link", "//evil.example", "Enter a path that begins with / or an https address."},
	} {
		r := w.post("carol", "/staff/notices/9/edit", with(editNotice, test.field, test.value)...).wantStatus(t, http.StatusUnprocessableEntity)
		r.wantText(t, "#"+test.field+"-fault", test.fault)
		if n := r.count(".fault"); n != 1 || test.field != "title" && r.attr("#title", "value") != "New" {
			t.Errorf("%s: %d faults, and the title is %q", test.field, n, r.attr("#title", "value"))
		}
	}
	for _, field := range []string{"to", "type", "subject", "expires_in", "target", "pinned"} {
		w.post("carol", "/staff/notices/9/edit", with(editNotice, field, "x")...).wantStatus(t, http.StatusUnprocessableEntity)
	}
	if len(asked) > 0 {
		t.Errorf("Edit got %+v", asked)
	}
	w.sender.edit = func(int64, int64, notifier.Draft) (notifier.Notice, error) {
		var bad notifier.InvalidError
		bad.Add("subject", notifier.CodeNotEditable, nil)
		return notifier.Notice{}, fmt.Errorf("edit: %w", &bad)
	}
	w.post("carol", "/staff/notices/9/edit", editNotice...).wantStatus(t, http.StatusUnprocessableEntity).
		wantText(t, "[data-testid=faults] li", "Update an earlier one: This can't be changed after sending.")
}

func TestConflictingEditOfANoticeKeepsTheText(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	for _, revision := range []string{"6", "0", "six"} {
		r := w.post("carol", "/staff/notices/9/edit", with(editNotice, "revision", revision)...).wantStatus(t, http.StatusConflict)
		if !strings.Contains(r.text("[data-testid=conflict]"), "Someone else edited this notification while you were.") || r.attr("#title", "value") != "New" {
			t.Errorf("revision %s: the conflict is %q, the title %q", revision, r.text("[data-testid=conflict]"), r.attr("#title", "value"))
		}
		if r.attr("[name=revision]", "value") != "7" || r.attr("[data-testid=conflict] a", "href") != "/staff/notices/9" {
			t.Errorf("the form continues from revision %q", r.attr("[name=revision]", "value"))
		}
	}
	if len(w.audit.entries) > 0 {
		t.Errorf("audit log: %v", w.audit.entries)
	}
}

func TestNoticeThatIsOverCannotBeEdited(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	for _, id := range []string{"10", "11"} {
		page := "/staff/notices/" + id
		if w.get("carol", page).wantStatus(t, http.StatusOK).count("[data-testid=edit]") != 0 {
			t.Errorf("%s offers to edit", page)
		}
		r := w.get("carol", page+"/edit").wantStatus(t, http.StatusConflict)
		if !strings.Contains(r.text("main"), "Retracted or expired notifications can't be edited.") {
			t.Errorf("%s says %q", page, r.text("main"))
		}
		r = w.post("carol", page+"/edit", editNotice...).wantStatus(t, http.StatusConflict)
		if !strings.Contains(r.text("[data-testid=conflict]"), "can no longer be edited") || r.attr("#title", "value") != "New" || r.count("#send [type=submit]") != 0 {
			t.Errorf("%s: the conflict is %q, the title %q", page, r.text("[data-testid=conflict]"), r.attr("#title", "value"))
		}
	}
	r := w.get("carol", "/staff/notices/9")
	if r.attr("[data-testid=edit]", "href") != "/staff/notices/9/edit" {
		t.Error("a notice that can be edited does not offer it")
	}
	if got := r.text(".facts"); !strings.HasSuffix(got, "Revision7") {
		t.Errorf("the facts are %q", got)
	}
	if len(asked) > 0 {
		t.Errorf("Edit got %+v", asked)
	}
}

func TestEditOfANoticeIsPreviewed(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	for _, headers := range [][]string{inTokyo, append([]string{"HX-Request", "true"}, inTokyo...)} {
		r := w.postAs(headers, "/staff/notices/9/edit", append(with(editNotice, "link", "nowhere"), "preview", "1")...)
		if strings.Contains(headers[0], "HX") {
			r.wantStatus(t, http.StatusOK).wantText(t, "#link-fault", "Enter a path that begins with / or an https address.")
			r.wantText(t, "#preview h3", "New")
			continue
		}
		r.wantStatus(t, http.StatusUnprocessableEntity)
		r = w.postAs(headers, "/staff/notices/9/edit", append(append([]string{}, editNotice...), "preview", "1")...).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=recipients]", "Sent to 1,500 people. Everyone who still has it will see the change.")
		if time := r.attr("#preview time", "datetime"); time != "2026-11-20T20:00:00+09:00" || !strings.Contains(r.text("#preview"), "Not saved yet.") {
			t.Errorf("the preview is %q, at %s", r.text("#preview"), time)
		}
	}
	if len(asked) > 0 {
		t.Errorf("saved %v", asked)
	}
}
