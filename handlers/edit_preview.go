package handlers

import (
	"context"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// checkEdit validates an edited draft, merges its errors with found, and returns the number of recipients.
func (h *Handlers) checkEdit(r *http.Request, n *notifier.Notice, d notifier.Draft, found ...error) (int64, error) {
	if n.Announces() {
		sure, err := h.confirm(r, d, found...)
		return sure.Recipients, err
	}
	return n.Recipients, merge(append(found, h.checkText(r.Context(), n, &d))...).OrNil()
}

// checkText validates only the fields that an edit can change. The others were valid when the notice was sent, but
// may name users who have since been deleted.
func (h *Handlers) checkText(ctx context.Context, n *notifier.Notice, d *notifier.Draft) error {
	text := notifier.Draft{
		Target: notifier.Target{Users: []string{"any"}}, Type: "any", Title: d.Title, Body: d.Body, Link: d.Link,
	}
	if d.Link == n.Link {
		text.Link = "" // an unchanged link stays valid, even if the hosts have changed
	}
	if n.State == notifier.StateScheduled && !d.SendAt.Equal(n.SendAt) {
		text.SendAt = d.SendAt
	}
	app := h.Tokens.Named(ctx, n.App.Name)
	sites := app.Sites()
	if n.App.ID == 0 && n.Sender.Kind == notifier.KindUser {
		sites = h.Tokens.Sites(ctx)
	}
	return text.Validate(notifier.Limits{LinkHosts: h.LinkHosts, Sites: sites, Keep: h.Keep, Now: h.Now()})
}

// editPart responds to an edit in progress like previewPart.
func (h *Handlers) editPart(
	w http.ResponseWriter, r *http.Request, n *notifier.Notice, values url.Values, d notifier.Draft, found ...error,
) error {
	p := &views.Send{Form: h.editTyped(r, n, values), Edit: &views.Edit{}}
	if n.Announces() {
		return h.previewPart(w, r, p, d, found...)
	}
	p.Frame, p.Faults = h.bareFrame(r), map[string]string{}
	h.showFaults(p, merge(append(found, h.checkText(r.Context(), n, &d))...))
	p.Preview = h.noticePreview(r, p, n, d)
	return h.page(w, r, http.StatusOK, views.SendPart(p))
}

// previewEdit shows the form with a preview of the edit.
func (h *Handlers) previewEdit(
	w http.ResponseWriter, r *http.Request, n *notifier.Notice, values url.Values, d notifier.Draft, count int64,
) error {
	p := h.editPage(r, n, values)
	if n.Announces() {
		p.Preview = h.preview(r, p, &d)
		p.Preview.Recipients = p.Text.N("send.recipients", count)
	} else {
		p.Preview = h.noticePreview(r, p, n, d)
	}
	return h.showEdit(w, r, http.StatusOK, p)
}

// noticePreview shows a notice as its recipients would see it after the edit.
func (h *Handlers) noticePreview(r *http.Request, p *views.Send, n *notifier.Notice, d notifier.Draft) *views.Preview {
	shown := &views.Preview{Card: h.card(p.Text, d, n.SentAt().In(h.zones.of(r)))}
	if n.Routed {
		shown.Recipients = p.Text.N("edit.recipients", n.Recipients)
	}
	return shown
}
