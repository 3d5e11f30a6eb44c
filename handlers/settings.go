package handlers

import (
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

func (h *Handlers) settings(w http.ResponseWriter, r *http.Request) error {
	return h.page(w, r, http.StatusOK, views.SettingsPage(h.settingsPage(r, visitOf(r).user.User.Locale)))
}

// saveSettings keeps the language. It shows from the next page on.
func (h *Handlers) saveSettings(w http.ResponseWriter, r *http.Request) error {
	if h.Locales == nil {
		return notifier.ErrNotFound
	}
	values, err := form(r, "locale")
	if values == nil {
		return err
	}
	chosen := values.Get("locale")
	if err != nil || !values.Has("locale") || !h.speaks(chosen) {
		p := h.settingsPage(r, kept(chosen))
		p.Fault = p.Text.T("error.bad_locale")
		return h.page(w, r, http.StatusUnprocessableEntity, views.SettingsPage(p))
	}
	if err := h.Locales.SetLocale(r.Context(), seqOf(r), chosen); err != nil {
		return fmt.Errorf("keep the language of user %d: %w", seqOf(r), err)
	}
	redirect(w, "/settings?done=saved")
	return nil
}

func (h *Handlers) speaks(lang string) bool {
	for _, p := range h.texts.Printers() {
		if p.Lang() == lang {
			return true
		}
	}
	return lang == ""
}

func (h *Handlers) settingsPage(r *http.Request, chosen string) *views.Settings {
	p := &views.Settings{Frame: h.frame(r, "settings", "settings.title")}
	if h.Locales == nil {
		return p
	}
	p.Languages = []views.Option{{Text: p.Text.T("settings.language_auto"), Selected: chosen == ""}}
	for _, each := range h.texts.Printers() {
		// Each language in its own words, for whoever reads only that one.
		p.Languages = append(p.Languages, views.Option{
			Value: each.Lang(), Text: each.T("app.language"), Selected: chosen == each.Lang(),
		})
	}
	return p
}
