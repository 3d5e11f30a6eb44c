package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

// staffPage is a page for staff. Pages of the same group share a tab, which leads to the first of
// them.
type staffPage struct{ section, address, text, group string }

// staffPages lists the pages, in order.
func (h *Handlers) staffPages() []staffPage {
	pages := []staffPage{
		{"send", "/staff/send", "nav.send", ""}, {"notices", noticesPath, "nav.notices", ""}, {"users", usersPath, "nav.users", "nav.users"},
	}
	if h.Roles != nil {
		pages = append(pages, staffPage{"roles", rolesPath, "nav.roles", "nav.users"})
	}
	if h.Topics != nil {
		pages = append(pages, staffPage{"subscriptions", subscriptionsPath, "nav.subscriptions", "nav.topics"},
			staffPage{"types", typesPath, "nav.types", "nav.topics"})
	}
	pages = append(pages, staffPage{"rules", rulesPath, "nav.rules", ""})
	if h.Keys != nil {
		pages = append(pages, staffPage{"apikeys", apiKeysPath, "nav.apikeys", ""})
	}
	if h.DeadLetters != nil {
		pages = append(pages, staffPage{"deadletters", deadLettersPath, "nav.deadletters", ""})
	}
	return pages
}

// addStaffTabs adds the navigation of the staff pages: one tab for each group, and the pages of
// the current group beside the heading.
func (h *Handlers) addStaffTabs(r *http.Request, f *views.Frame) {
	pages, group := h.staffPages(), ""
	found := false
	for _, p := range pages {
		if p.section == f.Section {
			found, group = true, p.group
		}
	}
	if !found && f.Section != "components" { // a page for developers, under no tab
		return
	}
	last := ""
	for _, p := range pages {
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
