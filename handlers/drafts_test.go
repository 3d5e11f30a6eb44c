package handlers_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// haveDraft saves a draft or, if it has a name, a template.
func (d *databases) haveDraft(one notifier.SavedDraft) {
	d.t.Helper()
	save := d.db.SaveDraft
	if one.Name != "" {
		save = d.db.SaveTemplate
	}
	if err := save(d.t.Context(), one); err != nil {
		d.t.Fatal(err)
	}
}

// drafts lists carol's drafts, last changed first, and then the templates.
func (d *databases) drafts() []notifier.SavedDraft {
	d.t.Helper()
	own, err := d.db.SavedDrafts(d.t.Context(), carol.Seq)
	templates, templatesErr := d.db.Templates(d.t.Context())
	if err := errors.Join(err, templatesErr); err != nil {
		d.t.Fatal(err)
	}
	return append(own, templates...)
}

// fillDrafts saves the maximum number of drafts for carol.
func (d *databases) fillDrafts() {
	d.t.Helper()
	for n := range notifier.MaxSavedDrafts {
		d.haveDraft(notifier.SavedDraft{Author: carol.Seq, ID: strconv.Itoa(n)})
	}
}

func draftWorld(t *testing.T) *world {
	t.Helper()
	return sendWorld(t, 2, &[]notifier.Draft{})
}

// token is the token of a form.
const token = "AAAAAAAAAAAAAAAAAAAAAA"

func TestADraftIsSavedAsTypedAndShownAgain(t *testing.T) {
	t.Parallel()
	w := draftWorld(t)
	form := append(with(with(goodForm, "title", " Bell\x07 "), "expires_in", "soon"), "once", token, "pinned", "1", "save", "1")
	w.post("carol", "/staff/send", form...).wantRedirect(t, "/staff/send?draft="+token)
	if len(w.drafts()) != 1 || w.drafts()[0].Author != carol.Seq || w.drafts()[0].Title != "Bell\x07" {
		t.Fatalf("saved: %+v", w.drafts())
	}
	r := w.get("carol", "/staff/send?draft="+token).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=draft]", "Draft saved 12:00")
	if r.attr("[name=once]", "value") != token || r.attr("#title", "value") != " Bell\x07 " || r.text("#to") != "alice, bob" ||
		r.page.Find("#body").Text() != "One\nTwo" || r.attr("#expires_in option[selected]", "value") != "soon" || r.count("#is_pinned[checked]") != 1 {
		t.Errorf("the form: %s", r.body)
	}
	if got := r.Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("Back could show an older draft: %q", got)
	}
	w.post("carol", "/staff/send", with(append(form, "to_audience", "customer"), "target", "audience")...)
	if n := w.get("carol", "/staff/send?draft="+token).count("[name=to_audience][checked]"); n != 1 || len(w.drafts()) != 1 {
		t.Errorf("%d audiences, %d drafts", n, len(w.drafts()))
	}
	w.post("carol", "/staff/send", with(form, "save", "2")...).wantStatus(t, http.StatusUnprocessableEntity) // neither saved nor sent
}

func TestADraftIsShownToItsAuthorAlone(t *testing.T) {
	t.Parallel()
	w := draftWorld(t)
	w.haveDraft(notifier.SavedDraft{Author: bob.Seq, ID: token, Title: "Secret", Form: "title=Secret"})
	for _, id := range []string{token, "", "x", strings.Repeat("x", 9999)} {
		if id == "" {
			id = "%00"
		}
		r := w.get("carol", "/staff/send?draft="+id).wantStatus(t, http.StatusNotFound)
		r.wantText(t, "[data-testid=not-sent] p", "This draft no longer exists: it was sent or deleted.")
		if strings.Contains(r.body, "Secret") {
			t.Error("another user's draft is shown")
		}
	}
	w.post("carol", "/staff/send/drafts/delete", "draft", token).wantStatus(t, http.StatusNotFound)
	w.get("alice", "/staff/send?draft="+token).wantStatus(t, http.StatusNotFound)
	if w.get("carol", "/staff/send").count("[data-testid=resume]") != 0 {
		t.Error("another user's draft is offered")
	}
	if own, err := w.db.SavedDrafts(t.Context(), bob.Seq); err != nil || len(own) != 1 {
		t.Error("another user's draft is deleted")
	}
}

