package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

// staffPage is a staff page; text is the ID of its name.
type staffPage struct{ section, address, text string }

// staffPages lists the pages in groups, in navigation order.
var staffPages = [][]staffPage{
	{
		{"send", "/staff/send", "nav.send"},
		{"notices", noticesPath, "nav.notices"},
		{"questions", questionsPath, "nav.questions"},
		{"tasks", tasksPath, "nav.tasks"},
	},
	{
		{"users", usersPath, "nav.users"},
		{"roles", rolesPath, "nav.roles"},
		{"subscriptions", subscriptionsPath, "nav.subscriptions"},
	},
	{
		{"types", typesPath, "nav.types"},
		{"rules", rulesPath, "nav.rules"},
		{"apps", appsPath, "nav.apps"},
		{"apikeys", apiKeysPath, "nav.apikeys"},
		{"hooks", hooksPath, "nav.hooks"},
		{"deadletters", deadLettersPath, "nav.deadletters"},
		{"mails", mailsPath, "nav.mails"},
	},
}

// addStaffPages adds the staff navigation to each staff page. The developers' page "components" shows the navigation
// but is not in it. Only a demo has mails to show.
func (h *Handlers) addStaffPages(r *http.Request, f *views.Frame) {
	if f.Section != "components" && !isStaffPage(f.Section) {
		return
	}
	for _, group := range staffPages {
		var links []components.Tab
		for _, p := range group {
			if p.address == mailsPath && h.Mails == nil {
				continue
			}
			link := components.Tab{Href: p.address, Text: f.Text.T(p.text), Current: p.section == f.Section}
			if p.address == deadLettersPath {
				link.Count = h.countDeadLetters(r, f.Text)
			}
			links = append(links, link)
		}
		f.Pages = append(f.Pages, links)
	}
	f.Section = "staff"
}

func isStaffPage(section string) bool {
	for _, group := range staffPages {
		for _, p := range group {
			if p.section == section {
				return true
			}
		}
	}
	return false
}
