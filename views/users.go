package views

import "github.com/carillonhq/carillon/views/components"

// Users is the directory.
type Users struct {
	Frame
	Query       string
	Columns     []components.Column
	Rows        []UserRow
	Next, First string
	Empty       components.Empty
}

// UserRow is one user.
type UserRow struct {
	Name, Audience, Roles string
	SendHref, SendNamed   string
}
