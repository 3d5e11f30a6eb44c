package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// themeAuto is the form's value for a theme that follows the system.
const themeAuto = "auto"

// The form's values for how much of each row is shown.
const (
	densityComfortable = "comfortable"
	densityCompact     = "compact"
)

// Error codes used only by the settings.
const (
	codeBadLocale  = "bad_locale"
	codeBadTheme   = "bad_theme"
	codeBadDensity = "bad_density"
	codeBadSwitch  = "bad_switch"
)

// settings shows a tab of the settings; an unknown one is the first.
func (h *Handlers) settings(w http.ResponseWriter, r *http.Request) error {
	tab := views.Tab(r.URL.Query().Get("tab"))
	if tab != views.TabAppearance && (tab != views.TabAccount || visitOf(r).user.Proxied) {
		tab = views.TabNotifications
	}
	return h.showSettings(w, r, http.StatusOK, h.settingsPage(r, tab, visitOf(r).user.User.Settings, nil))
}

// settled returns the address of a tab that says what was done there.
func settled(tab views.Tab, done string) string {
	values := url.Values{"done": {done}}
	if tab != views.TabNotifications {
		values.Set("tab", string(tab))
	}
	return "/settings?" + values.Encode()
}

// saveSettings saves the settings; a missing field keeps its value, unless switch names it: a switch that is off sends
// nothing. The next page uses them.
func (h *Handlers) saveSettings(w http.ResponseWriter, r *http.Request) error {
	values, err := formWith(r, []string{"switch"}, "locale", "theme", "keys", "toasts", "opening", "density")
	if values == nil {
		return err
	}
	set, faults := h.choose(values)
	if bad := merge(err, faults); len(bad.Fields) > 0 {
		return h.showSettings(w, r, http.StatusUnprocessableEntity, h.settingsPage(r, views.TabAppearance, set.Apply(visitOf(r).user.User.Settings), bad))
	}
	if _, err := h.People.SetSettings(r.Context(), seqOf(r), set); err != nil {
		return fmt.Errorf("save the settings of user %d: %w", seqOf(r), err)
	}
	redirect(w, r, settled(views.TabAppearance, "saved"))
	return nil
}

// showSettings completes the tab and sends it.
func (h *Handlers) showSettings(w http.ResponseWriter, r *http.Request, status int, p *views.Settings) error {
	var err error
	switch p.Tab {
	case views.TabNotifications:
		err = h.addNotifications(r, p)
	case views.TabAccount:
		err = h.addSessions(r, p)
	case views.TabAppearance:
	}
	if err != nil {
		return err
	}
	return h.page(w, r, status, views.SettingsPage(p))
}

func (h *Handlers) addNotifications(r *http.Request, p *views.Settings) error {
	if err := h.addPreferences(r, p, &visitOf(r).user.User); err != nil {
		return err
	}
	types, err := h.Store.Mutes(r.Context(), seqOf(r))
	if err != nil {
		return fmt.Errorf("list muted types: %w", err)
	}
	for _, typ := range types {
		if !slices.ContainsFunc(p.Preferences.Types, func(t views.TypeWants) bool { return t.Type == typ }) {
			p.Muted = append(p.Muted, h.mutedType(p.Text, typ))
		}
	}
	if err := h.addDevices(r, p); err != nil {
		return err
	}
	return h.addSubscriptions(r, p)
}

// mutedType returns a muted type and the form to unmute it.
func (h *Handlers) mutedType(text *locale.Printer, typ string) views.MutedType {
	name := h.typeNames(text).of(typ)
	m := views.MutedType{Type: typ, Name: name, Unmute: text.F("settings.unmute_named", "Type", name)}
	if !h.Topics.Mutable(typ) {
		m.Void = text.T("settings.muted_void")
	}
	return m
}

// choose parses the submitted fields. An invalid one is left out and is an error.
func (h *Handlers) choose(values url.Values) (set notifier.PutSettings, err error) {
	var bad notifier.InvalidError
	if values.Has("locale") {
		if lang := values.Get("locale"); h.speaks(lang) {
			set.Locale = &lang
		} else {
			bad.Add("locale", codeBadLocale, nil)
		}
	}
	switch theme := values.Get("theme"); {
	case !values.Has("theme"):
	case theme == "", theme == themeAuto:
		set.Theme = new("")
	case theme == notifier.ThemeLight, theme == notifier.ThemeDark:
		set.Theme = &theme
	default:
		bad.Add("theme", codeBadTheme, nil)
	}
	switch density := values.Get("density"); density {
	case densityCompact, densityComfortable:
		set.Compact = new(density == densityCompact)
	default:
		if values.Has("density") {
			bad.Add("density", codeBadDensity, nil)
		}
	}
	set.KeysOff = chooseSwitch("keys", values, &bad)
	set.ToastsOff = chooseSwitch("toasts", values, &bad)
	set.OpensOnly = chooseSwitch("opening", values, &bad)
	return set, bad.OrNil()
}

func chooseSwitch(field string, values url.Values, bad *notifier.InvalidError) (off *bool) {
	switch values.Get(field) {
	case "1":
		return new(false)
	case "0":
		return new(true)
	}
	switch {
	case values.Has(field):
		bad.Add(field, codeBadSwitch, nil)
	case slices.Contains(values["switch"], field):
		return new(true)
	}
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

// settingsPage builds a tab with set as the current choice. bad may be nil.
func (h *Handlers) settingsPage(r *http.Request, tab views.Tab, set notifier.Settings, bad *notifier.InvalidError) *views.Settings {
	p := &views.Settings{Frame: h.frame(r, "settings", "settings.title"), Tab: tab}
	p.Sheet = p.Assets.SettingsStyle
	p.Form = views.SettingsForm{
		Languages: []components.Option{{Text: p.Text.T("settings.language_auto"), Selected: set.Locale == ""}},
		Themes: []components.Option{
			{Value: themeAuto, Text: p.Text.T("settings.theme_auto"), Selected: set.Theme == ""},
			{Value: notifier.ThemeLight, Text: p.Text.T("settings.theme_light"), Selected: set.Theme == notifier.ThemeLight},
			{Value: notifier.ThemeDark, Text: p.Text.T("settings.theme_dark"), Selected: set.Theme == notifier.ThemeDark},
		},
		Densities: []components.Option{
			{Value: densityComfortable, Text: p.Text.T("settings.density_comfortable"), Selected: !set.Compact},
			{Value: densityCompact, Text: p.Text.T("settings.density_compact"), Selected: set.Compact},
		},
		Keys: !set.KeysOff, Toasts: !set.ToastsOff, Opening: !set.OpensOnly,
		Faults: map[string]string{},
	}
	for _, each := range h.texts.Printers() {
		// Each language is named in that language, for users who read no other.
		p.Form.Languages = append(p.Form.Languages, components.Option{
			Value: each.Lang(), Text: each.T("app.language"), Lang: each.Lang(), Selected: set.Locale == each.Lang(),
		})
	}
	if bad != nil {
		for _, f := range bad.Fields {
			p.Form.Faults[f.Field] = faultText(p.Text, f)
		}
	}
	return p
}
