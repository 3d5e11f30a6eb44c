package handlers

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// Archive is what SQL knows of inboxes and announcements. Pages show it while Redis
// is away; without it they are not to be had then.
type Archive struct {
	Inbox         InboxArchive
	Announcements AnnouncementArchive
}

// InboxArchive is inboxes as they were last stored; see notifier/inbox.
type InboxArchive interface {
	Look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error)
	// Badge answers the inbox's half of the badge.
	Badge(ctx context.Context, seq int64) (notifier.Badge, error)
}

// AnnouncementArchive is announcements as they are stored; see notifier/announcement.
type AnnouncementArchive interface {
	List(ctx context.Context, r notifier.Reader) (notifier.Posts, error)
	Find(ctx context.Context, r notifier.Reader, id int64) (notifier.Posted, error)
}

// redisWait is how long a page waits for Redis before it shows what is stored. One
// that is known to be away answers so at once.
const redisWait = 3 * time.Second

// storedInstead says whether an answer has to come out of the archive, and
// remembers when none had to.
func (h *Handlers) storedInstead(r *http.Request, err error) bool {
	if err == nil {
		h.heard.Store(h.Now().UnixMilli())
		return false
	}
	return h.Archive.Inbox != nil && statusOf(err) == http.StatusServiceUnavailable && r.Context().Err() == nil
}

// asOf is until when it is known that nothing is missing in what is stored: when
// Redis last answered here, or else the last change that is stored. Empty: nobody
// knows.
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

// stale says that a page shows what is stored, by the text with this id.
func (h *Handlers) stale(r *http.Request, id string, ver int64) string {
	if at := h.asOf(r, ver); at != "" {
		return h.text(r).F(id, "Time", at)
	}
	return h.text(r).T("stale.unknown")
}

// storedInbox shows a part of the inbox as it is stored.
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
		p.Done.Undo = nil // not now
	}
	p.Stale = h.stale(r, "stale.inbox", page.Ver)
	return h.page(w, r, http.StatusOK, views.InboxPage(p))
}
