package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// editFields are the fields of the form.
var editFields = []string{
	"target", "to", "title", "body", "link", "starts_at", "ends_at", "pinned", "late_joiners", "revision", "preview",
}

// editForm shows an announcement as a form.
func (h *Handlers) editForm(w http.ResponseWriter, r *http.Request) error {
	n, err := h.sentAnnouncement(r)
	if err != nil {
		return err
	}
	if over(&n, h.Now()) {
		return fmt.Errorf("edit announcement %d: %w", n.ID, refusedAsOver(n.ID))
	}
	p := h.editPage(r, &n, nil)
	return h.showEdit(w, r, http.StatusOK, p)
}

// edit changes an announcement to what the form says, or shows the form again:
// with its faults, as a preview, or because somebody else was faster.
func (h *Handlers) edit(w http.ResponseWriter, r *http.Request) error {
	n, err := h.sentAnnouncement(r)
	if err != nil {
		return err
	}
	values, err := form(r, editFields...)
	if errors.Is(err, errOtherUser) {
		return h.editAsOther(w, r, &n)
	}
	if values == nil {
		return err
	}
	draft, faults := h.readEdit(r, values, &n)
	if fragment(r) && ticked(values, "preview") {
		p := &views.Send{Form: h.editTyped(r, &n, values), Edit: &views.Edit{}}
		return h.previewPart(w, r, p, draft, err, faults)
	}
	count, err := h.countRecipients(r, draft, err, faults)
	switch {
	case over(&n, h.Now()):
		err = notifier.ErrConflict
	case err == nil && ticked(values, "preview"):
		return h.previewEdit(w, r, &n, values, draft, count)
	case err == nil:
		revision := n.Revision
		if values.Has("revision") {
			revision = number(values.Get("revision"))
		}
		if _, err = h.Sender.Edit(r.Context(), n.ID, revision, draft); err == nil {
			h.audit(r, visitOf(r).user.User.Name, "notice.edit", auditedNotice(n.ID))
			redirect(w, noticePath(n.ID)+"?done=edited")
			return nil
		}
	}
	return h.editAgain(w, r, n, values, err)
}

// sentAnnouncement is the one that an address names.
func (h *Handlers) sentAnnouncement(r *http.Request) (notifier.Notice, error) {
	id, err := pathID(r)
	if err != nil {
		return notifier.Notice{}, err
	}
	p, err := h.Sender.Progress(r.Context(), id)
	if err == nil && !p.Announces() {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return notifier.Notice{}, fmt.Errorf("look up announcement %d: %w", id, err)
	}
	return p.Notice, nil
}

// editAgain shows the form with what was typed, and why it was not taken. After a
// conflict it is a form of the announcement as it is by now.
func (h *Handlers) editAgain(w http.ResponseWriter, r *http.Request, n notifier.Notice, values url.Values, why error) error {
	var bad *notifier.InvalidError
	conflict := errors.Is(why, notifier.ErrConflict)
	if !conflict && !errors.As(why, &bad) {
		return fmt.Errorf("edit announcement %d: %w", n.ID, why)
	}
	if conflict {
		var err error
		if n, err = h.sentAnnouncement(r); err != nil {
			return err
		}
	}
	p := h.editPage(r, &n, values)
	if !conflict {
		h.showFaults(p, bad)
		return h.showEdit(w, r, http.StatusUnprocessableEntity, p)
	}
	p.Edit.Revision, p.Edit.Conflict = strconv.FormatInt(n.Revision, 10), p.Text.T("edit.conflict")
	if p.Edit.Over = over(&n, h.Now()); p.Edit.Over {
		p.Edit.Conflict = p.Text.T("edit.over")
	}
	return h.showEdit(w, r, http.StatusConflict, p)
}

func (h *Handlers) previewEdit(
	w http.ResponseWriter, r *http.Request, n *notifier.Notice, values url.Values, d notifier.Draft, count int64,
) error {
	p := h.editPage(r, n, values)
	p.Preview = h.preview(r, p, &d)
	p.Preview.Recipients = p.Text.N("send.recipients", count)
	return h.showEdit(w, r, http.StatusOK, p)
}

// editAsOther gives what somebody else has typed to who is signed in now.
func (h *Handlers) editAsOther(w http.ResponseWriter, r *http.Request, n *notifier.Notice) error {
	p := h.editPage(r, n, r.PostForm)
	p.OtherUser = p.Text.F("edit.other_user", "Name", p.Viewer.Name)
	return h.showEdit(w, r, http.StatusConflict, p)
}

// editPage is the form of an announcement: as it is, with what was typed over it.
func (h *Handlers) editPage(r *http.Request, n *notifier.Notice, values url.Values) *views.Send {
	p := &views.Send{
		Frame: h.frame(r, "notices", "edit.title"), Form: h.editTyped(r, n, values), Faults: map[string]string{},
		Edit: &views.Edit{
			Action: noticePath(n.ID) + "/edit", Back: noticePath(n.ID), Revision: strconv.FormatInt(n.Revision, 10),
		},
	}
	if values.Has("revision") {
		p.Edit.Revision = kept(values.Get("revision"))
	}
	h.addAudiences(r, p)
	return p
}

func (h *Handlers) showEdit(w http.ResponseWriter, r *http.Request, status int, p *views.Send) error {
	w.Header().Set("Cache-Control", revalidate)
	return h.page(w, r, status, views.EditPage(p))
}
