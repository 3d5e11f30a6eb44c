package views

// Users is the directory.
type Users struct {
	Frame
	Query       string
	Rows        []UserRow
	Next, First string
	Empty       Empty
}

// UserRow is one user.
type UserRow struct {
	Name, Audience, Roles string
	SendHref, SendNamed   string
}
