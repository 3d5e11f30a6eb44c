package views

import (
	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/views/components"
)

// Settings is the settings page.
type Settings struct {
	Frame
	Tab  Tab // the one shown
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

// Tab is one of the three parts of the settings, and the value of tab in its address.
type Tab string

// The tabs of the settings. Notifications come first, and need no value in the address.
const (
	TabNotifications Tab = ""
	TabAppearance    Tab = "appearance"
	TabAccount       Tab = "account"
)

// Address returns the path and query of the tab.
func (t Tab) Address() string {
	if t == TabNotifications {
		return "/settings"
	}
	return "/settings?tab=" + string(t)
}

// tabs returns the tabs that have something to set: a proxy manages the account of those it signs in.
func (p *Settings) tabs() []components.Tab {
	tab := func(t Tab, text string) components.Tab {
		return components.Tab{Href: t.Address(), Text: text, Current: p.Tab == t}
	}
	tabs := []components.Tab{
		tab(TabNotifications, p.Text.T("settings.tab_notifications")), tab(TabAppearance, p.Text.T("settings.tab_appearance")),
	}
	if !p.Viewer.Proxied {
		tabs = append(tabs, tab(TabAccount, p.Text.T("settings.tab_account")))
	}
	return tabs
}

// saves returns the attributes of a form that a script saves at each change. The browser must not fill in what was
// chosen before a reload.
func (p *Settings) saves() templ.Attributes {
	return templ.Attributes{"data-saves": p.Text.T("settings.saved"), "data-unsaved": p.Text.T("settings.unsaved"), "autocomplete": "off"}
}

// savesWhole is saves for a form whose fields belong together: its button saves them.
func (p *Settings) savesWhole() templ.Attributes {
	attributes := p.saves()
	attributes["data-whole"] = true
	return attributes
}

// MutedType is a muted type of notice that the table of types does not show.
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
	Languages, Themes, Densities []components.Option
	Opening, Keys, Toasts        bool
	Faults                       map[string]string // by field; errors of the form itself have the empty name
}

// topic returns a field of the subscription form.
func (p *Settings) topic(name, label, hint string) components.Field {
	return components.Field{ID: "topic-" + name, Name: name, Label: label, Hint: hint, Fault: p.Subscribe.Faults[name]}
}

func (p *Settings) field(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: p.Form.Faults[id]}
}
