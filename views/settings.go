package views

import "github.com/carillonhq/carillon/views/components"

// Settings is the settings page.
type Settings struct {
	Frame
	Form SettingsForm

	Preferences Preferences
	PushKey     string // browsers bind their subscriptions to it; empty: push is off
	Devices     []Device
	Password    PasswordForm
	Sessions    []OwnSession
	Muted       []MutedType
	MuteFault   string // why muting the last type failed

	Subscriptions     []OwnSubscription
	MoreSubscriptions bool // more subscriptions exist than are listed
	Subscribe         SubscribeForm
}

// MutedType is a type of notice that the user has muted.
type MutedType struct {
	Type   string
	Name   string
	Void   string // why the user still gets it; empty: they do not
	Unmute string // the accessible name of the button
}

// OwnSubscription is a topic that the user is subscribed to.
type OwnSubscription struct {
	Type, Scope string
	Topic       string // its name
	Why         string // why the user cannot end it; empty: they can
	Unsubscribe string // the accessible name of the button
}

// SubscribeForm is the form to subscribe to a topic.
type SubscribeForm struct {
	Type, Scope string
	Types       []components.Option // types open to the user; empty: none
	Faults      map[string]string   // by field
	Fault       string              // an error that belongs to no field of this form
}

// Add adds an error. If the form itself was sent, not a topic's button, the error goes beside its
// field, if there is one.
func (f *SubscribeForm) Add(field, text string, sent bool) {
	switch {
	case !sent, field != "type" && field != "scope":
		f.Fault = text
	case f.Faults[field] == "":
		f.Faults[field] = text
	}
}

// SettingsForm contains the choices, with the current ones selected.
type SettingsForm struct {
	Languages, Themes, Densities, Opening, Keys, Toasts []components.Option
	Faults                                              map[string]string // by field; errors of the form itself have the empty name
}

// topic returns a field of the subscription form.
func (p *Settings) topic(name, label, hint string) components.Field {
	return components.Field{ID: "topic-" + name, Name: name, Label: label, Hint: hint, Fault: p.Subscribe.Faults[name]}
}

func (p *Settings) field(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: p.Form.Faults[id]}
}
