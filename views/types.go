package views

import (
	"slices"

	"github.com/carillonhq/carillon/views/components"
)

// Types is the list of known types of notices.
type Types struct {
	Frame
	List
	New  string // the address of the form for a new type
	Rows []TypeRow

	Undescribed string // how many types have no description; empty: none
}

// TypeRow is one type.
type TypeRow struct {
	Slug, Name, Href string
	Mark
	Expires string
	People  string // what users may do with it

	Subscriptions, SubscriptionsNamed string
}

// Type is the form of a type.
type Type struct {
	Frame
	Faults
	New           bool
	Slug          string
	Names         []TypeName
	Icons, Colors []components.Option
	Expiry        []components.Option
	NoMute, Open  bool
	Urgent        bool
	Push, Mail    []components.Option
	Back          string
	Subscriptions string // the page of its subscriptions; empty for a new type
	InUse         string // why it was not deleted; empty: no attempt
}

// TypeName is the name of a type in one language.
type TypeName struct{ ID, Field, Lang, Label, Value string }

// name is the field for a name.
func (p *Type) name(n *TypeName) components.Field {
	return components.Field{ID: n.ID, Name: n.Field, Label: n.Label, Note: p.Text.T("send.optional"), Fault: p.Of[n.Field]}
}

// atHand reports whether a name is for everybody or for the reader's own language. The others are folded.
func (p *Type) atHand(n *TypeName) bool {
	return n.Lang == p.Names[0].Lang || n.Lang == p.Text.Lang()
}

// unfolded reports whether one of the other names is filled in, or wrong.
func (p *Type) unfolded() bool {
	return slices.ContainsFunc(p.Names, func(n TypeName) bool { return !p.atHand(&n) && (n.Value != "" || p.Of[n.Field] != "") })
}

func (p *Type) action() string {
	if p.New {
		return "add"
	}
	return "save"
}
