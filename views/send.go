package views

import (
	"slices"
	"strings"

	"github.com/carillonhq/carillon/views/components"
)

// Send is the form to send a notice.
type Send struct {
	Frame
	Form      SendForm
	Faults    map[string]string   // by field
	Roles     []components.Option // to tick; none: the names are typed
	Audiences []components.Option // to tick
	Types     []TypeHint          // suggestions
	Expiry    []components.Option
	// Disappears is when a notice sent now would expire; empty: unknown.
	Disappears string
	Zone       string // the time zone of the window
	EndsUsual  string // when an announcement closes by default
	Preview    *Preview
	Confirm    *Confirm
	OtherUser  string      // the signed-in user, if another user wrote this; empty: the same user
	FaultList  []FaultLink // all errors, including errors without a field
	Edit       *Edit       // nil: it is a new notice
	Tested     string      // the confirmation that a test was sent; empty: none was
	Draft      string      // when the form was saved as a draft; empty: it is not saved
	DraftFault string      // why it could not be saved; empty: no such failure
	Newest     *DraftLink  // nil: the reader has no drafts, or the form is filled in
	Drafts     int64       // how many the reader has
	AllDrafts  string      // the page that lists them, and the templates
	Templates  []Link      // the form, filled in with each
	Naming     *Naming     // asks for the name of a template; nil: it does not
	Kept       string      // the confirmation that the form was saved as a template; empty: it was not
	Meant      []Meant     // suggestions for unknown names
	Live       bool        // a script gets only a part of the form
	NotSent    string      // why a valid form could not be accepted; empty: no such failure
}

// atHint explains the field with the time at which the notice is sent.
func (p *Send) atHint() string { return p.Text.T("send.at_hint") + " " + p.Zone }

// DraftLink leads to the form filled in with a draft.
type DraftLink struct{ Href, Title, Changed string }

// Naming is the name of a template, as typed or suggested.
type Naming struct{ Name string }

// Meant is a user whose name is like one that was typed.
type Meant struct{ Typed, Name string }

// TypeHint is a known type of notice.
type TypeHint struct {
	Slug string
	Name string // empty: it has none
}

// Edit is the additional data of the form for a sent announcement or notice.
type Edit struct {
	Action    string
	Back      string // the page of the notice
	Revision  string // the revision being edited
	Conflict  string // why it was not saved; empty: no conflict
	Over      bool   // it can no longer be edited
	Scheduled bool   // it is not sent yet
}

// sendFields are the fields that can have errors.
var sendFields = []string{
	"template_name", "target", "to", "to_role", "to_audience", "title", "body", "link", "type", "subject", "scope", "expires_in", "send_at", "starts_at", "ends_at", "pinned", "late_joiners", "toast", "unread",
}

// ControlOf is the id of a field's control. The ids pinned and toast are taken by the page's
// banner and toasts.
func ControlOf(field string) string {
	if field == "pinned" || field == "toast" {
		return "is_" + field
	}
	return field
}

// SendForm is what the sender has typed.
type SendForm struct {
	Target, To, Type, Scope, Subject, Title, Body, Link, ExpiresIn string

	Roles     []string // the values of the boxes that are ticked, or typed
	Audiences []string // the values of the boxes that are ticked
	ToKept    string   // the names of users, while another target is chosen

	SendAt              string
	StartsAt, EndsAt    string // of an announcement's window
	Pinned, LateJoiners bool

	Toast bool // also shown as a toast

	Unread bool // of an edit: marks the announcement unread for all users

	Once string // identifies the form if it is submitted again
}

// FaultLink leads from the list of errors to the field.
type FaultLink struct{ Field, Text string }

// Preview shows the notice while it is being written.
type Preview struct {
	Recipients string // how many; empty: not known yet
	Toast      bool   // also shown as a toast
	Banner     bool   // also shown as a banner
	Text       string // the text as a toast shows it
	Schedule   string // when an announcement opens and closes; empty: not an announcement, or no valid window
	Card       Card   // without a title there is nothing to show yet
}

// Card is a notice as its recipients see it.
type Card struct {
	Row          components.Row
	Announcement *Announcement // instead of Row for an announcement
}

// title is the title of the notice.
func (c *Card) title() string {
	if c.Announcement != nil {
		return c.Announcement.Row.Title
	}
	return c.Row.Title
}

// Confirm asks the sender to confirm a large number of recipients.
type Confirm struct {
	Count        string // the value of the field confirm
	Text, Submit string
}

func (p *Send) field(id, label, hint string) components.Field {
	return components.Field{ID: ControlOf(id), Name: id, Label: label, Hint: hint, Fault: p.Faults[id]}
}

// seeable reports whether there is enough of the notice to show it.
func (p *Send) seeable() bool { return p.Preview != nil && p.Preview.Card.title() != "" }

// optional is a field that may be left empty.
func (p *Send) optional(id, label, hint string) components.Field {
	f := p.field(id, label, hint)
	f.Note = p.Text.T("send.optional")
	return f
}

// errorsHeading is the heading of the list of errors.
func (p *Send) errorsHeading() string {
	if p.Edit != nil {
		return p.Text.T("edit.errors_heading")
	}
	return p.Text.T("send.errors_heading")
}

// previewText is the text above the preview.
func (p *Send) previewText() string {
	if p.Edit != nil {
		return p.Text.T("edit.preview_text")
	}
	return p.Text.T("send.preview_text")
}

// typedRoles is the roles where they are typed.
func (p *Send) typedRoles() string { return strings.Join(p.Form.Roles, ", ") }

// defaultType is the type of a notice without one. A topic has to be named.
func (p *Send) defaultType() string {
	if p.Form.Target == "topic" {
		return " "
	}
	return DefaultType
}

// DefaultType is the type of a notice to people or roles for which the sender gives none.
const DefaultType = "message"

// moreGiven reports whether one of the fields that most notices do not need has input or a fault.
func (p *Send) moreGiven() bool {
	f := &p.Form
	texts := f.Scope + f.Subject + f.ExpiresIn + f.SendAt + f.StartsAt + f.EndsAt
	if f.Target != "topic" {
		texts += f.Type
	} else {
		texts = f.Subject + f.ExpiresIn + f.SendAt
	}
	faulty := slices.ContainsFunc(moreFields, func(name string) bool { return p.Faults[name] != "" })
	return faulty || texts != "" || f.Pinned || f.LateJoiners || f.Toast
}

// moreFields are the fields that most notices do not need.
var moreFields = []string{"type", "scope", "subject", "expires_in", "send_at", "starts_at", "ends_at", "pinned", "late_joiners", "toast"}
