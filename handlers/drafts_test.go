package handlers_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// drafts keeps drafts in memory, as store does in SQL.
type drafts struct {
	all     []notifier.SavedDraft // changed last first
	deleted []notifier.SavedDraft
	sent    string // the id of a draft that was sent
	err     error  // of every call
}

func (d *drafts) SaveDraft(_ context.Context, one notifier.SavedDraft) error {
	if d.err != nil {
		return d.err
	}
	if one.ID == d.sent {
		return notifier.ErrConflict
	}
	one.ChangedAt = noon
	d.all = append([]notifier.SavedDraft{one}, slices.DeleteFunc(d.all, same(one.Author, one.ID))...)
	return nil
}

func same(author int64, id string) func(notifier.SavedDraft) bool {
	return func(each notifier.SavedDraft) bool {
		return (each.Author == author || each.Name != "") && each.ID == id
	}
}

func (d *drafts) SaveTemplate(_ context.Context, one notifier.SavedDraft) error {
	if d.err != nil {
		return d.err
	}
	one.ChangedAt = noon
	d.all = append(slices.DeleteFunc(d.all, func(each notifier.SavedDraft) bool { return each.Name == one.Name }), one)
	return nil
}

func (d *drafts) Templates(context.Context) (all []notifier.SavedDraft, err error) {
	for _, each := range d.all {
		if each.Name != "" {
			all = append(all, each)
		}
	}
	return all, d.err
}

func (d *drafts) RestoreDraft(_ context.Context, user int64, id string) error {
	i := slices.IndexFunc(d.deleted, same(user, id))
	if d.err != nil || i < 0 {
		return cmpErr(d.err)
	}
	d.all, d.deleted = append(d.all, d.deleted[i]), nil
	return nil
}

func (d *drafts) SavedDrafts(_ context.Context, author int64) (own []notifier.SavedDraft, err error) {
	for _, each := range d.all {
		if each.Author == author && each.Name == "" {
			own = append(own, each)
		}
	}
	return own, d.err
}

func (d *drafts) SavedDraft(_ context.Context, author int64, id string) (notifier.SavedDraft, error) {
	i := slices.IndexFunc(d.all, same(author, id))
	if d.err != nil || i < 0 {
		return notifier.SavedDraft{}, cmpErr(d.err)
	}
	return d.all[i], nil
}

func (d *drafts) DeleteDraft(_ context.Context, author int64, id string) error {
	i := slices.IndexFunc(d.all, same(author, id))
	if d.err != nil || i < 0 {
		return cmpErr(d.err)
	}
	d.deleted = []notifier.SavedDraft{d.all[i]}
	d.all = slices.Delete(d.all, i, i+1)
	return nil
}

func cmpErr(err error) error {
	if err == nil {
		return notifier.ErrNotFound
	}
	return err
}

func draftWorld(t *testing.T) (*world, *drafts) {
	t.Helper()
	book := &drafts{}
	w := sendWorld(t, 2, &[]notifier.Draft{})
	w.config.Drafts = book
	w.rebuild()
	return w, book
}

// token is a form's token.
const token = "AAAAAAAAAAAAAAAAAAAAAA"

func TestADraftIsSavedAsTypedAndShownAgain(t *testing.T) {
	t.Parallel()
	w, book := draftWorld(t)
	form := append(with(with(goodForm, "title", " Bell\x07 "), "expires_in", "soon"), "once", token, "pinned", "1", "save", "1")
	w.post("carol", "/staff/send", form...).wantRedirect(t, "/staff/send?draft="+token)
	if len(book.all) != 1 || book.all[0].Author != carol.Seq || book.all[0].Title != "Bell\x07" {
		t.Fatalf("saved: %+v", book.all)
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
	if n := w.get("carol", "/staff/send?draft="+token).count("[name=to_audience][checked]"); n != 1 || len(book.all) != 1 {
		t.Errorf("%d audiences, %d drafts", n, len(book.all))
	}
	w.post("carol", "/staff/send", with(form, "save", "2")...).wantStatus(t, http.StatusUnprocessableEntity) // neither saved nor sent
}

func TestADraftIsShownToItsAuthorAlone(t *testing.T) {
	t.Parallel()
	w, book := draftWorld(t)
	book.all = []notifier.SavedDraft{{Author: 3, ID: token, Title: "Secret", Form: "title=Secret"}}
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
	if w.get("carol", "/staff/send").count("[data-testid=resume]") != 0 || len(book.all) != 1 {
		t.Error("another user's draft is offered, or deleted")
	}
}

func TestAnEmptyFormOffersTheNewestDraft(t *testing.T) {
	t.Parallel()
	w, book := draftWorld(t)
	book.all = []notifier.SavedDraft{
		{Author: carol.Seq, ID: token, Title: "Late <b>", ChangedAt: noon.Add(-time.Hour)}, {Author: carol.Seq, ID: "b", ChangedAt: noon.Add(-48 * time.Hour)},
	}
	r := w.get("carol", "/staff/send").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=resume]", "Continue your draft: Late <b> 11:00 All drafts (2)")
	if r.attr("[data-testid=resume] a", "href") != "/staff/send?draft="+token {
		t.Error("the link leads elsewhere")
	}
	if w.get("carol", "/staff/send?title=x").count("[data-testid=resume]") != 0 {
		t.Error("a form that is filled in offers it")
	}
	book.err = errAway
	w.get("carol", "/staff/send").wantStatus(t, http.StatusOK)
}

