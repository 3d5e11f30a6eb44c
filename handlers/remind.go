package handlers

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// remind sends a notice again to recipients who have not read it. A large number of them must be confirmed on the
// notice's page.
func (h *Handlers) remind(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	values, err := form(r, "once", "confirm")
	if err != nil {
		return err
	}
	reminder := notifier.Reminder{NoticeID: id, Sure: func(n int64) bool {
		return n <= confirmAbove || values.Get("confirm") == strconv.FormatInt(n, 10)
	}}
	token := onceOf(values.Get("once"))
	if token != "" {
		digest := sha256.Sum256(fmt.Appendf(nil, "remind of notice %d", id))
		reminder.Once = &notifier.Once{Owner: h.actor(r).Ref, Key: token, Digest: digest[:]}
	}
	n, recipients, err := h.Sender.Remind(r.Context(), h.actor(r), reminder)
	switch {
	case errors.Is(err, notifier.ErrConflict):
		return fmt.Errorf("remind of notice %d: %w", id, errors.Join(refusedAsGone(id), err))
	case err != nil:
		return fmt.Errorf("remind of notice %d: %w", id, err)
	case n.ID > 0:
		redirect(w, r, noticePath(n.ID)+"?done=reminded")
	case recipients == 0:
		redirect(w, r, noticePath(id)+"?done=reminded-nobody")
	default:
		redirect(w, r, noticePath(id)+"?"+url.Values{"remind": {strconv.FormatInt(recipients, 10)}, "once": {token}}.Encode()+"#remind")
	}
	return nil
}

// reminding builds the reminder form, or nil if the notice is a question or a task, is over, or all recipients have read it.
func (h *Handlers) reminding(r *http.Request, f *views.Frame, p *notifier.Progress) *views.Reminding {
	if p.Announces() || p.Extras.Ask != nil || p.Extras.Take != nil || !finished(p) || isOver(&p.Notice, h.Now()) || p.Recipients == 0 || p.Counted && !p.ReadUnknown && p.Read >= p.Recipients {
		return nil
	}
	v := &views.Reminding{Action: noticePath(p.ID) + "/remind", Once: onceOf(r.URL.Query().Get("once")), Submit: f.Text.T("remind.submit")}
	if v.Once == "" {
		v.Once = newOnce()
	}
	if n := number(r.URL.Query().Get("remind")); n > confirmAbove {
		v.Confirm = strconv.FormatInt(n, 10)
		v.Question, v.Submit = f.Text.N("send.confirm_text", n), f.Text.N("remind.confirm_submit", n)
	}
	return v
}
