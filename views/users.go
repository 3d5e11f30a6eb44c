package views

// Users is the directory.
type Users struct {
	Frame
	List
	Rows []UserRow
}

// UserRow is one user.
type UserRow struct {
	Name, Number, Audience string
	Roles                  []Link
	Between                string // the names of roles
	SendHref, SendNamed    string
}
