package views

import "github.com/carillonhq/carillon/views/components"

// Settings is what a user can choose.
type Settings struct {
	Frame
	Form      *SettingsForm // nil: nothing can be chosen
	Muted     []MutedType
	MuteFault string // why the last one was not muted
}

// MutedType is a type of notice that does not reach the user.
type MutedType struct {
	Type   string
	Unmute string // the accessible name of the button
}

// SettingsForm is the choices, each with the present one selected.
type SettingsForm struct {
	Languages, Themes, Keys, Toasts []components.Option
	Faults                          map[string]string // by field; that of the form itself by the empty name
}

func (p *Settings) field(id, label, hint string) components.Field {
	return components.Field{ID: id, Label: label, Hint: hint, Fault: p.Form.Faults[id]}
}
