package views

import (
	"cmp"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
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
	Category  *Category           // nil: none is meant yet
	Expiry    []components.Option
	Takes     []components.Option
	// Disappears is when the notice expires if it is sent now or as scheduled; empty: unknown.
	Disappears string
	Zone       string // the time zone of the window
	EndsUsual  string // when an announcement closes by default
	// PictureHosts lists the hosts of the pictures that the text of an announcement may have; empty: it has none.
	PictureHosts string
	Preview      *Preview
	Lost         []string // what readers of an announcement's text will not get
	Confirm      *Confirm
	Later        []LaterChoice
	Submit       string      // the text of the button that sends
	Timing       bool        // the sender chooses the time
	OtherUser    string      // the signed-in user, if another user filled in the form; empty: the same user
	FaultList    []FaultLink // all errors, including errors without a field
	Edit         *Edit       // nil: it is a new notice
	Tested       string      // the confirmation that a test was sent; empty: none was sent
	Draft        string      // when the form was saved as a draft; empty: not saved
	DraftFault   string      // why it could not be saved; empty: no failure
	Newest       *DraftLink  // nil: the reader has no drafts, or the form is filled in
	Drafts       int64       // how many the reader has
	AllDrafts    string      // the page that lists drafts and templates
	Templates    []Link      // links to the form filled in with each
	Naming       *Naming     // asks for the name of a template; nil: not asked
	Kept         string      // the confirmation that a template was saved; empty: none was
	Meant        []Meant     // suggestions for unknown names
	Live         bool        // the response contains only a part of the form
	NotSent      string      // why a valid form was not accepted; empty: no failure
}

// atHint explains the field with the time at which the notice is sent.
func (p *Send) atHint() string { return p.Text.T("send.at_hint") + " " + p.Zone }

// LaterChoice is a time at which the form offers to send.
type LaterChoice struct {
	Value, Text string
	Note        string // the time; empty: none
}

// DraftLink links to the form filled in with a draft.
type DraftLink struct{ Href, Title, Changed string }

// Naming is the name of a template, as typed or suggested.
type Naming struct{ Name string }

// Meant is a user whose name is similar to a typed one.
type Meant struct{ Typed, Name string }

// Category is the type in the form as people see it.
type Category struct {
	Mark Mark
	Name string
}

// TypeHint is a known type of notice.
type TypeHint struct {
	Slug string
	Name string // empty: none
}

// Edit is the additional data of the form for a sent announcement or notice.
type Edit struct {
	Action    string
	Back      string // the page of the notice
	Of        string // the title of the notice as it is
	Revision  string // the revision being edited
	Conflict  string // why it was not saved; empty: no conflict
	Over      bool   // it can no longer be edited
	Scheduled bool   // not sent yet
}

// sendFields lists the fields that can have errors.
var sendFields = []string{
	"template_name", "target", "to", "to_role", "to_audience", "title", "body", "link", "type", "subject", "scope", "choices", "take", "take_within", "take_else", "expires_in", "send_at", "starts_at", "ends_at", "pinned", "late_joiners", "toast", "unread",
}

// ControlOf returns the element ID of a field's control. The page's banner and toasts already use the IDs
// "pinned" and "toast".
func ControlOf(field string) string {
	if field == "pinned" || field == "toast" {
		return "is_" + field
	}
	return field
}

// SendForm is the sender's input.
type SendForm struct {
	Target, To, Type, Scope, Subject, Title, Body, Link, Choices, ExpiresIn string

	Take, TakeWithin, TakeElse string // the task; Take is a notifier.TakeDone, empty: none

	Roles     []string // the values of the ticked boxes, or the typed names
	Audiences []string // the values of the ticked boxes
	ToKept    string   // the user names, while another target is chosen

	SendAt              string
	StartsAt, EndsAt    string // of an announcement's window
	Pinned, LateJoiners bool

	Toast bool // also shown as a toast

	Unread bool // of an edit: mark the announcement unread for all readers

	Once string // identifies the form if it is submitted again
}

// FaultLink links from the list of errors to a field.
type FaultLink struct{ Field, Text string }

