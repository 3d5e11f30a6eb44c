package views

import "github.com/carillonhq/carillon/views/components"

// Person is the staff page of one user.
type Person struct {
	Frame
	Faults
	Name        string // the host application's id
	Display     string // may be empty
	Face        components.Face
	Action      string // the address of the forms
	Deeds       PersonDeeds
	Facts       []Fact
	Notes       []string // corrections to their profile, as sentences
	MailFault   string   // what is wrong if mail does not arrive; empty: it does
	TryMail     string   // the accessible name of the button to try the address again
	Audience    string
	Groups      []PersonGroup
	Roles       []components.Option // the groups to add them to; empty: its name is typed
	NewGroup    string              // the group as typed
	Preferences []Fact
	Devices     *PersonItems // nil: push is off
	Sessions    PersonItems
	Sent        PersonItems
	History     []Event
}

// PersonDeeds is what staff can do besides changing groups. An empty address: it is not offered.
type PersonDeeds struct {
	Send     string
	Password string // asks for the password
	Delete   string // asks whether to delete
	Asked    string // the deed that this page asks about: password or delete; empty: none
	Cancel   string // the page without the question
}

// PersonGroup is a role of a person.
type PersonGroup struct {
	Link
	Remove string // the accessible name of the button; empty: they cannot be removed
}

// PersonItems is a section with devices, sessions or notices.
type PersonItems struct {
	ID, Heading string
	Items       []PersonItem
	None        string // the text without items
}

// PersonItem is one of them.
type PersonItem struct {
	Link
	Detail string
	Fault  string // empty: none
}
