package views

import "slices"

// Device is a browser in which the user gets push messages while no page is open.
type Device struct {
	ID           string
	Name         string
	Here         bool   // it is the browser that shows this page
	Since        string // when it was added
	Fault        string // why it gets no messages; empty: it does
	Test, Remove string // the accessible names of the buttons
}

// OnThisDevice reports whether the browser that shows the page is already a device.
func (p *Settings) OnThisDevice() bool {
	return slices.ContainsFunc(p.Devices, func(d Device) bool { return d.Here })
}
