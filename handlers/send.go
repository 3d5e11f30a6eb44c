package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// confirmAbove is the number of recipients above which the sender must confirm.
const confirmAbove = 1000

// sendFields lists the fields of the form.
var sendFields = []string{
	"target", "to", "type", "scope", "subject", "title", "body", "link", "expires_in", "choices", "take", "take_within", "take_else", "send_at", "toast", "preview", "confirm",
	"starts_at", "ends_at", "pinned", "late_joiners", "once", "to_kept", "test", "save", "template", "template_name", "later", "asks",
}

// sendForm shows the form, filled in from the query or from a draft, template or notice that the query selects.
func (h *Handlers) sendForm(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	if id := values.Get("draft"); id != "" {
		return h.draftForm(w, r, id, "send.draft_gone")
	}
	if id := values.Get("template"); id != "" {
		return h.draftForm(w, r, id, "templates.gone")
	}
	if id := values.Get("from"); id != "" {
		given, err := h.duplicated(r, id)
		if err != nil {
			return err
		}
		return h.showSend(w, r, http.StatusOK, h.sendPage(r, given))
	}
	given := views.SendForm{
		Target: "user", To: kept(values.Get("to")), Type: kept(values.Get("type")), Scope: kept(values.Get("scope")),
		Title: kept(values.Get("title")), LateJoiners: true,
	}
	if target := values.Get("target"); target == "role" || target == "topic" || target == "audience" {
		given.Target = target
	}
	h.chooseRecipients(r, &given)
	p := h.sendPage(r, given)
	if len(values) == 0 {
		h.offerDrafts(r, p)
	}
	return h.showSend(w, r, http.StatusOK, p)
}

// send sends the notice or shows the form again: with its errors, as a preview, or to confirm a large number of
// recipients.
func (h *Handlers) send(w http.ResponseWriter, r *http.Request) error {
	values, err := formWith(r, []string{"to_audience", "to_role"}, sendFields...)
	if errors.Is(err, errOtherUser) {
		return h.sendAsOther(w, r)
	}
	if values == nil {
		return err
	}
	pasted(values)
	if ticked(values, "save") {
		return h.saveDraft(w, r, values, err)
	}
	if values.Get("template") == "0" { // the prompt for the name was cancelled
		return h.showSend(w, r, http.StatusOK, h.sendPage(r, h.typed(r, values)))
	}
	if ticked(values, "template") {
		return h.saveTemplate(w, r, values, err)
	}
	if values.Get("later") != "" {
		return h.chooseTime(w, r, values)
	}
	draft, faults := h.readDraft(r, values)
	if fragment(r) && ticked(values, "preview") {
		return h.previewPart(w, r, &views.Send{Form: h.typed(r, values)}, draft, err, faults)
	}
	if ticked(values, "test") {
		return h.sendTest(w, r, values, draft)
	}
	sure, err := h.confirm(r, draft, err, faults)
	if err == nil {
		switch {
		case ticked(values, "preview"):
			return h.showPreview(w, r, values, draft, sure.Recipients)
		case asks(values, sure.Recipients):
			return h.askToConfirm(w, r, values, draft, sure.Recipients)
		}
		var n notifier.Notice
		if n, err = h.sendOnce(r, draft, sure, onceOf(values.Get("once"))); err == nil {
			redirect(w, r, noticePath(n.ID))
			return nil
		}
	}
	bad := (*notifier.InvalidError)(nil)
	if !errors.As(err, &bad) {
		return h.notSent(fmt.Errorf("send a notice: %w", err), h.typed(r, values))
	}
	p := h.sendPage(r, h.typed(r, values))
	h.showFaults(p, bad)
	p.Meant = h.meant(r, bad)
	return h.showSend(w, r, http.StatusUnprocessableEntity, p)
}

// notSent keeps the input when a notice cannot be accepted for now.
func (h *Handlers) notSent(err error, given views.SendForm) error {
	id := "send.not_now"
	switch statusOf(err) {
	case http.StatusTooManyRequests:
		id = "send.too_much"
	case http.StatusServiceUnavailable:
	default:
		return err
	}
	return &unsent{err, func(r *http.Request) templ.Component {
		p := h.sendPage(r, given)
		p.NotSent = p.Text.T(id)
		return views.SendPage(p)
	}}
}

// showSend shows the form. The browser may cache it, so that Back restores the input even if the session has ended.
func (h *Handlers) showSend(w http.ResponseWriter, r *http.Request, status int, p *views.Send) error {
	h.offerTemplates(r, p)
	w.Header().Set("Cache-Control", revalidate)
	return h.page(w, r, status, views.SendPage(p))
}

// sendAsOther shows the previous user's input to the user who is signed in now; they may send it in their own name.
func (h *Handlers) sendAsOther(w http.ResponseWriter, r *http.Request) error {
	p := h.sendPage(r, h.typed(r, r.PostForm))
	p.OtherUser = p.Text.F("send.other_user", "Name", p.Viewer.Name)
	return h.showSend(w, r, http.StatusConflict, p)
}

// confirm validates the whole draft and merges its errors with found, so that the sender can fix all at once. The
// number of recipients is set even if fields other than the target are invalid.
func (h *Handlers) confirm(r *http.Request, d notifier.Draft, found ...error) (notifier.Confirmed, error) {
	sure, err := h.Sender.Confirm(r.Context(), h.ending(d))
	var bad *notifier.InvalidError
	if err != nil && !errors.As(err, &bad) {
		return notifier.Confirmed{}, fmt.Errorf("confirm a notice: %w", err)
	}
	return sure, merge(append(found, err)...).OrNil()
}

func (h *Handlers) showPreview(
	w http.ResponseWriter, r *http.Request, values url.Values, d notifier.Draft, count int64,
) error {
	p := h.sendPage(r, h.typed(r, values))
	p.Preview = h.preview(r, p, &d)
	p.Preview.Recipients, p.Submit = recipients(p, count), h.submitText(r, p, count)
	return h.showSend(w, r, http.StatusOK, p)
}

// asks reports whether the sender must confirm first: a large number of recipients, and each announcement that is sent
// with our own form. Programs that send forms do not ask anybody.
func asks(values url.Values, count int64) bool {
	if values.Get("confirm") == strconv.FormatInt(count, 10) {
		return false
	}
	return count > confirmAbove || values.Get("target") == "audience" && ticked(values, "asks")
}

func (h *Handlers) askToConfirm(w http.ResponseWriter, r *http.Request, values url.Values, d notifier.Draft, count int64) error {
	p := h.sendPage(r, h.typed(r, values))
	p.Submit = h.submitText(r, p, count)
	p.Confirm = &views.Confirm{Count: strconv.FormatInt(count, 10), Submit: p.Submit}
	if p.Form.Target != "audience" {
		p.Confirm.Lines = []string{p.Text.N("send.confirm_text", count)}
		return h.showSend(w, r, http.StatusUnprocessableEntity, p)
	}
	p.Preview = h.preview(r, p, &d)
	shown := "send.confirm_listed"
	if d.Pinned {
		shown = "send.confirm_pinned"
	}
	p.Confirm.Lines = append([]string{p.Text.N("send.confirm_announcement", count), p.Preview.Schedule, p.Text.T(shown)}, p.Lost...)
	return h.showSend(w, r, http.StatusUnprocessableEntity, p)
}
