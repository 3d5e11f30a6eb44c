package views

import (
	"cmp"

	"github.com/carillonhq/carillon/views/components"
)

// Users is the directory of users.
type Users struct {
	Frame
	List
	Faults   // of the form for another person
	Rows     []UserRow
	New      NewPerson
	ByMail   bool                // the search finds mail addresses, too
	Groups   []components.Option // the choices of that filter
	States   []components.Option // the choices of the filter by activity
	Clear    string              // the list without search and filters; empty: there are none
	Order    Link                // the list in another order; empty: there is none
	NextText string
	Many     ManyForm
}

// ManyForm is the form for the people in the list who are ticked.
type ManyForm struct {
	Faults
	AllText string              // of the box for all who match, with their number; empty: nobody but those on the page
	All     bool                // that box is ticked
	Group   string              // as filled in
	Groups  []components.Option // nil: the name is typed
	Fields  []Hidden            // the filters
}

// Many is a change of all people who match: a question, or how far it is.
type Many struct {
	Frame
	Back     string   // the list
	Fields   []Hidden // of the next step
	Ask      string   // the question; empty: it has been answered
	Progress string
	Result   string // how many were changed so far
	Over     bool   // nothing is left to do

	Looked, Changed, Of int64
}

// NewPerson is the form for another person.
type NewPerson struct {
	Name, Email, Role string              // as filled in
	Audiences         []components.Option // everybody is in exactly one
	Roles             []components.Option // nil: the name is typed
	ByMail            bool                // mail is sent
	ByPassword        bool                // people can sign in with a password
}

// UserRow is one user.
type UserRow struct {
	Pick, PickText string // the value and the name of the box; Picked: it is ticked
	Picked         bool
	Name, Audience string
	Display        string // display name; may be empty
	Href           string // their page
	Face           components.Face
	Notes          []string // corrections to their profile, as sentences
	MailFault      string   // what is wrong if mail does not arrive; empty: it does
	Roles          []Link
	Unread         string // empty: unknown
	Seen           Dated  // when they were last seen; zero: unknown
}

// shown is the name that the row begins with.
func (u *UserRow) shown() string { return cmp.Or(u.Display, u.Name) }

func (p *Users) searchLabel() string {
	if p.ByMail {
		return p.Text.T("users.search_people")
	}
	return p.Text.T("users.search")
}

// Import is the form for a file of people.
type Import struct {
	Frame
	Faults
	Columns   string   // the names of the columns
	Audiences []string // as they are written in the file; never empty
}

// Importing is an import that takes more than one step.
type Importing struct {
	Frame
	Done, Of string // how many people were added, in digits
	Progress string // the same in words
	Fault    string // why nobody was added; empty: everybody was
	Back     string // the form
	List     string // who was added
}

// importCommand imports files of any size.
const importCommand = "carillon user import FILE"

// sample returns a file of two people.
func (p *Import) sample() string {
	first, last := p.Audiences[0], p.Audiences[len(p.Audiences)-1]
	return "name,audience,roles,locale,email\nalice," + first + ",staff;picker,en,alice@example.com\nbob," + last + ",,ja,"
}
