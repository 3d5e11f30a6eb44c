package views

import "github.com/carillonhq/carillon/views/components"

// Users is the directory.
type Users struct {
	Frame
	Query       string
	Sort        string // the order, as the form sends it; empty: the usual one
	Columns     []components.Column
	Rows        []UserRow
	Next, First string
	Empty       components.Empty
	Say         string // as Notices.Say
}

// UserRow is one user.
type UserRow struct {
	Name, Number, Audience, Roles string
	SendHref, SendNamed           string
}
