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

// confirmAbove is the number of recipients above which the sender confirms it.
const confirmAbove = 1000

// sendFields are the fields of the form.
var sendFields = []string{
	"target", "to", "type", "scope", "subject", "title", "body", "link", "expires_in", "toast", "preview", "confirm",
	"starts_at", "ends_at", "pinned", "late_joiners", "once",
}

// sendForm shows the form, filled in as far as the address says.
func (h *Handlers) sendForm(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	given := views.SendForm{
		Target: "user", To: kept(values.Get("to")), Type: kept(values.Get("type")), Scope: kept(values.Get("scope")),
	}
	if target := values.Get("target"); target == "role" || target == "topic" || target == "audience" {
		given.Target = target
	}
	return h.showSend(w, r, http.StatusOK, h.sendPage(r, given))
}

// send sends what the form says, or shows it again: with its faults, as a
// preview, or to confirm that so many people are meant.
func (h *Handlers) send(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, sendFields...)
	if errors.Is(err, errOtherUser) {
		return h.sendAsOther(w, r)
	}
	if values == nil {
		return err
	}
	draft, faults := h.readDraft(r, values)
	if fragment(r) && ticked(values, "preview") {
		return h.previewPart(w, r, &views.Send{Form: typed(values)}, draft, err, faults)
	}
	count, err := h.countRecipients(r, draft, err, faults)
	if err == nil {
		switch {
		case ticked(values, "preview"):
			return h.showPreview(w, r, values, draft, count)
		case count > confirmAbove && values.Get("confirm") != strconv.FormatInt(count, 10):
			return h.askToConfirm(w, r, values, count)
		}
		var n notifier.Notice
		if n, err = h.sendOnce(r, draft, onceOf(values.Get("once"))); err == nil {
			h.audit(r, draft.Sender, "notice.send", auditedNotice(n.ID))
			redirect(w, noticePath(n.ID))
			return nil
		}
	}
	bad := (*notifier.InvalidError)(nil)
	if !errors.As(err, &bad) {
		return h.notSent(fmt.Errorf("send a notice: %w", err), typed(values))
	}
	p := h.sendPage(r, typed(values))
	h.showFaults(p, bad)
	return h.showSend(w, r, http.StatusUnprocessableEntity, p)
}

// notSent keeps what was typed when a notice cannot be taken for now.
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

// showSend shows the form. The browser may keep it, so that Back brings what was
// typed: a session may have ended while it was written.
func (h *Handlers) showSend(w http.ResponseWriter, r *http.Request, status int, p *views.Send) error {
	w.Header().Set("Cache-Control", revalidate)
	return h.page(w, r, status, views.SendPage(p))
}

// sendAsOther gives what somebody else has typed to who is signed in now: he may
// send it in his own name.
func (h *Handlers) sendAsOther(w http.ResponseWriter, r *http.Request) error {
	p := h.sendPage(r, typed(r.PostForm))
	p.OtherUser = p.Text.F("send.other_user", "Name", p.Viewer.Name)
	return h.showSend(w, r, http.StatusConflict, p)
}

// countRecipients checks the whole draft, and joins its faults with those that
// reading the form found: a sender mends them all at once.
func (h *Handlers) countRecipients(r *http.Request, d notifier.Draft, found ...error) (int64, error) {
	count, err := h.reach(r, d)
	var bad *notifier.InvalidError
	if err != nil && !errors.As(err, &bad) {
		return 0, err
	}
	return count, merge(append(found, err)...).OrNil()
}

func (h *Handlers) showPreview(
	w http.ResponseWriter, r *http.Request, values url.Values, d notifier.Draft, count int64,
) error {
	p := h.sendPage(r, typed(values))
	p.Preview = h.preview(r, p, &d)
	p.Preview.Recipients = recipients(p, count)
	return h.showSend(w, r, http.StatusOK, p)
}

func (h *Handlers) askToConfirm(w http.ResponseWriter, r *http.Request, values url.Values, count int64) error {
	p := h.sendPage(r, typed(values))
	p.Confirm = &views.Confirm{
		Count:  strconv.FormatInt(count, 10),
		Text:   p.Text.N("send.confirm_text", count),
		Submit: p.Text.N("send.confirm_submit", count),
	}
	return h.showSend(w, r, http.StatusUnprocessableEntity, p)
}
