package handlers

import (
	"net/http"
	"strings"

	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
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
	f.Pages = h.staffLinks(r, f.Text, f.Section)
	f.Section = "staff"
}

// staffLinks returns the links to the staff pages, in groups; section is that of the current one.
func (h *Handlers) staffLinks(r *http.Request, text *locale.Printer, section string) (groups [][]components.Tab) {
	for _, group := range staffPages {
		var links []components.Tab
		for _, p := range group {
			if p.address == mailsPath && h.Mails == nil {
				continue
			}
			link := components.Tab{Href: p.address, Text: text.T(p.text), Current: p.section == section}
			if p.address == deadLettersPath {
				link.Count = h.countDeadLetters(r, text)
			}
			links = append(links, link)
		}
		groups = append(groups, links)
	}
	return groups
}

// frameOfStaff gives a fault below a staff page the frame of the staff pages, for staff. It returns the list to go back to: for others,
// and elsewhere, the inbox.
func (h *Handlers) frameOfStaff(r *http.Request, f *views.Frame) views.Link {
	inbox := views.Link{Text: f.Text.T("status.back_inbox"), Href: inboxPath}
	if f.Viewer == nil || !f.Viewer.Staff || (r.URL.Path != "/staff" && !strings.HasPrefix(r.URL.Path, "/staff/")) {
		return inbox
	}
	list := staffPage{"notices", noticesPath, "nav.notices"}
	for _, group := range staffPages {
		for _, p := range group {
			if strings.HasPrefix(r.URL.Path, p.address+"/") || r.URL.Path == p.address {
				list = p
			}
		}
	}
	f.Section = list.section
	h.addStaffPages(r, f)
	return views.Link{Text: f.Text.F("status.back_list", "List", f.Text.T(list.text)), Href: list.address}
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
