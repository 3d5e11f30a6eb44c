package handlers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// Archive reads inboxes and announcements from SQL. Pages use it while Redis is unavailable.
type Archive struct {
	Inbox         InboxArchive
	Announcements AnnouncementArchive
}

// InboxArchive reads inboxes as last stored in SQL; see notifier/inbox.
type InboxArchive interface {
	Look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error)
	// Badge returns the inbox half of the badge.
	Badge(ctx context.Context, seq int64) (notifier.Badge, error)
}

// AnnouncementArchive reads announcements from SQL; see notifier/announcement.
type AnnouncementArchive interface {
	List(ctx context.Context, r notifier.Reader) (notifier.OpenAnnouncements, error)
	Find(ctx context.Context, r notifier.Reader, id int64) (notifier.OpenAnnouncement, error)
}

// redisWait is how long a page waits for Redis before it uses the archive. Once Redis is known to be down, calls fail
// at once.
const redisWait = 3 * time.Second

// storedInstead reports whether the page must come from the archive because Redis failed with err. If err is nil, it
// records that Redis responded.
func (h *Handlers) storedInstead(r *http.Request, err error) bool {
	if err == nil {
		h.heard.Store(h.Now().UnixMilli())
		return false
	}
	return statusOf(err) == http.StatusServiceUnavailable && r.Context().Err() == nil
}

// asOf returns the time up to which the archive is surely complete: the last response of Redis to this instance or,
// if later, the last stored change. It returns "" if neither is known.
func (h *Handlers) asOf(r *http.Request, ver int64) string {
	now := h.now(r)
	ms := min(max(h.heard.Load(), ver), now.UnixMilli())
	if ms == 0 {
		return ""
	}
	at := time.UnixMilli(ms).In(now.Location())
	text := h.text(r)
	if text.Day(at, now) == text.T("date.today") {
		return text.Clock(at)
	}
	return text.Exact(at)
}

// stale returns the line, with text ID id, that marks a page as coming from the archive.
func (h *Handlers) stale(r *http.Request, id string, ver int64) string {
	if at := h.asOf(r, ver); at != "" {
		return h.text(r).F(id, "Time", at)
	}
	return h.text(r).T("stale.unknown")
}

// storedInbox shows a page of the inbox from the archive.
func (h *Handlers) storedInbox(w http.ResponseWriter, r *http.Request, q inboxQuery, done *views.Done) error {
	page, err := h.Archive.Inbox.Look(r.Context(), seqOf(r), q.Query)
	if err != nil {
		return fmt.Errorf("show a stored inbox: %w", err)
	}
	a := h.announced(r)
	if err := h.tellBadge(w, r, a.with(pageBadge(page))); err != nil {
		return err
	}
	p := h.inboxPage(r, q, page, a)
	if p.Done = done; done != nil {
		p.Done.Undo = nil // unavailable while Redis is down
	}
	p.Stale = h.stale(r, "stale.inbox", page.Ver)
	return h.page(w, r, http.StatusOK, views.InboxPage(p))
}
