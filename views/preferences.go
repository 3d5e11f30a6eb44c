package views

import (
	"net/url"
	"slices"

	"github.com/carillonhq/carillon/views/components"
)

// Preferences are how and when a user is told outside the pages.
type Preferences struct {
	Shown            bool
	Mailing, Pushing bool
	Address          string // says where mails go
	Mail, Push       []components.Option
	MailAt, From, To string // HH:MM
	Zones            []components.Option
	Types            []TypeWants
	Fault            []string
	PauseFault       string

	sent url.Values // a form with faults, which is shown again; nil: none
}

// TypeWants is a type of notice, with the ways in which the user is told of it.
type TypeWants struct {
	Type, Name        string
	Locked            bool // it cannot be muted
	Inbox, Push, Mail bool
}

// Again has the form shown as it was sent.
func (p *Preferences) Again(sent url.Values) { p.sent = sent }

// typed is what a field of the form shows.
func (p *Preferences) typed(field, stored string) string {
	if p.sent.Has(field) {
		return p.sent.Get(field)
	}
	return stored
}

// box reports whether a box is ticked.
func (p *Preferences) box(field, slug string, stored bool) bool {
	if slices.Contains(p.sent["type"], slug) {
		return slices.Contains(p.sent[field], slug)
	}
	return stored
}

// options are the choices of a field.
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
