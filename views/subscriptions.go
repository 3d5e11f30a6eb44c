package views

import "github.com/carillonhq/carillon/views/components"

// Subscriptions is the list of subscriptions.
type Subscriptions struct {
	Frame
	List
	Faults
	Form   SubscriptionForm
	Roles  []components.Option // to choose from; none: the role's name is typed
	Adding bool                // the form is open
	Only   []string            // the filters, in words
	Narrow []Hidden            // the filters, as fields of the search form
	All    string              // the unfiltered list; empty: this is it
	Rows   []SubscriptionRow
}

// SubscriptionForm is the form as typed.
type SubscriptionForm struct{ Type, Scope, User, Role string }

// SubscriptionRow is one subscription.
type SubscriptionRow struct {
	Type, TypeHref string
	Slug           string // of the type; empty: Type is the slug
	Scope          string
	Who            Link
	Since          Dated
	Fields         []Hidden // of the form that removes it
	Remove         string   // the accessible name of its button
}
