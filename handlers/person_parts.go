package handlers

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	sentToPerson = 20 // rows of their inbox
	personEvents = 50 // entries of the audit log
)

// personFacts adds their numbers, address and newest notices. What Redis has is left out while it is unavailable, or
// comes from the archive.
func (h *Handlers) personFacts(r *http.Request, p *views.Person, u *notifier.User) error {
	since, err := h.Store.UserSince(r.Context(), u.Seq)
	if err != nil {
		return err
	}
	text, now := p.Text, h.now(r)
	fact := func(id, value string) { p.Facts = append(p.Facts, views.Fact{Name: text.T(id), Value: value}) }
	if h.Mailing {
		mail, err := h.Store.MailOf(r.Context(), u.Seq)
		if err != nil {
			return fmt.Errorf("read the address of user %d: %w", u.Seq, err)
		}
		fact("preferences.email", cmp.Or(mail.Address, text.T("person.no_address")))
		p.MailFault = mailFault(text, mail.State)
		p.TryMail = text.F("users.mail_again_named", "Name", u.Name)
	}
	fact("person.language", cmp.Or(u.Locale, text.T("settings.language_auto")))
	fact("person.added", text.Exact(since.In(now.Location())))
	fact("person.number", numberText(u.Seq))
	h.personInbox(r, p, u)
	return nil
}

// personInbox adds what is in their inbox. Looking marks nothing as read.
func (h *Handlers) personInbox(r *http.Request, p *views.Person, u *notifier.User) {
	p.Sent = views.PersonItems{ID: "sent", Heading: p.Text.T("person.sent"), None: p.Text.T("person.nothing_sent")}
	page, err := h.Inbox.Look(r.Context(), u.Seq, notifier.Query{Limit: sentToPerson})
	var posts []notifier.Badge
	if err == nil {
		posts, err = h.Announcements.Badges(r.Context(), []notifier.Reader{{Seq: u.Seq, Audience: u.Audience}})
	}
	if h.storedInstead(r, err) {
		page, err = h.Archive.Inbox.Look(r.Context(), u.Seq, notifier.Query{Limit: sentToPerson})
		posts = nil
	}
	if err != nil {
		h.lacks(r, "inbox of a person", err)
		p.Sent.None = p.Text.T("person.inbox_away")
		return
	}
	if len(posts) == 1 {
		posts[0].SetInbox(page.Unread, page.Ver)
		p.Facts = append(p.Facts, views.Fact{Name: p.Text.T("person.unread"), Value: unreadText(p.Text, posts[0])})
	}
	now := h.now(r)
	for i := range page.Entries {
		e := &page.Entries[i]
		e.NameSomebody(p.Text.T("inbox.somebody"))
		state := "receipt.unread"
		if e.Read {
			state = "receipt.read"
		}
		p.Sent.Items = append(p.Sent.Items, views.PersonItem{
			Link:   views.Link{Text: e.Title, Href: noticePath(e.NoticeID)},
			Detail: momentOf(p.Text, e.CreatedAt, now).Date + p.Text.T("person.between") + p.Text.T(state),
		})
	}
}

// mailFault says what is wrong with an address; empty: nothing.
func mailFault(text *locale.Printer, state notifier.ReachState) string {
	switch state {
	case notifier.ReachDead:
		return text.T("users.mail_dead")
	case notifier.ReachFailing:
		return text.T("users.mail_failing")
	case notifier.ReachOn, notifier.ReachOff:
	}
	return ""
}

