package views

// Settings is what a user can choose.
type Settings struct {
	Frame
	Form *SettingsForm // nil: nothing can be chosen
}

// SettingsForm is the choices, each with the present one selected.
type SettingsForm struct {
	Languages, Themes, Keys, Toasts []Option
	Faults                          map[string]string // by field; that of the form itself by the empty name
}
