package handlers_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestATemplateIsNamedAndSavedAndNothingIsSent(t *testing.T) {
	t.Parallel()
	w := draftWorld(t)
	form := append(slices.Clone(goodForm), "once", token, "template", "1")
	r := w.post("carol", "/staff/send", form...).wantStatus(t, http.StatusOK)
	if r.attr("#template_name", "value") != "Hello" || r.count("#send button") == 0 || len(w.drafts()) != 0 {
		t.Fatalf("the question: %s", r.body)
	}
	// Enter in any field presses the form's first button.
	if first := r.page.Find("#send button[type=submit]").First(); first.AttrOr("name", "") != "template" {
		t.Errorf("Enter in the field of the name presses %q", first.Text())
	}
	cancelled := w.post("carol", "/staff/send", append(slices.Clone(goodForm), "once", token, "template", "0", "template_name", "Greeting")...)
	cancelled.wantStatus(t, http.StatusOK)
	if cancelled.count("#template_name") != 0 || cancelled.attr("#title", "value") != "Hello" || len(w.drafts()) != 0 {
		t.Errorf("the question, cancelled: %s", cancelled.body)
	}
	named := append(slices.Clone(form), "template_name", "  Greeting ")
	r = w.post("carol", "/staff/send", named...).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=template-saved] p", "Template “Greeting” saved. Manage templates")
	if len(w.drafts()) != 1 || w.drafts()[0].Name != "Greeting" || w.drafts()[0].ID == token || w.drafts()[0].Title != "Hello" ||
		r.attr("#title", "value") != "Hello" || r.count("#template_name") != 0 {
		t.Errorf("saved: %+v", w.drafts())
	}
	for name, fault := range map[string]string{"": "required", " ": "required", strings.Repeat("x", 201): "At most 200 characters", "a\x07b": "unsupported character"} {
		r := w.post("carol", "/staff/send", append(slices.Clone(form), "template_name", name)...).wantStatus(t, http.StatusUnprocessableEntity)
		if text := r.text("#template_name-fault"); !strings.Contains(strings.ToLower(text), strings.ToLower(fault)) {
			t.Errorf("the name %.9q: %q", name, text)
		}
	}
	for n := range notifier.MaxTemplates - 1 {
		w.haveDraft(notifier.SavedDraft{Author: bob.Seq, ID: strconv.Itoa(n), Name: fmt.Sprint("template ", n)})
	}
	w.post("carol", "/staff/send", with(named, "template_name", "one more")...).wantStatus(t, http.StatusUnprocessableEntity).
		wantText(t, "#template_name-fault", "There are already 100 templates. Delete one to save another.")
	w.closeSQL()
	if r := w.post("carol", "/staff/send", named...).wantStatus(t, http.StatusServiceUnavailable); r.attr("#title", "value") != "Hello" {
		t.Error("the text is lost")
	}
}

func TestATemplateFillsInANewForm(t *testing.T) {
	t.Parallel()
	w := draftWorld(t)
	w.haveDraft(notifier.SavedDraft{Author: bob.Seq, ID: token, Name: "Late <b>", Title: "Late", Form: "target=role&to_role=picker&title=Late"})
	r := w.get("carol", "/staff/send").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=templates] ul", "Late <b>Manage templates")
	if r.count("[data-testid=resume]") != 0 {
		t.Error("a template is offered as a draft")
	}
	r = w.get("carol", r.attr("[data-testid=templates] a", "href")).wantStatus(t, http.StatusOK)
	if r.attr("#title", "value") != "Late" || r.attr("[name=once]", "value") == token || r.text("#draft-state") != "" {
		t.Errorf("the form: %s", r.body)
	}
	r = w.get("carol", "/staff/notices?tab=drafts").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=template] th", "Late <b>")
	if r.count("[data-testid=draft]") != 0 || r.attr("[data-testid=template] .button", "aria-label") != "Use the template “Late <b>”" {
		t.Errorf("the list: %s", r.body)
	}
	w.post("carol", "/staff/send/drafts/delete", "draft", token).wantRedirect(t, "/staff/notices?done=draft-deleted&tab=drafts")
	w.get("carol", "/staff/notices?done=draft-deleted&tab=drafts").wantText(t, "[data-testid=done] p", "Template deleted.")
	w.get("carol", "/staff/send?template="+token).wantStatus(t, http.StatusNotFound).
		wantText(t, "[data-testid=not-sent] p", "This template no longer exists.")
}
