package views

import "github.com/carillonhq/carillon/views/components"

// Settings is what a user can choose.
type Settings struct {
	Frame
	Form      *SettingsForm // nil: nothing can be chosen
	Muted     []MutedType
	MuteFault string // why the last one was not muted

	Topics            bool // there are topics to subscribe to
	Subscriptions     []OwnSubscription
	MoreSubscriptions bool // than are listed
	Subscribe         SubscribeForm
}

// MutedType is a type of notice that does not reach the user.
type MutedType struct {
	Type   string
	Name   string
	Void   string // why it reaches him nevertheless; empty: it does not
	Unmute string // the accessible name of the button
}

// OwnSubscription is a topic whose notices reach the user.
type OwnSubscription struct {
	Type, Scope string
	Topic       string // its name
	Why         string // why he cannot end it; empty: he can
	Unsubscribe string // the accessible name of the button
}

// SubscribeForm is what a user chooses to subscribe to.
type SubscribeForm struct {
	Type, Scope string
	Types       []components.Option // that are open to him; empty: none is
	Faults      map[string]string   // by field
	Fault       string              // of no field of this form
}

// Add puts a fault beside its field, where there is one: in the form, if it was
// that which was sent and not the button of a topic.
func (f *SubscribeForm) Add(field, text string, sent bool) {
	switch {
	case !sent, field != "type" && field != "scope":
		f.Fault = text
	case f.Faults[field] == "":
		f.Faults[field] = text
	}
}

// SettingsForm is the choices, each with the present one selected.
type SettingsForm struct {
	Languages, Themes, Keys, Toasts []components.Option
	Faults                          map[string]string // by field; that of the form itself by the empty name
}

// topic is a field of the form that subscribes.
func (p *Settings) topic(name, label, hint string) components.Field {
	return components.Field{ID: "topic-" + name, Name: name, Label: label, Hint: hint, Fault: p.Subscribe.Faults[name]}
}

func (p *Settings) field(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: p.Form.Faults[id]}
}
