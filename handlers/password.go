package handlers

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

const passwordPath = "/settings/password"

// changePassword changes the user's password. The form is never filled in with one again.
func (h *Handlers) changePassword(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "current", "password")
	if values == nil {
		return err
	}
	v := visitOf(r)
	var cookies []*http.Cookie
	if err == nil {
		cookies, err = h.Accounts.ChangePassword(r, v.user, v.Address, values.Get("current"), values.Get("password"))
	}
	bad := (*notifier.InvalidError)(nil)
	switch {
	case err == nil:
		for _, c := range cookies {
			http.SetCookie(w, c)
		}
		redirect(w, r, settled(views.TabAccount, "password-changed"))
		return nil
	case !errors.As(err, &bad) && !errors.Is(err, notifier.ErrTooMany):
		return fmt.Errorf("change the password of user %d: %w", seqOf(r), err)
	}
	p := h.settingsPage(r, views.TabAccount, v.user.User.Settings, nil)
	p.Password.Faults = map[string]string{}
	if bad == nil {
		status, fault := h.loginFault(w, r, err)
		p.Password.Faults[""] = fault
		return h.showSettings(w, r, status, p)
	}
	for _, f := range bad.Fields {
		p.Password.Faults[f.Field] = faultText(p.Text, f)
	}
	return h.showSettings(w, r, http.StatusUnprocessableEntity, p)
}
