package views

import (
	"net/url"
	"slices"

	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// Preferences contains how and when a user is notified outside the pages.
type Preferences struct {
	Action           string // where the settings page of a mail (mail only) posts; empty: the normal settings
	Mailing, Pushing bool
	Address          string // the destination of mails
	AddressFault     string // what is wrong if mails do not arrive; empty: they do
	TryAgain         bool   // the user may request another attempt
	Mail, Push       []components.Option
	MailAt, From, To string // HH:MM
	Zones            []components.Option
	Types            []TypeWants
	Fault            []string
	PauseFault       string

	sent url.Values // a form with errors, to show again; nil: none
}

// TypeWants is a type of notice, with the channels on which the user is notified of it.
type TypeWants struct {
	Type, Name           string
	Icon, Initials, Tint string
	Locked               bool // it cannot be muted
	Urgent               bool
	Wants                map[Way]bool
}

// Way is a channel, one of the columns of the types. Field names contain it, in every language.
type Way string

// The channels on which users are notified.
const (
	WayInbox   Way = "Inbox"
	WayDevices Way = "Devices"
	WayMail    Way = "Mail"
)

// Ways returns all channels, in column order.
func Ways() []Way { return []Way{WayInbox, WayDevices, WayMail} }

// ways returns the columns of the page.
func (p *Preferences) ways() []Way {
	if p.Action != "" {
		return []Way{WayMail}
	}
	return slices.DeleteFunc(Ways(), func(w Way) bool { return w == WayDevices && !p.Pushing || w == WayMail && !p.Mailing })
}

// byWays picks the text that mentions only the channels available to the user outside the pages.
func (p *Preferences) byWays(all, mail, devices string) string {
	switch {
	case !p.Mailing:
		return devices
	case !p.Pushing || p.Action != "":
		return mail
	}
	return all
}

// outside reports whether the user can be notified outside the pages.
func (p *Preferences) outside() bool { return p.Mailing || p.Pushing }

// action returns the address that the form posts to.
func (p *Preferences) action() string {
	if p.Action != "" {
		return p.Action
	}
	return "/settings/preferences"
}

// text returns the column header.
func (w Way) text(text *locale.Printer) string {
	switch w {
	case WayInbox:
		return text.T("preferences.inbox")
	case WayDevices:
		return text.T("preferences.devices")
	case WayMail:
		return text.T("preferences.email")
	}
	return ""
}

// Box returns the name of the field for a type and a channel.
func Box(slug string, way Way) string { return slug + ": " + string(way) }

// Again shows the form with the values that were sent.
func (p *Preferences) Again(sent url.Values) { p.sent = sent }

// typed returns the value to show in a field.
func (p *Preferences) typed(field, stored string) string {
	if p.sent.Has(field) {
		return p.sent.Get(field)
	}
	return stored
}

// box reports whether a box is ticked.
func (p *Preferences) box(t *TypeWants, way Way) bool {
	if slices.Contains(p.sent["type"], t.Type) && (!t.Locked || way != WayInbox) {
		return p.sent.Has(Box(t.Type, way))
	}
	return t.Wants[way]
}

// options returns the choices of a field.
func (p *Preferences) options(field string, stored []components.Option) []components.Option {
	if !p.sent.Has(field) {
		return stored
	}
	again := slices.Clone(stored)
	for i := range again {
		again[i].Selected = again[i].Value == p.sent.Get(field)
	}
	return again
}
