package handlers

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

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

// The values of the filter by activity. The text IDs of their names are users.state_VALUE.
const (
	stateUnread   = "unread"
	stateInactive = "inactive"
)

var userStates = []string{stateUnread, stateInactive}

// countPatience is how long a page counts whom its filters select.
const countPatience = 200 * time.Millisecond

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

// addFilter adds the choices of the filters, and the other order.
func (h *Handlers) addFilter(r *http.Request, p *views.Users, l listing, roles []components.Option) {
	text, group, state := p.Text, l.narrow.Get("group"), l.narrow.Get("state")
	p.Groups = []components.Option{{Text: text.T("users.all_groups")}}
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
	p.States = []components.Option{{Text: text.T("users.all_states")}}
	for _, each := range userStates {
		p.States = append(p.States, components.Option{Value: each, Text: text.T("users.state_" + each), Selected: each == state})
	}
	if l.search != "" || len(l.narrow) > 0 {
		p.Clear = usersPath
		return
	}
	other := l
	other.sort = map[bool]string{true: "-seq", false: "name"}[l.sort == "name"]
	p.Order = views.Link{Text: text.T(map[bool]string{true: "users.order_seq", false: "users.order_name"}[l.sort == "name"]), Href: other.address("", "")}
}

// addCounts adds the number of all users and, how many people the filters select.
func (h *Handlers) addCounts(r *http.Request, p *views.Users, q notifier.UserQuery) {
	total, err := h.Store.CountUsers(r.Context())
	if err != nil {
		h.lacks(r, "number of users", err)
		return
	}
	p.Total = p.Text.Number(total)
	n, whole := int64(len(p.Rows)), true
	if p.Clear == "" {
		n = total
	} else if p.Next != "" || p.First != "" {
		if n, whole, err = h.Store.CountMatches(r.Context(), q, countPatience); err != nil {
			h.lacks(r, "number of users", err)
			return
		}
	}
	id := "users.select_all"
	if !whole {
		id = "users.select_more"
	}
	if n > 1 {
		p.Many.AllText = p.Text.N(id, n)
	}
}

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
