package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

const (
	sendPath   = "/staff/send"
	draftsPath = noticesPath + "?tab=drafts" // lists the reader's drafts and the templates

	draftDeleted = "draft-deleted" // a done code
)

// keptFields are the fields that a draft stores, besides the boxes to_role and to_audience. Its token is its ID.
var keptFields = []string{
	"target", "to", "to_kept", "type", "scope", "subject", "title", "body", "link", "expires_in", "choices", "take", "take_within", "take_else", "send_at", "toast",
	"starts_at", "ends_at", "pinned", "late_joiners",
}

// draftPath is the address of the form filled in with a draft.
func draftPath(id string) string { return sendPath + "?" + url.Values{"draft": {id}}.Encode() }

// draftForm shows the form filled in with one of the reader's drafts or a template. gone is the ID of the text for a
// missing one.
func (h *Handlers) draftForm(w http.ResponseWriter, r *http.Request, id, gone string) error {
	d, err := h.Store.SavedDraft(r.Context(), seqOf(r), id)
	if errors.Is(err, notifier.ErrNotFound) {
		p := h.sendPage(r, views.SendForm{Target: "user"})
		p.NotSent = p.Text.T(gone)
		return h.page(w, r, http.StatusNotFound, views.SendPage(p))
	}
	if err != nil {
		return fmt.Errorf("continue a draft: %w", err)
	}
	values, err := url.ParseQuery(d.Form)
	if err != nil {
		return fmt.Errorf("decode a draft: %w", err)
	}
	if d.Name == "" {
		values.Set("once", d.ID)
	}
	p := h.sendPage(r, h.typed(r, values))
	h.offerTemplates(r, p)
	if d.Name == "" {
		p.Draft = h.savedAt(r, d.ChangedAt)
	}
	return h.page(w, r, http.StatusOK, views.SendPage(p)) // not cached: Back shows the draft's current state
}

// saveDraft saves the form as it is, errors included. An htmx request gets the line about the draft; a plain form is
// redirected to the draft.
func (h *Handlers) saveDraft(w http.ResponseWriter, r *http.Request, values url.Values, fault error) error {
	d := notifier.SavedDraft{Author: seqOf(r), ID: onceOf(values.Get("once")), Title: draftTitle(values), Form: encodeDraft(values)}
	if d.ID == "" {
		d.ID = newOnce()
	}
	empty := blank(values)
	switch {
	case fault != nil:
	case !empty:
		fault = h.Store.SaveDraft(r.Context(), d)
	default: // an empty form is not a draft
		if fault = h.Store.DeleteDraft(r.Context(), d.Author, d.ID); errors.Is(fault, notifier.ErrNotFound) {
			fault = nil
		}
	}
	sent := errors.Is(fault, notifier.ErrConflict)
	if sent { // the draft was sent meanwhile; this input becomes a new one
		d.ID = newOnce()
	}
	if fragment(r) {
		return h.draftPart(w, r, d.ID, empty, fault)
	}
	if sent {
		fault = h.Store.SaveDraft(r.Context(), d)
	}
	bad := (*notifier.InvalidError)(nil)
	switch {
	case errors.As(fault, &bad):
		p := h.sendPage(r, h.typed(r, values))
		h.showFaults(p, bad)
		return h.showSend(w, r, http.StatusUnprocessableEntity, p)
	case fault != nil:
		return h.notSent(fmt.Errorf("save a draft: %w", fault), h.typed(r, values))
	case empty:
		redirect(w, r, sendPath)
	default:
		redirect(w, r, draftPath(d.ID))
	}
	return nil
}