func TestAnEmptyFormOffersTheNewestDraft(t *testing.T) {
	t.Parallel()
	w := draftWorld(t)
	w.now.Store(int64(-48 * time.Hour))
	w.haveDraft(notifier.SavedDraft{Author: carol.Seq, ID: "b"})
	w.now.Store(int64(-time.Hour))
	w.haveDraft(notifier.SavedDraft{Author: carol.Seq, ID: token, Title: "Late <b>"})
	w.now.Store(0)
	r := w.get("carol", "/staff/send").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=resume]", "Continue your draft: Late <b> 11:00 All drafts (2)")
	if r.attr("[data-testid=resume] a", "href") != "/staff/send?draft="+token {
		t.Error("the link leads elsewhere")
	}
	if w.get("carol", "/staff/send?title=x").count("[data-testid=resume]") != 0 {
		t.Error("a form that is filled in offers it")
	}
	w.closeSQL()
	w.get("carol", "/staff/send").wantStatus(t, http.StatusOK)
}

func TestAScriptSavesDrafts(t *testing.T) {
	t.Parallel()
	w := draftWorld(t)
	save := func(fields ...string) reply {
		return w.postAs([]string{"HX-Request", "true"}, "/staff/send", append(fields, "once", token, "save", "1")...)
	}
	r := save(goodForm...).wantStatus(t, http.StatusOK)
	r.wantText(t, "#draft-state", "Draft saved 12:00")
	if r.attr("#draft-state", "data-once") != token || r.count("form, h1") != 0 {
		t.Errorf("the answer: %s", r.body)
	}
	if r := save("target", "user", "title", " "); r.text("#draft-state") != "" || len(w.drafts()) != 0 {
		t.Errorf("an empty form is the draft %+v", w.drafts())
	}
	w.fillDrafts()
	save(goodForm...).wantStatus(t, http.StatusOK).wantText(t, "#draft-state.unsaved", "Draft not saved. You already have 50 drafts. Delete one to save another.")
	w.post("carol", "/staff/send", append(slices.Clone(goodForm), "save", "1")...).wantStatus(t, http.StatusUnprocessableEntity).
		wantText(t, "[data-testid=faults] li", "You already have 50 drafts. Delete one to save another.")
	w.closeSQL()
	save(goodForm...).wantStatus(t, http.StatusServiceUnavailable)
	r = w.post("carol", "/staff/send", append(slices.Clone(goodForm), "save", "1")...).wantStatus(t, http.StatusServiceUnavailable)
	if r.attr("#title", "value") != "Hello" {
		t.Error("the text is lost")
	}
}

func TestSavingWhatWasSentBeginsAnotherDraft(t *testing.T) {
	t.Parallel()
	w := draftWorld(t)
	n := announced(0, 0, week)
	n.Draft.Sender = notifier.UserRef(carol)
	if _, err := w.db.AnnounceOnce(t.Context(), notifier.Deed{}, &n, &notifier.Once{Owner: notifier.UserRef(carol), Key: token, Digest: []byte("digest")}); err != nil {
		t.Fatal(err)
	}
	form := append(slices.Clone(goodForm), "once", token, "save", "1")
	r := w.postAs([]string{"HX-Request", "true"}, "/staff/send", form...).wantStatus(t, http.StatusOK)
	next := r.attr("#draft-state", "data-once")
	if len(next) != len(token) || next == token || r.text("#draft-state") != "" || len(w.drafts()) != 0 {
		t.Errorf("the token is %q, drafts %+v", next, w.drafts())
	}
	r = w.post("carol", "/staff/send", form...).wantStatus(t, http.StatusSeeOther)
	if len(w.drafts()) != 1 || r.Header.Get("Location") != "/staff/send?draft="+w.drafts()[0].ID {
		t.Errorf("saved %+v, then %s", w.drafts(), r.Header.Get("Location"))
	}
}

func TestDeletingADraftCanBeUndone(t *testing.T) {
	t.Parallel()
	w := draftWorld(t)
	w.haveDraft(notifier.SavedDraft{Author: carol.Seq, ID: token, Title: "Late"})
	w.post("carol", "/staff/send/drafts/delete", "draft", token).wantRedirect(t, "/staff/notices?done=draft-deleted&tab=drafts")
	r := w.get("carol", "/staff/notices?done=draft-deleted&tab=drafts").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=done] p", "Draft deleted.")
	if r.attr("#done form", "action") != "/staff/send/drafts/restore" || r.attr("#done [name=draft]", "value") != token || len(w.drafts()) != 0 {
		t.Errorf("Undo: %s", r.body)
	}
	w.get("carol", "/staff/notices?tab=drafts").wantStatus(t, http.StatusOK)
	w.post("carol", "/staff/send/drafts/restore", "draft", token).wantRedirect(t, "/staff/notices?tab=drafts&done=restored")
	if len(w.drafts()) != 1 {
		t.Error("it is not restored")
	}
	w.post("carol", "/staff/send/drafts/restore", "draft", token).wantStatus(t, http.StatusNotFound)
	w.post("carol", "/staff/send/drafts/delete", "draft", token)
	w.fillDrafts()
	w.post("carol", "/staff/send/drafts/restore", "draft", token).wantStatus(t, http.StatusConflict)
}
