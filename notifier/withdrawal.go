package notifier

// Withdrawal selects the notices about a subject to retract.
type Withdrawal struct {
	Subject string
	App     int64 // whose notices; 0: those of the installation itself
	Sender  Ref   // only the installation's notices of this sender, which an app has beside its own; zero: all of App
}

// Apps returns the apps among whose notices to look; 0 is the installation itself.
func (w *Withdrawal) Apps() []int64 {
	if w.App != 0 && !w.Sender.IsZero() {
		return []int64{w.App, 0}
	}
	return []int64{w.App}
}

// Includes reports whether a notice about the subject, of one of the apps, is selected.
func (w *Withdrawal) Includes(n *Notice) bool {
	switch {
	case n.App.ID != w.App:
		return !w.Sender.IsZero() && n.Sender.Is(w.Sender)
	case n.App.ID == 0:
		return w.Sender.IsZero() || n.Sender.Is(w.Sender)
	}
	return true
}
