package views

// Subscriptions is who subscribes to what.
type Subscriptions struct {
	Frame
	List
	Faults
	Form   SubscriptionForm
	Adding bool     // the form is open
	Only   []string // what the list is narrowed down to, in words
	Narrow []Hidden // the same, as the form of the search keeps it
	All    string   // the list with everything; empty: this is it
	Rows   []SubscriptionRow
}

// SubscriptionForm is what was typed.
type SubscriptionForm struct{ Type, Scope, User, Role string }

// SubscriptionRow is one subscription.
type SubscriptionRow struct {
	Type, TypeHref string
	Slug           string // of the type; empty: it is called by that
	Scope          string
	Who            Link
	Since          Dated
	Fields         []Hidden // of the form that takes it away
	Remove         string   // the accessible name of that
}
