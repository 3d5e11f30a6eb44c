package views

import "github.com/carillonhq/carillon/views/components"

// Subscriptions is the list of subscriptions.
type Subscriptions struct {
	Frame
	List
	Faults
	Form   SubscriptionForm
	Roles  []components.Option // to choose from; none: the name is typed
	Adding bool                // the form is open
	Only   []string            // the active filters, in words
	Narrow []Hidden            // the active filters, as fields of the search form
	All    string              // the unfiltered list; empty: this is it
	Rows   []SubscriptionRow
}

// SubscriptionForm is the form's input.
type SubscriptionForm struct{ Type, Scope, User, Role string }

// SubscriptionRow is one subscription.
type SubscriptionRow struct {
	Type, TypeHref string
	Slug           string // of the type; empty: Type is the slug
	Scope          string
	Who            Link
	Since          Dated
	Fields         []Hidden // of the form to remove it
	Remove         string   // the accessible name of its button
}
