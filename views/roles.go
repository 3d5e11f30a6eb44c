package views

// Roles is the list of roles.
type Roles struct {
	Frame
	List
	Faults
	New  string // the input for a new role's name
	Rows []RoleRow
}

// RoleRow is one role.
type RoleRow struct{ Name, Href, Members, SendHref, SendNamed string }

// Role is a role and its members.
type Role struct {
	Frame
	List
	Faults
	Name          string
	Path          string // the address of its forms and search
	Narrow        []Hidden
	Members       string // the number of members
	New           string // the input for a new member's name
	Rows          []MemberRow
	Staff         bool   // it is the role with access to these pages
	SendHref      string // the form to send to it
	Subscriptions string // the page of its subscriptions; empty: there are no subscriptions
	Back          string
}

// MemberRow is one member.
type MemberRow struct {
	Name, Audience string
	Display        string   // display name; may be empty
	Href           string   // their page
	Fields         []Hidden // of the form to remove them
	Remove         string   // the accessible name of its button
	Fixed          bool     // they cannot be removed
}