func TestAScriptSavesDrafts(t *testing.T) {
	t.Parallel()
	w, book := draftWorld(t)
	save := func(fields ...string) reply {
		return w.postAs([]string{"HX-Request", "true"}, "/staff/send", append(fields, "once", token, "save", "1")...)
	}
	r := save(goodForm...).wantStatus(t, http.StatusOK)
	r.wantText(t, "#draft-state", "Draft saved 12:00")
	if r.attr("#draft-state", "data-once") != token || r.count("form, h1") != 0 {
		t.Errorf("the answer: %s", r.body)
	}
	if r := save("target", "user", "title", " "); r.text("#draft-state") != "" || len(book.all) != 0 {
		t.Errorf("an empty form is the draft %+v", book.all)
	}
	var bad notifier.InvalidError
	bad.Add("draft", notifier.CodeTooManyDrafts, map[string]any{"Max": 50})
	book.err = &bad
	save(goodForm...).wantStatus(t, http.StatusOK).wantText(t, "#draft-state.unsaved", "Draft not saved. You already have 50 drafts. Delete one to save another.")
	w.post("carol", "/staff/send", append(slices.Clone(goodForm), "save", "1")...).wantStatus(t, http.StatusUnprocessableEntity).
		wantText(t, "[data-testid=faults] li", "You already have 50 drafts. Delete one to save another.")
	book.err = errAway
	save(goodForm...).wantStatus(t, http.StatusServiceUnavailable)
	r = w.post("carol", "/staff/send", append(slices.Clone(goodForm), "save", "1")...).wantStatus(t, http.StatusServiceUnavailable)
	if r.attr("#title", "value") != "Hello" {
		t.Error("the text is lost")
	}
}

func TestSavingWhatWasSentBeginsAnotherDraft(t *testing.T) {
	t.Parallel()
	w, book := draftWorld(t)
	book.sent = token
	form := append(slices.Clone(goodForm), "once", token, "save", "1")
	r := w.postAs([]string{"HX-Request", "true"}, "/staff/send", form...).wantStatus(t, http.StatusOK)
	next := r.attr("#draft-state", "data-once")
	if len(next) != len(token) || next == token || r.text("#draft-state") != "" || len(book.all) != 0 {
		t.Errorf("the token is %q, drafts %+v", next, book.all)
	}
	r = w.post("carol", "/staff/send", form...).wantStatus(t, http.StatusSeeOther)
	if len(book.all) != 1 || r.Header.Get("Location") != "/staff/send?draft="+book.all[0].ID {
		t.Errorf("saved %+v, then %s", book.all, r.Header.Get("Location"))
	}
}

func TestDeletingADraftCanBeUndone(t *testing.T) {
	t.Parallel()
	w, book := draftWorld(t)
	book.all = []notifier.SavedDraft{{Author: carol.Seq, ID: token, Title: "Late"}}
	w.post("carol", "/staff/send/drafts/delete", "draft", token).wantRedirect(t, "/staff/notices?done=draft-deleted&tab=drafts")
	r := w.get("carol", "/staff/notices?done=draft-deleted&tab=drafts").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=done] p", "Draft deleted.")
	if r.attr("#done form", "action") != "/staff/send/drafts/restore" || r.attr("#done [name=draft]", "value") != token || len(book.all) != 0 {
		t.Errorf("Undo: %s", r.body)
	}
	w.get("carol", "/staff/notices?tab=drafts").wantStatus(t, http.StatusOK)
	w.post("carol", "/staff/send/drafts/restore", "draft", token).wantRedirect(t, "/staff/notices?tab=drafts&done=restored")
	if len(book.all) != 1 {
		t.Error("it is not restored")
	}
	w.post("carol", "/staff/send/drafts/restore", "draft", token).wantStatus(t, http.StatusNotFound)
	var bad notifier.InvalidError
	bad.Add("draft", notifier.CodeTooManyDrafts, map[string]any{"Max": 50})
	book.err = &bad
	w.post("carol", "/staff/send/drafts/restore", "draft", token).wantStatus(t, http.StatusConflict)
}
