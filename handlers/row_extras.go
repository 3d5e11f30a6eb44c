package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// shows reports whether the pages may show a picture: the hosts may have changed since its notice was accepted.
func (h *Handlers) shows(address string) bool { return notifier.AllowedImage(address, h.ImageHosts) }

// extrasOf returns what the pages show of the extras of a notice. leads returns the address of button number n, counted
// from 1, or "" if it must not be shown.
func extrasOf(x *notifier.Extras, shows func(string) bool, leads func(n int, link string) string) (shown components.Extras) {
	if a := x.Actor; a != nil {
		look := a.Look()
		shown.Actor = &components.Face{Initials: look.Initials, Tint: look.Tint}
		if shows(a.Image) {
			shown.Actor.Image = a.Image
		}
	}
	if i := x.Image; i != nil && shows(i.URL) {
		shown.Picture = &components.Picture{URL: i.URL, Alt: i.Alt}
	}
	for i, a := range x.Actions {
		if link := leads(i+1, a.Link); link != "" {
			shown.Buttons = append(shown.Buttons, components.RowButton{Label: a.Label, Link: link, Primary: a.Style == notifier.StylePrimary})
		}
	}
	return shown
}

// shownApp returns how rows show the app with a name, as look does, but without an icon that the pages may not show.
func (h *Handlers) shownApp(look func(name string) notifier.RowApp) func(name string) notifier.RowApp {
	return func(name string) notifier.RowApp {
		app := look(name)
		if !h.shows(app.Icon) {
			app.Icon = ""
		}
		return app
	}
}

// appNamed returns how rows show the app with a name.
func (h *Handlers) appNamed(r *http.Request, name string) notifier.RowApp {
	return h.Tokens.Look(r.Context(), name)
}

// sentBy returns the line about the app with this name, which has sent a notice; empty: none has.
func sentBy(text *locale.Printer, app string, look func(name string) notifier.RowApp) components.From {
	if app == "" {
		return components.From{}
	}
	shown := look(app)
	return components.From{Text: text.F("mail.sent_by", "Name", shown.Title), Icon: shown.Icon}
}
