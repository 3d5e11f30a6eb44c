package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// templatePath is the address of the form filled in with a template.
func templatePath(id string) string { return sendPath + "?" + url.Values{"template": {id}}.Encode() }

// saveTemplate saves the form as a template, or first asks for a name. The prompt comes before the form's other
// buttons, so that Enter in the name field does not send the notice.
func (h *Handlers) saveTemplate(w http.ResponseWriter, r *http.Request, values url.Values, fault error) error {
	p := h.sendPage(r, h.typed(r, values))
	p.Naming = &views.Naming{Name: draftTitle(values)}
	if values.Has("template_name") {
		p.Naming.Name = kept(values.Get("template_name"))
	}
	d := notifier.SavedDraft{Author: seqOf(r), ID: newOnce(), Title: draftTitle(values), Form: encodeDraft(values)}
	err := fault
	switch {
	case err != nil:
	case !values.Has("template_name"):
		return h.showSend(w, r, http.StatusOK, p)
	default:
		if d.Name, err = notifier.ReadTemplateName(values.Get("template_name")); err == nil {
			err = h.Store.SaveTemplate(r.Context(), d)
		}
	}
	bad := (*notifier.InvalidError)(nil)
	switch {
	case errors.As(err, &bad):
		h.showFaults(p, bad)
		return h.showSend(w, r, http.StatusUnprocessableEntity, p)
	case err != nil:
		return h.notSent(fmt.Errorf("save a template: %w", err), h.typed(r, values))
	}
	p.Naming, p.Kept = nil, p.Text.F("templates.saved", "Name", d.Name)
	return h.showSend(w, r, http.StatusOK, p)
}

// offerTemplates adds links to the templates.
func (h *Handlers) offerTemplates(r *http.Request, p *views.Send) {
	all, err := h.Store.Templates(r.Context())
	if err != nil {
		h.lacks(r, "templates", err)
	}
	for _, d := range all {
		p.Templates = append(p.Templates, views.Link{Text: d.Name, Href: templatePath(d.ID)})
	}
	p.AllDrafts = draftsPath
}
