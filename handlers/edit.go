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

// The fields of the edit forms of an announcement and of any other notice. Only the latter's text can be edited.
var (
	editFields = []string{
		"target", "to", "title", "body", "link", "starts_at", "ends_at", "pinned", "late_joiners", "unread", "revision", "preview",
	}
	editNoticeFields = []string{"title", "body", "link", "send_at", "revision", "preview"}
)

// editForm shows the form for editing a sent notice.
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

// edit saves the edited notice or shows the form again: with its errors, as a preview, or because someone else edited
// the notice first.
func (h *Handlers) edit(w http.ResponseWriter, r *http.Request) error {
	n, err := h.sentNotice(r)
	if err != nil {
		return err
	}
	fields, boxes := editNoticeFields, ""
	if n.Announces() {
		fields, boxes = editFields, "to_audience"
	}
	values, err := formWith(r, []string{boxes}, fields...)
	if errors.Is(err, errOtherUser) {
		return h.editAsOther(w, r, &n)
	}
	if values == nil {
		return err
	}
	pasted(values)
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
		unread := ticked(values, "unread")
		if err = h.saveEdit(r, &n, revision, draft, unread); err == nil {
			redirect(w, r, noticePath(n.ID)+"?done="+editedCode(&n, unread))
			return nil
		}
	}
	return h.editAgain(w, r, n, values, err)
}

// saveEdit replaces the given revision of a notice with the draft. If unread is set, it also marks the announcement
// unread for every reader.
func (h *Handlers) saveEdit(r *http.Request, n *notifier.Notice, revision int64, d notifier.Draft, unread bool) error {
	save := h.Sender.Edit
	if unread {
		save = h.Sender.EditUnread
	}
	if _, err := save(r.Context(), h.actor(r), n.ID, revision, d); err != nil {
		return fmt.Errorf("edit notice %d: %w", n.ID, err)
	}
	return nil
}

// editedCode returns the done code after an edit.
func editedCode(n *notifier.Notice, unread bool) string {
	switch {
	case unread:
		return "edited-unread"
	case n.Announces():
		return "edited"
	case n.State == notifier.StateScheduled:
		return "scheduled-edited"
	default:
		return "notice-edited"
	}
}

// sentNotice returns the notice whose ID is in the path.
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

// editAgain shows the form again with the input and the reason it was not saved. After a conflict, the form uses the
// notice's current revision.
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

// conflictText explains why nothing was saved.
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

// editAsOther shows the form with the previous user's input to the user who is signed in now.
func (h *Handlers) editAsOther(w http.ResponseWriter, r *http.Request, n *notifier.Notice) error {
	p := h.editPage(r, n, r.PostForm)
	p.OtherUser = p.Text.F("edit.other_user", "Name", p.Viewer.Name)
	return h.showEdit(w, r, http.StatusConflict, p)
}

// editPage builds the form of a sent notice: its stored values, replaced by the input where there is any.
func (h *Handlers) editPage(r *http.Request, n *notifier.Notice, values url.Values) *views.Send {
	title := "edit.title_notice"
	if n.Announces() {
		title = "edit.title"
	}
	p := &views.Send{
		Frame: h.frame(r, "notices", title), Form: h.editTyped(r, n, values), Faults: map[string]string{},
		Edit: &views.Edit{
			Action: noticePath(n.ID) + "/edit", Back: noticePath(n.ID), Of: n.Title, Revision: strconv.FormatInt(n.Revision, 10),
			Scheduled: n.State == notifier.StateScheduled,
		},
		Zone: h.zoneText(r),
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
