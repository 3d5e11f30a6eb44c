package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// tokenSettings is the address where the reader of a mail chooses how they get mail. The mail's token authorizes
// this: an app's users have no account here to sign in with.
func tokenSettings(token string) string { return unsubscribePath + token + "/settings" }

// private keeps a page out of caches and search engines, and its address, which contains a secret, out of Referer
// headers.
func private(head http.Header) {
	head.Set("Cache-Control", "no-store")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Robots-Tag", "noindex")
}

// tokenUser returns the user whose mail or device has the token in the path, and their app's settings page, if any.
func (h *Handlers) tokenUser(r *http.Request) (u notifier.User, settings string, err error) {
	u, id, err := h.Store.TokenUser(r.Context(), r.PathValue("token"))
	if a, known := h.Tokens.App(r.Context(), id); err == nil && known {
		settings = a.SettingsURL
	}
	if errors.Is(err, notifier.ErrNotFound) {
		err = h.strangers.refuse(visitOf(r).Address, h.Now())
	}
	return u, settings, err
}

// showTokenSettings shows how a user gets mail and nothing else about them. If their app has a settings page, it
// redirects there.
func (h *Handlers) showTokenSettings(w http.ResponseWriter, r *http.Request) error {
	u, settings, err := h.tokenUser(r)
	if err != nil {
		return err
	}
	private(w.Header())
	if settings != "" {
		leave(w, settings)
		return nil
	}
	p, err := h.tokenSettingsPage(r, &u)
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.TokenSettingsPage(p))
}

// leave redirects to another site.
func leave(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

func (h *Handlers) tokenSettingsPage(r *http.Request, u *notifier.User) (*views.Settings, error) {
	p := &views.Settings{Frame: h.bareFrame(r)}
	p.Text = h.texts.For(u.Locale, r.Header.Get("Accept-Language"))
	p.Sheet, p.Title, p.Done = p.Assets.SettingsStyle, p.Text.T("preferences.mail_title"), doneLine(r, p.Text)
	p.Preferences.Action = tokenSettings(r.PathValue("token"))
	if err := h.addPreferences(r, p, u); err != nil {
		return nil, err
	}
	mail, err := h.Store.MailOf(r.Context(), u.Seq)
	if err != nil {
		return nil, fmt.Errorf("read the address of user %d: %w", u.Seq, err)
	}
	p.Preferences.TryAgain = false // a reader of our mail receives mail
	if mail.Address != "" {
		p.Preferences.Address = p.Text.F("preferences.address", "Address", masked(mail.Address))
	}
	return p, nil
}

// saveTokenSettings saves how a user gets mail. Settings that the page does not show are kept.
func (h *Handlers) saveTokenSettings(w http.ResponseWriter, r *http.Request) error {
	u, _, err := h.tokenUser(r)
	if err != nil {
		return err
	}
	private(w.Header())
	values, bad, err := h.putPreferences(r, &u, true)
	switch {
	case err != nil:
		return err
	case bad == nil:
		redirect(w, r, tokenSettings(r.PathValue("token"))+"?done=saved")
		return nil
	}
	p, err := h.tokenSettingsPage(r, &u)
	if err != nil {
		return err
	}
	p.Preferences.Again(values)
	for _, f := range bad.Fields {
		p.Preferences.Fault = append(p.Preferences.Fault, faultText(p.Text, f))
	}
	return h.page(w, r, http.StatusUnprocessableEntity, views.TokenSettingsPage(p))
}

// masked shows just enough of an address for its owner to recognise it: mails are forwarded to others.
func masked(address string) string {
	local, domain, _ := strings.Cut(address, "@")
	first, _ := utf8.DecodeRuneInString(local)
	return string(first) + "…@" + domain
}
