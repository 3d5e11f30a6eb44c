package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

const subscriptionsPath = "/staff/subscriptions"

// subscriptions lists the subscriptions, newest first. The list's filters fill in the form beside it.
func (h *Handlers) subscriptions(w http.ResponseWriter, r *http.Request) error {
	values := r.URL.Query()
	p, err := h.subscriptionsPage(r, values)
	if err != nil {
		return err
	}
	h.fillSubscription(r, p, values)
	p.Adding = values.Has("add")
	return h.page(w, r, http.StatusOK, views.SubscriptionsPage(p))
}

// readNarrow parses a list's filters from its address.
func readNarrow(values url.Values, names ...string) url.Values {
	narrow := url.Values{}
	for _, name := range names {
		if v := values.Get(name); values.Has(name) && len(v) <= notifier.MaxName {
			narrow.Set(name, kept(v))
		}
	}
	return narrow
}

// subscriptionsPage builds the page of the list that the query selects.
func (h *Handlers) subscriptionsPage(r *http.Request, values url.Values) (*views.Subscriptions, error) {
	l := readList(values, subscriptionsPath, notifier.MaxName, "-time")
	l.narrow = readNarrow(values, "type", "scope", "user", "role")
	if l.narrow.Get("type") == "" {
		l.narrow.Del("scope") // a scope belongs to a type: SQL does not filter by it alone
	}
	q := notifier.SubscriptionQuery{
		Type: l.narrow.Get("type"), Scope: l.narrow.Get("scope"), ByScope: l.narrow.Has("scope"),
		User: l.narrow.Get("user"), Role: l.narrow.Get("role"),
		Contains: l.search, Before: number(values.Get("before")), Limit: perPage + 1,
	}
	found, err := h.Store.Subscriptions(r.Context(), q)
	if err != nil {
		return nil, fmt.Errorf("list subscriptions: %w", err)
	}
	p := &views.Subscriptions{Frame: h.frame(r, "subscriptions", "subscriptions.title")}
	p.List = listOf(r, p.Text, l, "subscriptions.column_", "type", "scope", "subscriber", "time", "action")
	p.Empty = nothing(p.Text, "inbox", "subscriptions.", l.search != "" || len(l.narrow) > 0)
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = l.address("before", strconv.FormatInt(found[perPage-1].ID, 10))
	}
	if q.Before > 0 {
		p.First = l.address("", "")
	}
	var users []string
	for _, s := range found {
		if s.Role == "" {
			users = append(users, s.User)
		}
	}
	names, err := h.calledOf(r.Context(), users)
	if err != nil {
		return nil, err
	}
	for _, s := range found {
		p.Rows = append(p.Rows, h.subscriptionRow(p.Text, s, names, h.now(r)))
	}
	p.Say = listed(p.Text, len(p.Rows), p.Next != "", p.Empty)
	h.sayNarrow(p, l)
	if done := h.takenDone(r, subscriptionsPath, "unsubscribed"); done != nil {
		p.Done = done
	}
	return p, nil
}

// sayNarrow adds the filters in force and a link to the whole list.
func (h *Handlers) sayNarrow(p *views.Subscriptions, l listing) {
	for _, name := range []string{"type", "scope", "user", "role"} {
		if !l.narrow.Has(name) {
			continue
		}
		value := l.narrow.Get(name)
		p.Narrow = append(p.Narrow, views.Hidden{Name: name, Value: value})
		if name == "type" {
			value = h.Topics.Name(value, p.Text.Lang())
		}
		if value == "" {
			value = p.Text.T("subscriptions.no_scope")
		}
		p.Only = append(p.Only, p.Text.F("subscriptions.only_"+name, "Name", value))
	}
	if len(p.Only) > 0 {
		p.All = subscriptionsPath
	}
}

func (h *Handlers) subscriptionRow(text *locale.Printer, s notifier.Subscription, names called, now time.Time) views.SubscriptionRow {
	row := views.SubscriptionRow{
		Type: h.Topics.Name(s.Type, text.Lang()), TypeHref: subscriptionsPath + "?" + url.Values{"type": {s.Type}}.Encode(),
		Scope: s.Scope, Since: momentOf(text, s.CreatedAt, now), Fields: subscriptionFields("remove", s),
	}
	if row.Type != s.Type {
		row.Slug = s.Type
	}
	if s.Role != "" {
		row.Who = views.Link{Text: text.F("notices.target_role", "Name", s.Role), Href: rolePath(s.Role)}
	} else {
		row.Who = views.Link{Text: names.user(s.User)}
	}
	row.Remove = text.F("subscriptions.remove_named", "Name", row.Who.Text, "Topic", topicText(row.Type, s.Scope))
	return row
}

// topicText formats a topic.
func topicText(name, scope string) string {
	if scope == "" {
		return name
	}
	return name + " · " + scope
}

// subscriptionFields returns the form fields of an action on a subscription.
func subscriptionFields(action string, s notifier.Subscription) []views.Hidden {
	fields := []views.Hidden{{Name: "action", Value: action}, {Name: "type", Value: s.Type}, {Name: "scope", Value: s.Scope}}
	if s.Role != "" {
		return append(fields, views.Hidden{Name: "role", Value: s.Role})
	}
	return append(fields, views.Hidden{Name: "user", Value: s.User})
}

// momentOf formats a time for lists.
func momentOf(text *locale.Printer, at, now time.Time) views.Dated {
	at = at.In(now.Location())
	return views.Dated{
		Date: text.Day(at, now) + " " + text.Clock(at), Datetime: at.Format(time.RFC3339), Moment: text.Moment(at),
	}
}
