package api

// Stubs until users are done.
type (
	Inbox     interface{}
	Board     interface{}
	Directory interface{}
	Topics    interface{}
)
