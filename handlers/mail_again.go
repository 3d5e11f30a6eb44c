package handlers

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// tryOwnMail retries the user's own mail address after failures.
func (h *Handlers) tryOwnMail(w http.ResponseWriter, r *http.Request) error {
	if _, err := form(r); err != nil {
		return err
	}
	revived, err := h.tryMail(r, visitOf(r).user.User.Name)
	if err != nil {
		return err
	}
	done := "mail-rests"
	if revived {
		done = "mail-again"
	}
	redirect(w, r, settled(views.TabNotifications, done))
	return nil
}

// tryMailOf lets staff retry the mail address of a user after failures. A form without a field back is from their page.
func (h *Handlers) tryMailOf(w http.ResponseWriter, r *http.Request, name string, values url.Values) error {
	revived, err := h.tryMail(r, name)
	if err != nil {
		return err
	}
	done := "mail-fine"
	if revived {
		done = "mail-again"
	}
	if !values.Has("back") {
		redirect(w, r, addQuery(personPath(name), done))
		return nil
	}
	redirect(w, r, backOn(usersPath, values.Get("back"), done))
	return nil
}

func (h *Handlers) tryMail(r *http.Request, name string) (revived bool, err error) {
	if !h.Mailing {
		return false, notifier.ErrNotFound
	}
	if revived, err = h.People.ReviveMailOf(r.Context(), h.actor(r), name); err != nil {
		return false, fmt.Errorf("have the mail address of %q tried again: %w", name, err)
	}
	return revived, nil
}

// addMailFaults marks the rows of users whose mail does not arrive. If that fails, the list goes without marks.
func (h *Handlers) addMailFaults(r *http.Request, text *locale.Printer, users []notifier.User, rows []views.UserRow) {
	if !h.Mailing {
		return
	}
	seqs := make([]int64, len(users))
	for i := range users {
		seqs[i] = users[i].Seq
	}
	faults, err := h.Store.MailFaults(r.Context(), seqs)
	if err != nil {
		h.lacks(r, "mail addresses", err)
		return
	}
	for i := range users {
		rows[i].MailFault = mailFault(text, faults[users[i].Seq])
	}
}
