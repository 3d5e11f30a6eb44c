package views

import "github.com/carillonhq/carillon/views/components"

// Types is the types of notices that are known.
type Types struct {
	Frame
	List
	New  string // the form of a new one
	Rows []TypeRow
}

// TypeRow is one type.
type TypeRow struct {
	Slug, Name, Href string
	Expires          string
	People           []string // what they may do about it

	Subscriptions, SubscriptionsNamed string
}

// Type is the form of a type.
type Type struct {
	Frame
	Faults
	New           bool
	Slug          string
	Names         []TypeName
	Expiry        []components.Option
	NoMute, Open  bool
	Back          string
	Subscriptions string // who subscribes to it; empty: nobody can yet
	InUse         string // why it was not deleted; empty: nobody tried
}

// TypeName is the name of the type in a language.
type TypeName struct{ ID, Field, Lang, Label, Value string }

// name is the field of a name.
func (p *Type) name(n *TypeName) components.Field {
	return components.Field{ID: n.ID, Name: n.Field, Label: n.Label, Note: p.Text.T("send.optional"), Fault: p.Of[n.Field]}
}

func (p *Type) action() string {
	if p.New {
		return "add"
	}
	return "save"
}
