package views

import "github.com/carillonhq/carillon/views/components"

// Send is the form that sends a notice.
type Send struct {
	Frame
	Form      SendForm
	Faults    map[string]string // by field
	Roles     []string          // as hints, with how many they are
	Audiences []string          // as hints, with how many they are
	Types     []TypeHint        // as hints
	Expiry    []components.Option
	// Disappears says when a notice goes that is sent now; empty: nobody knows.
	Disappears string
	Zone       string // whose times those of a window are
	EndsUsual  string // when an announcement closes whose sender does not say
	Preview    *Preview
	Confirm    *Confirm
	OtherUser  string      // who is signed in now, when somebody else wrote this; empty: nobody else did
	FaultList  []FaultLink // all of them, also those of no field
	Edit       *Edit       // nil: it is a new notice
	NotSent    string      // why it could not be taken, through no fault of the form; empty: it was not sent before
}

// TypeHint is a type of notice that is known.
type TypeHint struct {
	Slug string
	Name string // empty: it has none
}

// Edit is what the form of an announcement or a notice has that was sent before.
type Edit struct {
	Action   string
	Back     string // its page
	Revision string // the one that is edited
	Conflict string // why it was not changed; empty: it may be
	Over     bool   // it cannot be changed any more
}

// sendFields are the fields that can be wrong.
var sendFields = []string{
	"target", "to", "title", "body", "link", "type", "subject", "scope", "expires_in", "starts_at", "ends_at", "pinned", "late_joiners", "toast",
}

// ControlOf is the id of a field's control: each page has a banner and a place for
// pop-ups that may be called like the others.
func ControlOf(field string) string {
	if field == "pinned" || field == "toast" {
		return "is_" + field
	}
	return field
}

// SendForm is what the sender has typed.
type SendForm struct {
	Target, To, Type, Scope, Subject, Title, Body, Link, ExpiresIn string

	StartsAt, EndsAt    string // of an announcement
	Pinned, LateJoiners bool

	Toast bool // it pops up too

	Once string // makes the form the same one when it comes again
}

// FaultLink leads from the summary of faults to the field.
type FaultLink struct{ Field, Text string }

// Preview shows the notice before it is sent, as far as it is written.
type Preview struct {
	Recipients string // how many; empty: it is not known yet
	Toast      bool   // it pops up too
	Schedule   string // when an announcement opens and closes; empty: it is none, or has no such times
	Card       Card   // without a title there is nothing to see yet
}

// Card is a notice as its recipients see it.
type Card struct {
	Row  components.Row
	Post *Announcement // instead of the row: it is an announcement
}

// title is that of the notice.
func (c *Card) title() string {
	if c.Post != nil {
		return c.Post.Row.Title
	}
	return c.Row.Title
}

// Confirm asks whether so many people are meant.
type Confirm struct {
	Count        string // what the field confirm sends
	Text, Submit string
}

func (p *Send) field(id, label, hint string) components.Field {
	return components.Field{ID: ControlOf(id), Name: id, Label: label, Hint: hint, Fault: p.Faults[id]}
}

// seeable says whether there is enough of the notice to show it.
func (p *Send) seeable() bool { return p.Preview != nil && p.Preview.Card.title() != "" }

// optional is a field that may be left empty.
func (p *Send) optional(id, label, hint string) components.Field {
	f := p.field(id, label, hint)
	f.Note = p.Text.T("send.optional")
	return f
}

// errorsHeading stands above the faults.
func (p *Send) errorsHeading() string {
	if p.Edit != nil {
		return p.Text.T("edit.errors_heading")
	}
	return p.Text.T("send.errors_heading")
}

// previewText stands above the preview.
func (p *Send) previewText() string {
	if p.Edit != nil {
		return p.Text.T("edit.preview_text")
	}
	return p.Text.T("send.preview_text")
}
