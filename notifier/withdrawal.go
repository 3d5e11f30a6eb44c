package notifier

// Withdrawal selects notices about a subject to retract.
type Withdrawal struct {
	Subject string
	App     int64 // whose notices; 0: the installation's
	// Sender selects, with App 0, only notices from this sender, and with an app also the installation's
	// notices from this sender. Zero: only App's notices, from any sender.
	Sender Ref
}

// Apps returns the apps whose notices are searched; 0 is the installation itself.
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
