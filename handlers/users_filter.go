package handlers

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// The beginnings of the values of the filter by group, before the name of a role or the number of an audience.
const (
	groupRole     = "role:"
	groupAudience = "audience:"
)

// maxAudience is above every audience, so that nobody is in it.
const maxAudience = 1 << 15

// groupOf parses a filter by group: the name of a role, or an audience. Both are empty for any other value.
func groupOf(group string) (role string, audience notifier.Audience) {
	if role, is := strings.CutPrefix(group, groupRole); is {
		return role, 0
	}
	n, _ := strings.CutPrefix(group, groupAudience)
	return "", notifier.Audience(min(number(n), maxAudience))
}

// addFilter adds the form of filters, the number of all users, and how many the filter matches if that is known.
func (h *Handlers) addFilter(r *http.Request, p *views.Users, l listing, roles []components.Option) {
	text, group := p.Text, l.narrow.Get("group")
	p.Groups = []components.Option{{Text: text.T("notices.any")}}
	for i, o := range h.audienceOptions(r, text, nil) {
		value := groupAudience + strconv.Itoa(int(h.audiences()[i]))
		p.Groups = append(p.Groups, components.Option{Value: value, Text: joined(o.Text, o.Note), Selected: value == group})
	}
	for _, o := range roles {
		if o.Value != "" {
			p.Groups = append(p.Groups, components.Option{Value: groupRole + o.Value, Text: o.Text, Selected: groupRole+o.Value == group})
		}
	}
	if role, audience := groupOf(group); group != "" && chosen(p.Groups) == "" {
		p.Groups = append(p.Groups, components.Option{Value: group, Text: cmp.Or(role, h.audience(text, audience)), Selected: true})
	}
	if group != "" {
		p.Filters, p.Clear = "1", usersPath
	}
	for _, order := range l.orders {
		p.Orders = append(p.Orders, components.Option{Value: order, Text: text.T(orderTexts[order]), Selected: order == l.sort})
	}
	total, err := h.Store.CountUsers(r.Context())
	if err != nil {
		h.lacks(r, "number of users", err)
		return
	}
	p.Total = text.Number(total)
}

// orderTexts are the text IDs of the orders.
var orderTexts = map[string]string{"name": "users.order_name", "-name": "users.order_name_back", "-seq": "users.order_seq"}

func joined(text, note string) string {
	if note == "" {
		return text
	}
	return text + " · " + note
}

// addActivity adds what each user of a page has unread, in one pipeline for each half of the badge, and when they were
// last seen. What cannot be read is left out.
func (h *Handlers) addActivity(r *http.Request, text *locale.Printer, users []notifier.User, rows []views.UserRow) {
	if len(users) == 0 {
		return
	}
	seqs, readers := make([]int64, len(users)), make([]notifier.Reader, len(users))
	for i := range users {
		seqs[i], readers[i] = users[i].Seq, notifier.Reader{Seq: users[i].Seq, Audience: users[i].Audience}
	}
	seen, err := h.Store.LastSeen(r.Context(), seqs)
	if err != nil {
		h.lacks(r, "last visits", err)
	}
	now := h.now(r)
	for i := range rows {
		if at, known := seen[seqs[i]]; known {
			rows[i].Seen = momentOf(text, at, now)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	badges, err := h.Inbox.Badges(ctx, seqs)
	var posts []notifier.Badge
	if err == nil {
		posts, err = h.Announcements.Badges(ctx, readers)
	}
	if err != nil || len(badges) != len(rows) || len(posts) != len(rows) {
		h.lacks(r, "unread numbers", err)
		return
	}
	for i := range rows {
		badges[i].SetAnnouncements(posts[i].Announcements, posts[i].AVer)
		rows[i].Unread = text.Number(badges[i].Unread)
	}
}
