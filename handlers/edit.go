package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// editFields are the fields of the form: of an announcement, and of a notice, of
// which the rest stays.
var (
	editFields = []string{
		"target", "to", "title", "body", "link", "starts_at", "ends_at", "pinned", "late_joiners", "revision", "preview",
	}
	editNoticeFields = []string{"title", "body", "link", "revision", "preview"}
)

// editForm shows what was sent as a form.
func (h *Handlers) editForm(w http.ResponseWriter, r *http.Request) error {
	n, err := h.sentNotice(r)
	if err != nil {
		return err
	}
	switch {
	case !isOver(&n, h.Now()):
	case n.Announces():
		return fmt.Errorf("edit announcement %d: %w", n.ID, refusedAsOver(n.ID))
	default:
		return fmt.Errorf("edit notice %d: %w", n.ID, refusedAsGone(n.ID))
	}
	p := h.editPage(r, &n, nil)
	return h.showEdit(w, r, http.StatusOK, p)
}

// edit changes what was sent to what the form says, or shows the form again:
// with its faults, as a preview, or because somebody else was faster.
func (h *Handlers) edit(w http.ResponseWriter, r *http.Request) error {
	n, err := h.sentNotice(r)
	if err != nil {
		return err
	}
	fields := editNoticeFields
	if n.Announces() {
		fields = editFields
	}
	values, err := form(r, fields...)
	if errors.Is(err, errOtherUser) {
		return h.editAsOther(w, r, &n)
	}
	if values == nil {
		return err
	}
	draft, faults := h.readEdit(r, values, &n)
	if fragment(r) && ticked(values, "preview") {
		return h.editPart(w, r, &n, values, draft, err, faults)
	}
	count, err := h.checkEdit(r, &n, draft, err, faults)
	switch {
	case isOver(&n, h.Now()):
		err = notifier.ErrConflict
	case err == nil && ticked(values, "preview"):
		return h.previewEdit(w, r, &n, values, draft, count)
	case err == nil:
		revision := n.Revision
		if values.Has("revision") {
			revision = number(values.Get("revision"))
		}
		if err = h.saveEdit(r, &n, revision, draft); err == nil {
			redirect(w, noticePath(n.ID)+"?done="+editedCode(&n))
			return nil
		}
	}
	return h.editAgain(w, r, n, values, err)
}

// saveEdit changes what was sent, as somebody saw it in that revision.
func (h *Handlers) saveEdit(r *http.Request, n *notifier.Notice, revision int64, d notifier.Draft) error {
	if _, err := h.Sender.Edit(r.Context(), n.ID, revision, d); err != nil {
		return fmt.Errorf("edit notice %d: %w", n.ID, err)
	}
	h.audit(r, visitOf(r).user.User.Name, "notice.edit", auditedNotice(n.ID))
	return nil
}

// editedCode is what to say of it after an edit.
func editedCode(n *notifier.Notice) string {
	if n.Announces() {
		return "edited"
	}
	return "notice-edited"
}

// sentNotice is the one that an address names.
func (h *Handlers) sentNotice(r *http.Request) (notifier.Notice, error) {
	id, err := pathID(r)
	if err != nil {
		return notifier.Notice{}, err
	}
	p, err := h.Sender.Progress(r.Context(), id)
	if err != nil {
		return notifier.Notice{}, fmt.Errorf("look up notice %d: %w", id, err)
	}
	return p.Notice, nil
}

// editAgain shows the form with what was typed, and why it was not taken. After a
// conflict it is a form of what was sent as it is by now.
func (h *Handlers) editAgain(w http.ResponseWriter, r *http.Request, n notifier.Notice, values url.Values, why error) error {
	var bad *notifier.InvalidError
	conflict := errors.Is(why, notifier.ErrConflict)
	if !conflict && !errors.As(why, &bad) {
		return fmt.Errorf("show an edit again: %w", why)
	}
	if conflict {
		var err error
		if n, err = h.sentNotice(r); err != nil {
			return err
		}
	}
	p := h.editPage(r, &n, values)
	if !conflict {
		h.showFaults(p, bad)
		return h.showEdit(w, r, http.StatusUnprocessableEntity, p)
	}
	p.Edit.Revision, p.Edit.Over = strconv.FormatInt(n.Revision, 10), isOver(&n, h.Now())
	p.Edit.Conflict = conflictText(p.Text, &n, p.Edit.Over)
	return h.showEdit(w, r, http.StatusConflict, p)
}

// conflictText says why nothing was changed.
func conflictText(text *locale.Printer, n *notifier.Notice, over bool) string {
	switch {
	case n.Announces() && over:
		return text.T("edit.over")
	case n.Announces():
		return text.T("edit.conflict")
	case over:
		return text.T("edit.over_notice")
	default:
		return text.T("edit.conflict_notice")
	}
}

// editAsOther gives what somebody else has typed to who is signed in now.
func (h *Handlers) editAsOther(w http.ResponseWriter, r *http.Request, n *notifier.Notice) error {
	p := h.editPage(r, n, r.PostForm)
	p.OtherUser = p.Text.F("edit.other_user", "Name", p.Viewer.Name)
	return h.showEdit(w, r, http.StatusConflict, p)
}

// editPage is the form of what was sent: as it is, with what was typed over it.
func (h *Handlers) editPage(r *http.Request, n *notifier.Notice, values url.Values) *views.Send {
	title := "edit.title_notice"
	if n.Announces() {
		title = "edit.title"
	}
	p := &views.Send{
		Frame: h.frame(r, "notices", title), Form: h.editTyped(r, n, values), Faults: map[string]string{},
		Edit: &views.Edit{
			Action: noticePath(n.ID) + "/edit", Back: noticePath(n.ID), Revision: strconv.FormatInt(n.Revision, 10),
		},
	}
	if values.Has("revision") {
		p.Edit.Revision = kept(values.Get("revision"))
	}
	if n.Announces() {
		h.addAudiences(r, p)
	}
	return p
}

func (h *Handlers) showEdit(w http.ResponseWriter, r *http.Request, status int, p *views.Send) error {
	w.Header().Set("Cache-Control", revalidate)
	return h.page(w, r, status, views.EditPage(p))
}