// draftPart responds to an htmx request with the line about the draft and the token that the form uses from now on.
// After a conflict the script saves again, because only it can detect whether the form is still open.
func (h *Handlers) draftPart(w http.ResponseWriter, r *http.Request, token string, empty bool, fault error) error {
	p := &views.Send{Frame: h.bareFrame(r), Form: views.SendForm{Once: token}}
	bad := (*notifier.InvalidError)(nil)
	switch {
	case fault == nil && empty:
	case fault == nil:
		p.Draft = h.savedAt(r, h.Now())
	case errors.As(fault, &bad):
		p.DraftFault = p.Text.F("send.draft_unsaved", "Text", faultText(p.Text, bad.Fields[0]))
	case !errors.Is(fault, notifier.ErrConflict):
		return fmt.Errorf("save a draft: %w", fault)
	}
	return h.page(w, r, http.StatusOK, views.DraftPart(p))
}

// deleteDraft deletes a draft or template and offers Undo.
func (h *Handlers) deleteDraft(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "draft")
	if err != nil {
		return err
	}
	id := values.Get("draft")
	d, err := h.Store.SavedDraft(r.Context(), seqOf(r), id)
	if err == nil {
		err = h.Store.DeleteDraft(r.Context(), seqOf(r), id)
	}
	if err != nil {
		return fmt.Errorf("delete a draft: %w", err)
	}
	said := "done.draft_deleted"
	if d.Name != "" {
		said = "done.template_deleted"
	}
	h.removed(w, r, noticesPath, draftsPath, draftDeleted, views.Done{Text: h.text(r).T(said), Undo: &views.Undo{
		Action: sendPath + "/drafts/restore", Target: "#results", Select: "#results", Fields: []views.Hidden{{Name: "draft", Value: kept(id)}},
	}})
	return nil
}

// restoreDraft undoes a deletion.
func (h *Handlers) restoreDraft(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "draft")
	if err != nil {
		return err
	}
	bad := (*notifier.InvalidError)(nil)
	err = h.Store.RestoreDraft(r.Context(), seqOf(r), values.Get("draft"))
	if errors.As(err, &bad) { // there is no room any more
		return fmt.Errorf("restore a draft: %w: %s", notifier.ErrConflict, bad.Fields[0].Code)
	}
	if err != nil {
		return fmt.Errorf("restore a draft: %w", err)
	}
	redirect(w, r, draftsPath+"&done=restored")
	return nil
}

// savedAt returns the line with the time a draft was saved.
func (h *Handlers) savedAt(r *http.Request, at time.Time) string {
	text, now := h.text(r), h.now(r)
	return text.F("send.draft_saved", "Time", text.Short(at.In(now.Location()), now))
}

// offerDrafts adds links to the reader's drafts to an empty form.
func (h *Handlers) offerDrafts(r *http.Request, p *views.Send) {
	drafts, err := h.Store.SavedDrafts(r.Context(), seqOf(r))
	if err != nil {
		h.lacks(r, "drafts", err)
	}
	if len(drafts) == 0 {
		return
	}
	now := h.now(r)
	p.Newest = &views.DraftLink{Href: draftPath(drafts[0].ID), Title: drafts[0].Title, Changed: p.Text.Short(drafts[0].ChangedAt.In(now.Location()), now)}
	p.Drafts, p.AllDrafts = int64(len(drafts)), draftsPath
}

// blank reports whether the form has no input.
func blank(values url.Values) bool {
	for _, name := range []string{"to", "to_kept", "type", "scope", "subject", "title", "body", "link"} {
		if strings.TrimSpace(values.Get(name)) != "" {
			return false
		}
	}
	return len(tickedBoxes(values, "to_role"))+len(tickedBoxes(values, "to_audience")) == 0
}

// draftTitle is the title of a draft in lists.
func draftTitle(values url.Values) string {
	title := []rune(kept(strings.TrimSpace(values.Get("title"))))
	return string(title[:min(len(title), notifier.MaxTitle)])
}

func encodeDraft(values url.Values) string {
	given := url.Values{}
	for _, name := range keptFields {
		if value := values.Get(name); value != "" {
			given.Set(name, value)
		}
	}
	for _, boxes := range []string{"to_role", "to_audience"} {
		given[boxes] = tickedBoxes(values, boxes)
	}
	return given.Encode()
}