// personWants adds how and when they are notified.
func (h *Handlers) personWants(r *http.Request, p *views.Person, u *notifier.User) error {
	has, err := h.People.Preferences(r.Context(), u.Name)
	if err != nil {
		return fmt.Errorf("read the preferences of user %d: %w", u.Seq, err)
	}
	mutes, err := h.Store.Mutes(r.Context(), u.Seq)
	if err != nil {
		return fmt.Errorf("list the muted types of user %d: %w", u.Seq, err)
	}
	text := p.Text
	add := func(id, value string) {
		if value != "" {
			p.Preferences = append(p.Preferences, views.Fact{Name: text.T(id), Value: value})
		}
	}
	if h.Mailing {
		add("preferences.mail", chosen(whens(text, mailTexts, mailWhens, has.Mail.String())))
	}
	if h.Devices != nil {
		add("preferences.push", chosen(whens(text, pushTexts, pushWhens, has.Push.String())))
	}
	if q := has.Quiet; q != nil {
		add("preferences.quiet", notifier.FormatMinute(q.From)+"–"+notifier.FormatMinute(q.To))
	}
	add("preferences.zone", strings.ReplaceAll(has.InForce, "_", " "))
	if until := u.PausedUntil(h.Now()); !until.IsZero() {
		add("preferences.pause_until", text.Exact(until.In(h.zones.of(r))))
	}
	names := h.typeNames(text)
	muted := make([]string, len(mutes))
	for i, typ := range mutes {
		muted[i] = names.of(typ)
	}
	add("settings.muted", listedNames(text, muted))
	return nil
}

func chosen(options []components.Option) string {
	for _, o := range options {
		if o.Selected {
			return o.Text
		}
	}
	return ""
}

// personBrowsers adds their devices and sessions, and when they were last active.
func (h *Handlers) personBrowsers(r *http.Request, p *views.Person, u *notifier.User) error {
	text, at := p.Text, func(t time.Time) string { return p.Text.Exact(t.In(h.zones.of(r))) }
	if h.Devices != nil {
		devices, err := h.Devices.Devices(r.Context(), u.Seq, "")
		if err != nil {
			return fmt.Errorf("list the devices of user %d: %w", u.Seq, err)
		}
		p.Devices = &views.PersonItems{ID: "devices", Heading: text.T("devices.title"), None: text.T("person.no_devices")}
		for i := range devices {
			d := &devices[i]
			item := views.PersonItem{Link: views.Link{Text: d.Label}, Detail: text.F("devices.since", "Time", at(d.CreatedAt))}
			switch d.State {
			case notifier.ReachFailing:
				item.Fault = text.T("devices.failing")
			case notifier.ReachDead:
				item.Fault = text.T("person.device_dead")
			case notifier.ReachOn, notifier.ReachOff:
			}
			p.Devices.Items = append(p.Devices.Items, item)
		}
	}
	sessions, err := h.Accounts.OwnSessions(r.Context(), u.Seq)
	if err != nil {
		return fmt.Errorf("list the sessions of user %d: %w", u.Seq, err)
	}
	p.Sessions = views.PersonItems{ID: "sessions", Heading: text.T("settings.sessions"), None: text.T("person.no_sessions")}
	for i := range sessions {
		s := &sessions[i]
		p.Sessions.Items = append(p.Sessions.Items, views.PersonItem{
			Link: views.Link{Text: deviceLabel(text, s.Agent, "sessions.unknown")}, Detail: text.F("sessions.times", "Since", at(s.Since), "Seen", at(s.Seen)),
		})
	}
	if len(sessions) > 0 {
		p.Facts = append(p.Facts, views.Fact{Name: text.T("person.seen"), Value: at(sessions[0].Seen)})
	}
	return nil
}

// personHistory lists the audit log about a user, newest first.
func (h *Handlers) personHistory(r *http.Request, text *locale.Printer, u *notifier.User) ([]views.Event, error) {
	log, err := h.Store.UserLog(r.Context(), u.Seq, personEvents)
	if err != nil {
		return nil, fmt.Errorf("show the history of user %d: %w", u.Seq, err)
	}
	var actors []string
	for i := range log {
		if by := log[i].Actor; by.Kind == notifier.KindUser && by.Name != "" {
			actors = append(actors, by.Name)
		}
	}
	names, err := h.calledOf(r.Context(), actors)
	if err != nil {
		return nil, err
	}
	events := make([]views.Event, len(log))
	for i := range log {
		e, at := &log[i], log[i].At.In(h.zones.of(r))
		id := "person.did_" + strings.ReplaceAll(e.Action, ".", "_")
		if !text.Has(id) {
			id = "person.did_other"
		}
		events[i] = views.Event{
			Text:   text.F(id, "Name", senderText(text, e.Actor, names), "Detail", e.Detail, "Action", e.Action),
			Moment: text.Moment(at), Datetime: at.Format(time.RFC3339),
		}
	}
	return events, nil
}
