package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// edited is a call to Edit.
type edited struct {
	ID, Revision int64
	Draft        notifier.Draft
}

// editWorld has announcement 5 in revision 7, which opened at a time with seconds and milliseconds. Announcement 8 is
// over. Notice 9 is in revision 7, notice 10 is retracted and notice 11 has expired.
func editWorld(t *testing.T, asked *[]edited) *world {
	t.Helper()
	return newWorld(t, func(w *world) {
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			switch id {
			case 5:
				return seenBy(announced(5, -hour+1500*time.Millisecond, week)), nil
			case 8:
				return seenBy(announced(8, -week, -hour)), nil
			case 9:
				n := notice(9, notifier.StateSent)
				n.Revision = 7
				return notifier.Progress{Notice: n}, nil
			case 10:
				return notifier.Progress{Notice: notice(10, notifier.StateRetracted)}, nil
			case 11:
				n := notice(11, notifier.StateSent)
				n.ExpiresAt = noon
				return notifier.Progress{Notice: n}, nil
			}
			return notifier.Progress{}, notifier.ErrNotFound
		}
		w.sender.edit = func(id, revision int64, d notifier.Draft) (notifier.Notice, error) {
			*asked = append(*asked, edited{id, revision, d})
			if revision != 7 {
				return notifier.Notice{}, fmt.Errorf("edit: %w", notifier.ErrConflict)
			}
			return notifier.Notice{}, nil
		}
	})
}

var editForm = []string{
	"page_user", "carol", "target", "audience", "to", "User, Customer", "title", "Hello", "body", "One\r\nTwo", "link", "/sale",
	"starts_at", "2026-11-20T20:00", "ends_at", "2026-11-27T21:00", "pinned", "1", "revision", "7",
}

func TestEditFormShowsTheAnnouncement(t *testing.T) {
	t.Parallel()
	w := editWorld(t, &[]edited{})
	r := w.get("carol", "/staff/notices/5/edit", inTokyo...).wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Edit announcement")
	if got := r.chosen("#to_audience [checked]"); !cmp.Equal(got, []string{"user", "customer"}) || r.count("#to") != 0 {
		t.Errorf("the boxes %q are ticked, and there are %d fields for names", got, r.count("#to"))
	}
	r.wantText(t, "#body", "One Two")
	got := map[string]string{}
	for _, name := range []string{"title", "link", "starts_at", "ends_at", "revision", "target"} {
		got[name] = r.attr("[data-testid=edit-form] [name="+name+"]", "value")
	}
	want := map[string]string{
		"title": "Hello", "link": "/sale", "starts_at": "2026-11-20T20:00", "ends_at": "2026-11-27T21:00", "revision": "7", "target": "audience",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if r.count("[name=pinned][checked]") != 1 || r.count("#late_joiners[checked]") != 0 || r.count("#late_joiners") != 1 {
		t.Error("the checkboxes differ from the announcement")
	}
	if r.attr("[data-testid=edit-form]", "action") != "/staff/notices/5/edit" || r.attr("[data-testid=edit-form]", "method") != "post" {
		t.Error("without script the form posts elsewhere")
	}
	if r.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("Cache-Control is %q", r.Header.Get("Cache-Control"))
	}
}

