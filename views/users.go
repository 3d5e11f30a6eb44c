package views

// Users is the directory of users.
type Users struct {
	Frame
	List
	Rows []UserRow
}

// UserRow is one user.
type UserRow struct {
	Name, Number, Audience string
	Display                string   // display name; may be empty
	Href                   string   // their page
	Notes                  []string // corrections to their profile, as sentences
	MailFault              string   // what is wrong if mail does not arrive; empty: it does
	TryMail                string   // the accessible name of the button to try the address again
	Roles                  []Link
	Between                string // the separator between roles
	SendHref, SendNamed    string
}
