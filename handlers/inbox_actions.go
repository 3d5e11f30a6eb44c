package handlers

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// change is one call that changes an inbox.
type change func(ctx context.Context, seq int64, arg string) (notifier.Badge, error)

func (h *Handlers) markRead(w http.ResponseWriter, r *http.Request) error {
	return h.changeInbox(w, r, "key", "read", h.Inbox.MarkRead)
}

func (h *Handlers) markUnread(w http.ResponseWriter, r *http.Request) error {
	return h.changeInbox(w, r, "key", "unread", h.Inbox.MarkUnread)
}

func (h *Handlers) readAll(w http.ResponseWriter, r *http.Request) error {
	return h.changeInbox(w, r, "upto", "read-all", h.Inbox.ReadUpto)
}

// changeInbox reads a form with one field, makes the change, and goes back to
// the page of the inbox from which the form came.
func (h *Handlers) changeInbox(w http.ResponseWriter, r *http.Request, field, code string, do change) error {
	values, err := form(r, field, "back")
	if err != nil {
		return err
	}
	if values.Get(field) == "" {
		return missing(field)
	}
	if _, err := do(r.Context(), seqOf(r), values.Get(field)); err != nil {
		return fmt.Errorf("change an inbox (%s): %w", code, err)
	}
	redirect(w, backTo(values.Get("back"), url.Values{"done": {code}}))
	return nil
}

func missing(field string) error {
	var bad notifier.InvalidError
	bad.Add(field, notifier.CodeRequired, nil)
	return &bad
}

// backTo is a page of the inbox to go back to after an action, with what to say
// there. Any other address is the inbox.
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
	if from.Get("filter") == "unread" {
		say.Set("filter", "unread")
	}
	return inboxPath + "?" + say.Encode()
}