func TestEditSavesAllFieldsAndIsAudited(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	w.postAs(inTokyo, "/staff/notices/5/edit", editForm...).wantRedirect(t, "/staff/notices/5?done=edited")
	changed := with(with(with(with(editForm, "to", "operator"), "title", " New "), "ends_at", "2026-11-28T09:00"), "pinned", "")
	w.postAs(inTokyo, "/staff/notices/5/edit", append(changed, "late_joiners", "1")...).wantRedirect(t, "/staff/notices/5?done=edited")
	w.post("carol", "/staff/notices/5/edit", "title", "Only this").wantRedirect(t, "/staff/notices/5?done=edited")
	same := announced(5, -hour+1500*time.Millisecond, week).Draft
	same.Body = "One\r\nTwo"
	other := same
	other.Target.Audiences, other.Title = []notifier.Audience{1}, " New "
	other.EndsAt, other.Pinned, other.LateJoiners = time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC), false, true
	short := announced(5, -hour+1500*time.Millisecond, week).Draft
	short.Title = "Only this"
	byInstant := cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) })
	if diff := cmp.Diff([]edited{{5, 7, same}, {5, 7, other}, {5, 7, short}}, asked, byInstant); diff != "" {
		t.Error(diff)
	}
	if len(w.audit.entries) != 3 || w.audit.entries[0].Action != "notice.edit" || w.audit.entries[0].Object != notifier.NoticeRef(5) {
		t.Errorf("audit log: %v", w.audit.entries)
	}
	w.get("carol", "/staff/notices/5?done=edited").wantText(t, "[data-testid=done]", "The announcement has been saved.")
}

func TestEditWithoutAStartKeepsTheStart(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	w.postAs(inTokyo, "/staff/notices/5/edit", with(with(editForm, "starts_at", ""), "ends_at", "")...).
		wantRedirect(t, "/staff/notices/5?done=edited")
	if len(asked) != 1 || !asked[0].Draft.StartsAt.Equal(noon.Add(-hour+1500*time.Millisecond)) || !asked[0].Draft.EndsAt.IsZero() {
		t.Errorf("Edit got %+v", asked)
	}
}

func TestEditErrorsAreBesideTheirFields(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	bad := with(with(with(editForm, "to", "martian"), "title", ""), "ends_at", "soon")
	r := w.postAs(inTokyo, "/staff/notices/5/edit", bad...).wantStatus(t, http.StatusUnprocessableEntity)
	r.wantText(t, "#to-fault", "martian does not exist.")
	r.wantText(t, "#title-fault", "Required.")
	r.wantText(t, "#ends_at-fault", "Enter a date and a time.")
	r.wantText(t, "[data-testid=faults] h2", "Not saved. Please fix:")
	if r.text("#to") != "martian" || r.attr("#ends_at", "value") != "soon" || r.attr("[name=revision]", "value") != "7" || len(asked) > 0 {
		t.Errorf("the typed text is lost, or Edit was called: %v", asked)
	}
	for _, field := range []string{"pinned", "late_joiners", "preview"} {
		r := w.postAs(inTokyo, "/staff/notices/5/edit", with(editForm, field, "2")...).wantStatus(t, http.StatusUnprocessableEntity)
		if r.text("[data-testid=faults] li") == "" || len(asked) > 0 {
			t.Errorf("%s=2 reached Edit: %v", field, asked)
		}
	}
	w.postAs(inTokyo, "/staff/notices/5/edit", with(editForm, "preview", "on")...).wantStatus(t, http.StatusOK)
	if len(asked) > 0 {
		t.Errorf("a preview reached Edit: %v", asked)
	}
	w.sender.edit = func(int64, int64, notifier.Draft) (notifier.Notice, error) {
		var bad notifier.InvalidError
		bad.Add("starts_at", notifier.CodeTooManyOpen, map[string]any{"Audience": 3, "Max": 64, "Titles": "Sale"})
		return notifier.Notice{}, fmt.Errorf("edit: %w", &bad)
	}
	r = w.postAs(inTokyo, "/staff/notices/5/edit", editForm...).wantStatus(t, http.StatusUnprocessableEntity)
	if !strings.Contains(r.text("#starts_at-fault"), "for Customer. Close one of these first: Sale.") {
		t.Errorf("the error is %q", r.text("#starts_at-fault"))
	}
}