// Confirm asks the sender to confirm an announcement or a large number of recipients.
type Confirm struct {
	Count  string   // the value of the field confirm
	Lines  []string // to how many people, and when and where they see it
	Submit string
}

func (p *Send) field(id, label, hint string) components.Field {
	return components.Field{ID: ControlOf(id), Name: id, Label: label, Hint: hint, Fault: p.Faults[id]}
}

// toField is the one field of all recipients, with the error of whichever control has one.
func (p *Send) toField() components.Field {
	f := p.field("to", "", "-")
	if p.Edit == nil {
		f.Fault = cmp.Or(f.Fault, p.Faults["to_role"], p.Faults["to_audience"])
	}
	return f
}

// behindTo is a field with other recipients, whose error toField has.
func (p *Send) behindTo(f components.Field) components.Field {
	if p.Edit == nil {
		f.Fault = ""
	}
	return f
}

// faulty returns all fields that can have errors.
func (p *Send) faulty() (fields []components.Field) {
	for _, id := range sendFields {
		switch f := p.field(id, "", ""); id {
		case "to":
			fields = append(fields, p.toField())
		case "to_role", "to_audience":
			fields = append(fields, p.behindTo(f))
		default:
			fields = append(fields, f)
		}
	}
	return fields
}

// followersPhrase and scopedPhrase name the followers of a topic; a script fills them in.
func (p *Send) followersPhrase() string { return p.Text.F("send.followers_of", "Topic", "{Topic}") }

func (p *Send) scopedPhrase() string {
	return p.Text.F("topic.scoped", "Type", "{Type}", "Scope", "{Scope}")
}

// seeable reports whether the notice has enough content to be shown.
func (p *Send) seeable() bool { return p.Preview != nil && p.Preview.Card.title() != "" }

// optional returns a field that may be left empty.
func (p *Send) optional(id, label, hint string) components.Field {
	f := p.field(id, label, hint)
	f.Note = p.Text.T("send.optional")
	return f
}

// errorsHeading returns the heading of the list of errors.
func (p *Send) errorsHeading() string {
	if p.Edit != nil {
		return p.Text.T("edit.errors_heading")
	}
	return p.Text.T("send.errors_heading")
}

// previewText returns the text above the preview.
func (p *Send) previewText() string {
	if p.Edit != nil {
		return p.Text.T("edit.preview_text")
	}
	return p.Text.T("send.preview_text")
}

// typedRoles returns the roles as text, for the text field.
func (p *Send) typedRoles() string { return strings.Join(p.Form.Roles, ", ") }

// defaultType returns the type of a notice without one. A topic needs a type.
func (p *Send) defaultType() string {
	if p.Form.Target == "topic" {
		return " "
	}
	return notifier.TypeMessage
}

// moreGiven reports whether one of the less common fields has input or an error.
func (p *Send) moreGiven() bool {
	f := &p.Form
	texts := f.Scope + f.Subject + f.Choices + f.Take + f.ExpiresIn
	faulty := slices.ContainsFunc(moreFields, func(name string) bool { return p.Faults[name] != "" })
	return faulty || texts != "" || f.Toast
}

// moreFields lists the less common fields.
var moreFields = []string{"scope", "subject", "choices", "take", "take_within", "take_else", "expires_in", "toast"}

// linkHint says where a link that begins with / leads.
func (p *Send) linkHint() string {
	if p.Links == "" {
		return p.Text.T("send.link_hint")
	}
	return p.Text.F("send.link_hint_base", "Base", p.Links)
}

// timed reports whether the time of sending is chosen, so that it stands among the first fields.
func (p *Send) timed() bool {
	return p.Form.SendAt != "" || p.Timing || p.Faults["send_at"] != ""
}

// submitText returns the text of the button that sends.
func (p *Send) submitText() string {
	if p.Submit == "" {
		return p.Text.T("send.submit")
	}
	return p.Submit
}

// titleFirst reports whether the page opens with the focus in the title: that of an edit which has nothing to explain.
func (p *Send) titleFirst() bool {
	return p.Edit != nil && len(p.FaultList) == 0 && p.OtherUser == "" && p.Edit.Conflict == "" && p.Preview == nil
}
