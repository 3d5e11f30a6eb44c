package views

import "github.com/carillonhq/carillon/views/components"

// Preview shows the notice while it is being written.
type Preview struct {
	Recipients string // how many; empty: not known yet
	Toast      bool   // also shown as a toast
	Banner     bool   // also shown as a banner
	Text       string // the text as a toast shows it
	Schedule   string // when an announcement opens and closes; empty: not an announcement, or no valid window
	Card       Card   // without a title, there is nothing to show yet
}

// Card is a notice as its recipients see it.
type Card struct {
	Row          components.Row
	Announcement *Announcement // instead of Row for an announcement
}

// title is the title of the notice.
func (c *Card) title() string {
	if c.Announcement != nil {
		return c.Announcement.Row.Title
	}
	return c.Row.Title
}

// toast is the row whose circle the toast has.
func (c *Card) toast() *components.Row {
	if c.Announcement != nil {
		return &components.Row{Icon: "megaphone", Tint: "gray"}
	}
	return &c.Row
}
