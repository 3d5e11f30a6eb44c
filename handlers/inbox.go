package handlers

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

const inboxPath = "/inbox"

const (
	filterArchived = "archived"
	filterLater    = "later"
)

// A page has leastRows rows. After an action on a list that had older rows added, it has as many rows as that list,
// up to mostRows.
const leastRows, mostRows = 30, 500

// inboxQuery is the inbox page that an address selects.
type inboxQuery struct {
	notifier.Query
	plain bool // the bare address, which may open the inbox
	opens bool
	fresh fresh // what the visit has found so far
}

// readInboxQuery parses an address. Only a deliberate visit to the bare address opens the inbox, unless the user
// turned that off. An older page, a filter or the page after an action does not open it; otherwise nothing could stay
// unread.
func readInboxQuery(r *http.Request) inboxQuery {
	values := r.URL.Query()
	q := lookQuery(values)
	q.fresh = freshOf(r)
	q.plain = !q.Unread && !q.PutAway()
	for _, looks := range []string{"before", "opened", "done", "type", "q", "rows"} {
		q.plain = q.plain && !values.Has(looks)
	}
	q.plain = q.plain && !visitOf(r).user.User.OpensOnly
	q.opens = q.plain && deliberate(r)
	if q.plain {
		q.Opened = q.fresh.since
	}
	return q
}

// lookQuery parses the part of an address that selects what to show.
func lookQuery(values url.Values) inboxQuery {
	rows := min(number(values.Get("rows")), mostRows)
	if rows <= leastRows {
		rows = 0
	}
	return inboxQuery{Query: notifier.Query{
		Limit:  int(rows),
		Before: number(values.Get("before")),
		Opened: number(values.Get("opened")),
		Unread: values.Get("filter") == "unread",

		Archived: values.Get("filter") == filterArchived,
		Later:    values.Get("filter") == filterLater,
		Filter:   notifier.Filter{Type: kept(values.Get("type")), Text: kept(strings.TrimSpace(values.Get("q")))},
	}}
}

// address is the page's address. It always has opened or a filter, because the bare address would open the inbox.
func (q inboxQuery) address() string {
	values := url.Values{}
	if q.Unread {
		values.Set("filter", "unread")
	}
	if q.Archived {
		values.Set("filter", filterArchived)
	}
	if q.Later {
		values.Set("filter", filterLater)
	}
	if q.Before > 0 {
		values.Set("before", strconv.FormatInt(q.Before, 10))
	}
	if q.Limit > 0 {
		values.Set("rows", strconv.Itoa(q.Limit))
	}
	if q.Type != "" {
		values.Set("type", q.Type)
	}
	if q.Text != "" {
		values.Set("q", q.Text)
	}
	if !q.Unread && !q.PutAway() && (!q.Filters() || q.Before > 0) {
		values.Set("opened", strconv.FormatInt(q.Opened, 10))
	}
	return inboxPath + "?" + values.Encode()
}

func (h *Handlers) inbox(w http.ResponseWriter, r *http.Request) error {
	q := readInboxQuery(r)
	if !q.opens {
		return h.lookedAt(w, r, q, h.inboxDone(r, h.text(r)))
	}
	err := h.openInbox(w, r, q)
	if h.storedInstead(r, err) {
		return h.storedInbox(w, r, q, nil)
	}
	return err
}

// openInbox shows the inbox and marks its unread entries read.
func (h *Handlers) openInbox(w http.ResponseWriter, r *http.Request, q inboxQuery) error {
	a := h.announced(r)
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	if done, err := h.unchanged(w, r.WithContext(ctx), a); done || err != nil {
		return err
	}
	page, err := h.Inbox.Open(ctx, seqOf(r))
	if err != nil {
		return fmt.Errorf("show an inbox: %w", err)
	}
	q.fresh.opened(&page)
	q.fresh.mark(&page)
	h.keepFresh(w, r, &q.fresh)
	if err := h.tellBadge(w, r, a.with(pageBadge(page))); err != nil {
		return err
	}
	return h.opened(w, r, page, a, views.InboxPage(h.inboxPage(r, q, page, a)))
}

