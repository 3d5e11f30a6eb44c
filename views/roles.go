package views

// Roles is the roles there are.
type Roles struct {
	Frame
	List
	Faults
	New  string // what was typed as the name of a new one
	Rows []RoleRow
}

// RoleRow is one role.
type RoleRow struct{ Name, Href, Members, SendHref, SendNamed string }

// Role is a role with its members.
type Role struct {
	Frame
	List
	Faults
	Name          string
	Path          string // where its forms go, and its search
	Narrow        []Hidden
	Members       string // how many
	New           string // what was typed as the name of a new member
	Rows          []MemberRow
	Staff         bool   // it is the role that sees these pages
	SendHref      string // the form that sends to it
	Subscriptions string // what it subscribes to; empty: nothing can be
	Back          string
}

// MemberRow is one member.
type MemberRow struct {
	Name, Number, Audience string
	Fields                 []Hidden // of the form that takes him out
	Remove                 string   // the accessible name of that
	Fixed                  bool     // he cannot be taken out
}
