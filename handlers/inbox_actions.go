package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// markRead marks entries read: those in the form, or those listed by Undo of marking them unread.
func (h *Handlers) markRead(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "keys", "back")
	if err != nil {
		return err
	}
	code := "read"
	if values.Get("keys") != "" {
		keys, code = keyList(values.Get("keys")), "restored"
	}
	turned, badge, err := h.Inbox.MarkRead(r.Context(), seqOf(r), keys...)
	if err != nil {
		return fmt.Errorf("mark entries as read: %w", err)
	}
	return h.marked(w, r, values, turned, badge, code, nil)
}

// markUnread marks entries unread: those in the form, or those listed by Undo of marking them read.
func (h *Handlers) markUnread(w http.ResponseWriter, r *http.Request) error {
	keys, values, err := keysForm(r, "keys", "ids", "back")
	if err != nil {
		return err
	}
	if values.Get("keys") != "" || values.Get("ids") != "" {
		if err := h.turnAllBack(r, values); err != nil {
			return err
		}
		redirect(w, r, backTo(values.Get("back"), url.Values{"done": {"restored"}}))
		return nil
	}
	turned, badge, err := h.Inbox.MarkUnread(r.Context(), seqOf(r), keys...)
	if err != nil {
		return fmt.Errorf("mark entries as unread: %w", err)
	}
	return h.marked(w, r, values, turned, badge, "unread", &views.Done{Text: h.text(r).T("done.unread")})
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

// marked responds to an htmx request with the single entry's row and a message, or with the list; a plain form is
// redirected back to its page. A change of several entries offers Undo.
func (h *Handlers) marked(
	w http.ResponseWriter, r *http.Request, values url.Values, turned []string, badge notifier.Badge, code string, done *views.Done,
) error {
	back := values.Get("back")
	switch keys := values["key"]; {
	case len(keys) > 0 && !alone(r, keys) && len(turned) > 0:
		return h.changedAll(w, r, back, code, []views.Hidden{keyListed(turned)})
	case alone(r, keys) && fragment(r):
		return h.rowPart(w, r, keys[0], back, badge, done)
	}
	redirect(w, r, backTo(back, url.Values{"done": {code}}))
	return nil
}

func missing(field string) error {
	var bad notifier.InvalidError
	bad.Add(field, notifier.CodeRequired, nil)
	return &bad
}

// backTo returns the inbox page to return to after an action, with the parameters in say. For any other address it
// returns the first page.
func backTo(back string, say url.Values) string {
	u, err := url.Parse(back)
	if err != nil || u.Path != inboxPath || u.Host != "" || u.Scheme != "" || len(back) > maxBack {
		u = &url.URL{Path: inboxPath}
	}
	from := u.Query()
	for _, name := range []string{"before", "opened", "rows"} {
		if n := number(from.Get(name)); n > 0 {
			say.Set(name, strconv.FormatInt(n, 10))
		}
	}
	for _, name := range []string{"type", "q"} {
		if value := from.Get(name); value != "" {
			say.Set(name, kept(value))
		}
	}
	if filter := from.Get("filter"); filter == "unread" || filter == filterArchived || filter == filterLater {
		say.Set("filter", filter)
	}
	return inboxPath + "?" + say.Encode()
}
