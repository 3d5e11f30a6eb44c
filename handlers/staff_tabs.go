package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

// staffPage is a page for staff. Pages of the same group share a tab, which leads to the first of
// them.
type staffPage struct{ section, address, text, group string }

// staffPages are the pages, in order.
var staffPages = []staffPage{
	{"send", "/staff/send", "nav.send", ""},
	{"notices", noticesPath, "nav.notices", ""},
	{"users", usersPath, "nav.users", "nav.users"},
	{"roles", rolesPath, "nav.roles", "nav.users"},
	{"subscriptions", subscriptionsPath, "nav.subscriptions", "nav.topics"},
	{"types", typesPath, "nav.types", "nav.topics"},
	{"rules", rulesPath, "nav.rules", ""},
	{"apikeys", apiKeysPath, "nav.apikeys", ""},
	{"deadletters", deadLettersPath, "nav.deadletters", ""},
}

// addStaffTabs adds the navigation of the staff pages: one tab for each group, and the pages of
// the current group beside the heading.
func (h *Handlers) addStaffTabs(r *http.Request, f *views.Frame) {
	group, found := "", false
	for _, p := range staffPages {
		if p.section == f.Section {
			found, group = true, p.group
		}
	}
	if !found && f.Section != "components" { // a page for developers, under no tab
		return
	}
	last := ""
	for _, p := range staffPages {
		here := p.section == f.Section
		if p.group != "" && p.group == group {
			f.Group = append(f.Group, components.Tab{Href: p.address, Text: f.Text.T(p.text), Current: here})
		}
		if p.group != "" && p.group == last {
			continue
		}
		last = p.group
		tab := components.Tab{Href: p.address, Text: f.Text.T(p.text), Current: here}
		if p.group != "" {
			tab.Text, tab.Current = f.Text.T(p.group), p.group == group
		}
		if p.address == deadLettersPath {
			tab.Count = h.countDeadLetters(r, f.Text)
		}
		f.Tabs = append(f.Tabs, tab)
	}
	f.Section = "staff"
}
