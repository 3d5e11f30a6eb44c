package views

// Settings is what a user can choose.
type Settings struct {
	Frame
	Languages []Option // empty: the language cannot be chosen
	Fault     string   // of the language
}
