package handlers

import (
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/components"
)

// shows reports whether the pages may show a picture: the hosts may have changed since its notice was accepted.
func (h *Handlers) shows(address string) bool { return notifier.AllowedImage(address, h.ImageHosts) }

// addExtras adds the actor, picture and buttons of a notice to its row. leads returns the address of button number n,
// counted from 1, or "" if it must not be shown.
func addExtras(row *components.Row, x *notifier.Extras, shows func(string) bool, leads func(n int, link string) string) {
	if a := x.Actor; a != nil {
		row.Actor = &components.Face{Initials: a.Initials(), Tint: tintOf(faceID(a))}
		if shows(a.Image) {
			row.Actor.Image = a.Image
		}
	}
	if i := x.Image; i != nil && shows(i.URL) {
		row.Picture = &components.Picture{URL: i.URL, Alt: i.Alt}
	}
	for i, a := range x.Actions {
		if link := leads(i+1, a.Link); link != "" {
			row.Buttons = append(row.Buttons, components.RowButton{Label: a.Label, Link: link, Primary: a.Style == notifier.StylePrimary})
		}
	}
}

// faceID returns what identifies an actor.
func faceID(a *notifier.RowActor) string {
	if a.ID != "" {
		return a.ID
	}
	return a.Name
}