// lookedAt shows a page of the inbox without opening it, with the message about the last action.
func (h *Handlers) lookedAt(w http.ResponseWriter, r *http.Request, q inboxQuery, done *views.Done) error {
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	page, err := h.Inbox.Look(ctx, seqOf(r), q.Query)
	if h.storedInstead(r, err) {
		return h.storedInbox(w, r, q, done)
	}
	if err != nil {
		return fmt.Errorf("show a part of an inbox: %w", err)
	}
	if q.Opened != q.fresh.since {
		q.fresh = fresh{since: q.Opened} // the page belongs to another visit
	} else if q.Opened > 0 {
		q.fresh.mark(&page)
		h.keepFresh(w, r, &q.fresh)
	}
	a := h.announced(r)
	if err := h.tellBadge(w, r, a.with(pageBadge(page))); err != nil {
		return err
	}
	p := h.inboxPage(r, q, page, a)
	p.Unopened = q.plain && r.Method == http.MethodGet && page.Unread > 0
	if p.Done = done; done != nil && done.Undo != nil {
		done.Undo.Fields = append(done.Undo.Fields, views.Hidden{Name: "back", Value: p.Back})
	}
	return h.page(w, r, http.StatusOK, views.InboxPage(p))
}

// pageBadge returns the inbox half of the badge.
func pageBadge(page notifier.Page) notifier.Badge {
	return notifier.Badge{Unread: page.Unread, Inbox: page.Unread, Ver: page.Ver}
}

func (h *Handlers) inboxPage(r *http.Request, q inboxQuery, page notifier.Page, a announced) *views.Inbox {
	p := h.inboxFrame(r, q, page.Opened, pageBadge(page))
	p.Viewer.Bell = views.NewBell(p.Text, a.with(pageBadge(page)))
	if h.addAnnounced(r, &p.Frame, a); p.Pinned != nil && p.Pinned.Back != "" {
		p.Pinned.Back = p.Back
	}
	p.AnnouncementIDs, p.AllRead = unreadAnnouncements(a), a.with(pageBadge(page)).Unread == 0
	rows := h.rowMaker(r, p.Text)
	waiting, below := h.waiting(r, q, page)
	p.Days = rows.sections(below, &q.fresh)
	if q.Filters() {
		p.Found = p.Text.N("list.found", int64(len(page.Entries)))
	}
	p.Types = h.typeChips(r, p.Text, q, page)
	if len(waiting) > 0 && q.Before == 0 {
		p.Days = append([]views.Day{{ID: views.Waiting, Heading: p.Text.T("inbox.waiting"), Rows: rows.rows(waiting)}}, p.Days...)
	}
	p.Count = inboxCount(p.Text, page, &q.fresh)
	if page.Older > 0 {
		older := q
		older.Opened, older.Before, older.Limit = page.Opened, page.Older, 0
		p.Older = older.address()
	}
	if q.Before > 0 {
		newest := q
		newest.Opened, newest.Before, newest.Limit = page.Opened, 0, 0
		p.Newest = newest.address()
	}
	p.Empty = inboxEmpty(p.Text, q, a)
	if p.Viewer.Staff && !q.Unread && !q.PutAway() && q.Before == 0 && !q.Filters() {
		p.Empty.LinkTarget, p.Empty.LinkText = testPath(p.Text, p.Viewer.Name), p.Text.T("inbox.empty_test")
	}
	return p
}

// inboxFrame builds what a full inbox page and a fragment share. badge is the inbox half.
func (h *Handlers) inboxFrame(r *http.Request, q inboxQuery, opened int64, badge notifier.Badge) *views.Inbox {
	f := h.bareFrame(r)
	f.Paused = h.paused(r)
	f.Section, f.Title = "inbox", f.Text.T("inbox.title")
	q.Opened = opened
	p := &views.Inbox{Frame: f, Filters: h.filterTabs(r, f.Text, q, badge), Archived: q.PutAway(), Later: q.Later, Back: q.address(), Labels: rowLabels(f.Text)}
	p.Unread, p.Upto, p.Here = badge.Inbox > 0, strconv.FormatInt(badge.Ver, 10), inboxPath
	p.Query, p.Type = q.Text, q.Type
	switch {
	case q.Unread:
		p.Filter = "unread"
	case q.Archived:
		p.Filter = filterArchived
	case q.Later:
		p.Filter = filterLater
	}
	if p.Filter != "" {
		p.Here += "?filter=" + p.Filter // new notices may not match a search, so the link omits it
	}
	return p
}
