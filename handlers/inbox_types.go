package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// maxChips limits the types offered above an inbox; those with the most entries come first.
const maxChips = 12

// fewRows is how many rows are seen as well without the links to their types.
const fewRows = 10

// typeChips returns links to the entries of each type in the inbox or in a search result. It returns none for a
// single type.
func (h *Handlers) typeChips(r *http.Request, text *locale.Printer, q inboxQuery, page notifier.Page) []components.Tab {
	if q.Before > 0 {
		return nil
	}
	counts := page.Types
	if !q.Filters() && !q.PutAway() {
		if page.Older == 0 { // the page has all entries
			all := notifier.TypeTally{}
			for i := range page.Entries {
				all[page.Entries[i].Type]++
			}
			counts = all.List()
		} else if all, err := h.Inbox.Types(r.Context(), seqOf(r), q.Unread); err == nil {
			counts = all
		} // if counting fails, the page goes without links
	}
	var whole int64
	for _, c := range counts {
		whole += c.Count
	}
	if q.Type == "" && !q.Filters() && (len(counts) < 2 || whole <= fewRows) {
		return nil
	}
	names := h.typeNames(text)
	to := q
	to.Opened, to.Type, to.Limit = page.Opened, "", 0
	var chips []components.Tab
	if q.Type != "" {
		chips = append(chips, components.Tab{Href: to.address(), Text: text.T("inbox.type_all")})
	}
	for i, c := range counts {
		if i >= maxChips && c.Type != q.Type {
			continue
		}
		to.Type = c.Type
		chips = append(chips, components.Tab{Href: to.address(), Text: names.words(c.Type), Current: c.Type == q.Type, Count: text.Number(c.Count)})
	}
	return chips
}

// filterTabs links to all, the unread, the archived and, if there are any, the snoozed entries. The links keep q's search
// and type, and start at the newest entry.
func (h *Handlers) filterTabs(r *http.Request, text *locale.Printer, q inboxQuery, badge notifier.Badge) []components.Tab {
	count := ""
	if badge.Inbox > 0 {
		count = text.Number(badge.Inbox)
	}
	to := q
	to.Before, to.Limit = 0, 0
	to.Unread, to.Archived, to.Later = false, false, false
	all := inboxPath
	if q.Filters() {
		all = to.address()
	}
	to.Unread = true
	unread := to.address()
	to.Unread, to.Archived = false, true
	archived := to.address()
	to.Archived, to.Later = false, true
	return []components.Tab{
		{Href: all, Text: text.T("inbox.filter_all"), Current: !q.Unread && !q.PutAway()},
		{Href: unread, Text: text.T("inbox.filter_unread"), Current: q.Unread, Count: count, CountID: "unread-count"},
		{Href: archived, Text: text.T("inbox.filter_archived"), Current: q.Archived},
		h.laterTab(r, text, to, q.Later),
	}
}

// laterTab links to the snoozed entries. While there are none it is hidden, for an action on a row to show.
func (h *Handlers) laterTab(r *http.Request, text *locale.Printer, to inboxQuery, current bool) components.Tab {
	n, err := h.Inbox.Snoozed(r.Context(), seqOf(r))
	if err != nil {
		h.Log.WarnContext(r.Context(), "the inbox does not show how many notices are put away for later", "err", err)
	}
	tab := components.Tab{ID: "later-tab", Href: to.address(), Text: text.T("inbox.filter_later"), Current: current, Hidden: n == 0 && err == nil && !current}
	if n > 0 {
		tab.Count = text.Number(n)
	}
	return tab
}
