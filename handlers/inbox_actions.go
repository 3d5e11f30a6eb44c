package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

func (h *Handlers) markRead(w http.ResponseWriter, r *http.Request) error {
	values, err := inboxForm(r, "key")
	if err != nil {
		return err
	}
	badge, err := h.Inbox.MarkRead(r.Context(), seqOf(r), values.Get("key"))
	if err != nil {
		return fmt.Errorf("mark an entry as read: %w", err)
	}
	return h.marked(w, r, values, badge, "read", nil)
}

// markUnread marks one entry unread, or all that Undo of Mark all as read names.
func (h *Handlers) markUnread(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "key", "keys", "ids", "back")
	if err != nil {
		return err
	}
	if values.Get("keys") != "" || values.Get("ids") != "" {
		if err := h.turnAllBack(r, values); err != nil {
			return err
		}
		redirect(w, backTo(values.Get("back"), url.Values{"done": {"restored"}}))
		return nil
	}
	if values.Get("key") == "" {
		return missing("key")
	}
	badge, err := h.Inbox.MarkUnread(r.Context(), seqOf(r), values.Get("key"))
	if err != nil {
		return fmt.Errorf("mark an entry as unread: %w", err)
	}
	return h.marked(w, r, values, badge, "unread", &views.Done{Text: h.text(r).T("done.unread")})
}

// turnAllBack undoes Mark all as read for entries, announcements or both.
func (h *Handlers) turnAllBack(r *http.Request, values url.Values) error {
	if keys := values.Get("keys"); keys != "" {
		if err := h.turnBack(r, keys); err != nil {
			return err
		}
	}
	if ids := values.Get("ids"); ids != "" {
		return h.turnAnnouncementsBack(r, ids)
	}
	return nil
}

// marked answers a script with the row and a message; a plain form is redirected back to its
// page.
func (h *Handlers) marked(
	w http.ResponseWriter, r *http.Request, values url.Values, badge notifier.Badge, code string, done *views.Done,
) error {
	if fragment(r) {
		return h.rowPart(w, r, values.Get("key"), values.Get("back"), badge, done)
	}
	redirect(w, backTo(values.Get("back"), url.Values{"done": {code}}))
	return nil
}

// inboxForm reads a form with one required field.
func inboxForm(r *http.Request, field string) (url.Values, error) {
	values, err := form(r, field, "back")
	if err != nil {
		return nil, err
	}
	if values.Get(field) == "" {
		return nil, missing(field)
	}
	return values, nil
}

func missing(field string) error {
	var bad notifier.InvalidError
	bad.Add(field, notifier.CodeRequired, nil)
	return &bad
}

// backTo is the page of the inbox to return to after an action, with the parameters in say. Any
// other address becomes the first page.
func backTo(back string, say url.Values) string {
	u, err := url.Parse(back)
	if err != nil || u.Path != inboxPath || u.Host != "" || u.Scheme != "" || len(back) > 500 {
		u = &url.URL{Path: inboxPath}
	}
	from := u.Query()
	for _, name := range []string{"before", "opened"} {
		if n := number(from.Get(name)); n > 0 {
			say.Set(name, strconv.FormatInt(n, 10))
		}
	}
	if filter := from.Get("filter"); filter == "unread" || filter == filterArchived {
		say.Set("filter", filter)
	}
	return inboxPath + "?" + say.Encode()
}
