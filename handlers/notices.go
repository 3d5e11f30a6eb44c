package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	noticesPath = "/staff/notices"
	perPage     = 50
	shownNames  = 3 // names shown for a notice to many users

	searchPatience = 300 * time.Millisecond // after this, a page shows what it has found so far
)

func noticePath(id int64) string { return noticesPath + "/" + strconv.FormatInt(id, 10) }

// notices lists the sent notices and their progress, or the reader's drafts.
func (h *Handlers) notices(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Get("tab") == "drafts" {
		return h.listDrafts(w, r)
	}
	values := r.URL.Query()
	l, q := h.readSent(r, noticesPath)
	file := l
	switch {
	case l.narrowed():
	case q.Senders == notifier.SentByPrograms:
		return h.listTraffic(w, r, l)
	default:
		q.Senders = notifier.SentByPeople
		file.narrow = url.Values{"tab": {staffTab}}
	}
	q.Limit = perPage + 1
	cursor := "before"
	if q.Oldest {
		cursor, q.After = "after", number(values.Get("after"))
	} else {
		q.Before = number(values.Get("before"))
	}
	found, reached, err := h.Sent.SearchNotices(r.Context(), q, searchPatience)
	if err != nil {
		return fmt.Errorf("list notices: %w", err)
	}
	p := &views.Notices{Frame: h.frame(r, "notices", "notices.title"), Query: l.search, Sort: l.said()}
	p.Tabs, p.Filter = sentTabs(p.Text, tabOf(l), l), h.sentFilter(p.Text, l)
	file.path = exportPath
	p.Export = file.address("", "")
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = l.address(cursor, strconv.FormatInt(found[perPage-1].ID, 10))
	}
	if q.Before > 0 || q.After > 0 {
		p.First = l.address("", "")
	}
	sent, err := h.Sender.ProgressOf(r.Context(), found)
	if err != nil {
		return fmt.Errorf("load the progress of %d notices: %w", len(found), err)
	}
	if reached.ID > 0 {
		p.Next = l.address(cursor, strconv.FormatInt(reached.ID, 10))
	}
	if err := h.fillNotices(r, p, l, sent, reached); err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.NoticesPage(p))
}

// listDrafts lists the reader's drafts, last changed first, and the templates by name.
func (h *Handlers) listDrafts(w http.ResponseWriter, r *http.Request) error {
	drafts, err := h.Store.SavedDrafts(r.Context(), seqOf(r))
	if err != nil {
		return fmt.Errorf("list drafts: %w", err)
	}
	templates, err := h.Store.Templates(r.Context())
	if err != nil {
		return fmt.Errorf("list templates: %w", err)
	}
	p := &views.Drafts{Frame: h.frame(r, "notices", "notices.title")}
	if done := h.takenDone(r, noticesPath, draftDeleted); done != nil {
		p.Done = done
	}
	p.Tabs = sentTabs(p.Text, draftsPath, listing{})
	p.Empty = components.Empty{
		Icon: "mail", Heading: p.Text.T("drafts.empty_heading"), Text: p.Text.T("drafts.empty_text"),
		LinkText: p.Text.T("notices.send_first"), LinkTarget: sendPath,
	}
	now := h.now(r)
	for _, d := range drafts {
		row := views.DraftRow{ID: d.ID, Href: draftPath(d.ID), Title: d.Title, Changed: momentOf(p.Text, d.ChangedAt, now)}
		if row.Title == "" {
			row.Title = p.Text.T("drafts.untitled")
		}
		row.Delete = p.Text.F("drafts.delete_named", "Title", row.Title)
		p.Rows = append(p.Rows, row)
	}
	for _, d := range templates {
		p.Templates = append(p.Templates, views.DraftRow{
			ID: d.ID, Href: templatePath(d.ID), Title: d.Name, Changed: momentOf(p.Text, d.ChangedAt, now),
			Use: p.Text.F("templates.use_named", "Name", d.Name), Delete: p.Text.F("templates.delete_named", "Name", d.Name),
		})
	}
	return h.page(w, r, http.StatusOK, views.DraftsPage(p))
}

// shownAddress returns the page's address without its done code.
func shownAddress(r *http.Request) string {
	values := r.URL.Query()
	if !values.Has("done") {
		return r.URL.RequestURI()
	}
	values.Del("done")
	return r.URL.Path + "?" + values.Encode()
}

