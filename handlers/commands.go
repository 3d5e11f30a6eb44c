package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

// commands lists where the reader can go, for a script that narrows the list while they type. As a page of its own it is a
// list of links.
func (h *Handlers) commands(w http.ResponseWriter, r *http.Request) error {
	p := &views.Commands{Frame: h.bareFrame(r)}
	part := fragment(r)
	if !part {
		p.Frame = h.frame(r, "commands", "commands.title")
	}
	text := p.Text.T
	add := func(address, in, name string) {
		p.Places = append(p.Places, components.Tab{Href: address, Text: text(in) + " › " + text(name)})
	}
	p.Places = []components.Tab{{Href: inboxPath, Text: text("nav.inbox")}}
	add(inboxPath+"?filter=unread", "nav.inbox", "inbox.filter_unread")
	add(inboxPath+"?filter="+filterArchived, "nav.inbox", "inbox.filter_archived")
	add(inboxPath+"?filter="+filterLater, "nav.inbox", "inbox.filter_later")
	p.Places = append(p.Places, components.Tab{Href: announcementsPath, Text: text("nav.announcements")})
	add(views.TabNotifications.Address(), "nav.settings", "settings.tab_notifications")
	add(views.TabAppearance.Address(), "nav.settings", "settings.tab_appearance")
	if !visitOf(r).user.Proxied {
		add(views.TabAccount.Address(), "nav.settings", "settings.tab_account")
	}
	p.Places = append(p.Places, components.Tab{Href: "/keys", Text: text("keys.title")})
	if p.Viewer.Staff {
		for _, group := range h.staffLinks(r, p.Text, "") {
			for _, link := range group {
				link.Text = text("nav.staff") + " › " + link.Text
				p.Places = append(p.Places, link)
			}
		}
	}
	if part {
		return h.page(w, r, http.StatusOK, views.CommandsFragment(p))
	}
	return h.page(w, r, http.StatusOK, views.CommandsPage(p))
}