func TestConflictingEditKeepsTheText(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	typed := with(with(with(editForm, "revision", "6"), "title", "Mine"), "pinned", "")
	r := w.postAs(inTokyo, "/staff/notices/5/edit", typed...).wantStatus(t, http.StatusConflict)
	if !strings.Contains(r.text("[data-testid=conflict]"), "Someone else edited this announcement while you were.") {
		t.Errorf("the conflict is %q", r.text("[data-testid=conflict]"))
	}
	if r.attr("#title", "value") != "Mine" || r.count("[name=pinned][checked]") != 0 {
		t.Error("the typed text is lost")
	}
	// The next attempt uses the current revision.
	if r.attr("[name=revision]", "value") != "7" || r.attr("[data-testid=conflict] a", "href") != "/staff/notices/5" {
		t.Errorf("the form continues from revision %q", r.attr("[name=revision]", "value"))
	}
	w.postAs(inTokyo, "/staff/notices/5/edit", with(typed, "revision", "six")...).wantStatus(t, http.StatusConflict)
	if len(w.audit.entries) > 0 {
		t.Errorf("audit log: %v", w.audit.entries)
	}
}

func TestAnnouncementThatIsOverCannotBeEdited(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	w.get("carol", "/staff/notices/8/edit").wantStatus(t, http.StatusConflict)
	r := w.post("carol", "/staff/notices/8/edit", with(editForm, "title", "Mine")...).wantStatus(t, http.StatusConflict)
	if !strings.Contains(r.text("[data-testid=conflict]"), "can no longer be edited") || r.attr("#title", "value") != "Mine" {
		t.Errorf("the conflict is %q, the title %q", r.text("[data-testid=conflict]"), r.attr("#title", "value"))
	}
	if r.count("#send [type=submit]") != 0 {
		t.Error("a form that cannot be saved has a button to save")
	}
	for _, id := range []string{"6", "0", "05", "-5", "9223372036854775808"} {
		w.get("carol", "/staff/notices/"+id+"/edit").wantStatus(t, http.StatusNotFound)
		w.post("carol", "/staff/notices/"+id+"/edit", editForm...).wantStatus(t, http.StatusNotFound)
	}
	w.get("alice", "/staff/notices/5/edit").wantStatus(t, http.StatusNotFound)
	w.post("alice", "/staff/notices/5/edit", editForm...).wantStatus(t, http.StatusNotFound)
	w.get("", "/staff/notices/5/edit").wantRedirect(t, "/login?next=%2Fstaff%2Fnotices%2F5%2Fedit")
	w.sender.edit = func(int64, int64, notifier.Draft) (notifier.Notice, error) {
		return notifier.Notice{}, fmt.Errorf("secret: %w", notifier.ErrUnavailable)
	}
	w.post("carol", "/staff/notices/5/edit", editForm...).wantStatus(t, http.StatusServiceUnavailable)
	if len(asked) > 0 || len(w.audit.entries) > 0 {
		t.Errorf("Edit got %v, audit log %v", asked, w.audit.entries)
	}
}

func TestEditFromAnotherUsersPageIsNotSaved(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	r := w.postAs(inTokyo, "/staff/notices/5/edit", with(with(editForm, "page_user", "dora"), "title", "Mine")...).wantStatus(t, http.StatusConflict)
	r.wantText(t, "[data-testid=other-user]", "You're now signed in as carol. Nothing was saved.")
	if r.attr("#title", "value") != "Mine" || len(asked) > 0 {
		t.Errorf("the typed text is lost, or saved: %v", asked)
	}
}

func TestEditIsPreviewed(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	w.sender.count = func(notifier.Draft) (int64, error) { return 1213, nil }
	for _, headers := range [][]string{inTokyo, append([]string{"HX-Request", "true"}, inTokyo...)} {
		r := w.postAs(headers, "/staff/notices/5/edit", append(with(editForm, "title", "New"), "preview", "1")...).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=recipients]", "1,213 people will get it.")
		r.wantText(t, "#preview [data-testid=schedule]", "Open until 27 November 2026, 21:00.")
		if !strings.Contains(r.text("#preview"), "Not saved yet.") || !strings.Contains(r.text("#preview"), "New") {
			t.Errorf("the preview is %q", r.text("#preview"))
		}
	}
	if len(asked) > 0 {
		t.Errorf("saved %v", asked)
	}
}