func (h *Handlers) fillNotices(r *http.Request, p *views.Notices, l listing, sent []notifier.Progress, reached notifier.Reached) error {
	shown := make([]*notifier.Notice, len(sent))
	for i := range sent {
		shown[i] = &sent[i].Notice
	}
	names, err := h.calledIn(r.Context(), shown...)
	if err != nil {
		return err
	}
	now, here := h.now(r), shownAddress(r)
	for _, name := range []string{"title", "time", "state", "delivered", "read"} {
		p.Columns = append(p.Columns, l.column(p.Text, "notices.column_", name))
	}
	p.NextText, p.FirstText = p.Text.T("notices.older"), p.Text.T("notices.newest")
	if l.sort == "time" {
		p.NextText, p.FirstText = p.Text.T("notices.newer"), p.Text.T("notices.oldest")
	}
	p.Empty = components.Empty{
		Icon:    "mail",
		Heading: p.Text.T("notices.empty_heading"), Text: p.Text.T("notices.empty_text"),
		LinkText: p.Text.T("notices.send_first"), LinkTarget: "/staff/send",
	}
	if l.narrowed() {
		p.Empty = components.Empty{
			Icon: "search", Heading: p.Text.T("notices.nothing_heading"), Text: p.Text.T("notices.nothing_text"),
		}
	}
	if reached.ID > 0 {
		endedAt(p, l, reached.At.In(now.Location()))
	}
	for i := range sent {
		row := h.sentRow(p.Text, &sent[i], names, now)
		switch {
		case sent[i].Announces():
			p.Follow.Add(row)
		case !finished(&sent[i]):
			row.List = here
		}
		p.Rows = append(p.Rows, row)
	}
	p.Follow.Address = here
	p.Say = listed(p.Text, len(p.Rows), p.Next != "", p.Empty)
	return nil
}

// endedAt fills in how far a search got before its time limit.
func endedAt(p *views.Notices, l listing, at time.Time) {
	how := "notices.searched_back"
	if l.sort == "time" {
		how = "notices.searched_up"
	}
	p.Reached, p.NextText = p.Text.F(how, "Time", p.Text.Exact(at)), p.Text.T("notices.search_on")
	p.Empty = components.Empty{Icon: "search", Heading: p.Text.T("notices.nothing_yet"), Text: p.Reached}
}

func (h *Handlers) sentRow(text *locale.Printer, n *notifier.Progress, names called, now time.Time) views.SentRow {
	at := n.SentAt()
	if n.Announces() && n.StartsAt.After(now) {
		at = n.StartsAt
	}
	at = at.In(now.Location())
	row := views.SentRow{
		ID: strconv.FormatInt(n.ID, 10), Href: noticePath(n.ID), Title: n.Title,
		ToBy:     text.F("notices.to_by", "Target", h.targetText(text, n.Target, names), "Sender", senderText(text, n.Sender, names)),
		Datetime: at.Format(time.RFC3339),
		Moment:   text.Moment(at), When: text.Day(at, now) + " " + text.Clock(at),
		State: string(n.State),
	}
	if n.State != notifier.StateSent {
		row.StateText = text.T("state." + string(n.State))
	}
	switch {
	case n.Announces():
		announcedRow(text, &row, n, now)
	case n.State == notifier.StateScheduled:
		row.Note = text.T("notices.not_sent")
	case !n.Routed:
		row.Note = text.T("notices.not_routed")
	case !n.Counted:
		row.Note = text.T("notices.not_counted")
	case n.Recipients == 0:
		row.Note = text.T("notices.nobody")
	case n.Recipients == 1 && n.Delivered == 1 && !n.ReadUnknown:
		row.Single, row.Seen = true, n.Read == 1
	default:
		row.Delivered, row.Read = bar(text, "delivered", n.Delivered, n.Recipients), readBar(text, n)
	}
	return row
}

// targetText describes a notice's target.
func (h *Handlers) targetText(text *locale.Printer, t notifier.Target, names called) string {
	if len(t.Audiences) > 0 {
		return text.F("notices.target_audience", "Names", listedNames(text, h.audienceNames(text, t.Audiences)))
	}
	switch roles := t.RoleNames(); len(roles) {
	case 0:
	case 1:
		return text.F("notices.target_role", "Name", roles[0])
	default:
		return text.F("notices.target_roles", "Names", listedNames(text, roles))
	}
	if t.Topic != (notifier.Topic{}) {
		return text.F("notices.target_topic", "Topic", h.typeNames(text).topic(t.Topic))
	}
	if len(t.Users) <= shownNames {
		return listedNames(text, names.users(t.Users))
	}
	return text.N("notices.more_users", int64(len(t.Users)-shownNames), "Names", listedNames(text, names.users(t.Users[:shownNames])))
}
