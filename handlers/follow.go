package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

const followPath = "/n/"

// maxRows exceeds the maximum number of rows in an inbox.
const maxRows = 1000

// follow redirects to the subject of a notice and marks it read for the user. An announcement leads to its page, any
// other notice to its link or else its row. For a user who did not receive the notice, it does not exist.
func (h *Handlers) follow(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	n, err := h.Sent.Notice(r.Context(), id)
	if err != nil {
		return fmt.Errorf("follow notice %d: %w", id, err)
	}
	target, err := actionLink(r, &n)
	if err != nil {
		return fmt.Errorf("follow an action of notice %d: %w", id, err)
	}
	var to string
	if n.Announces() {
		to, err = h.followedAnnouncement(r, &n, target)
	} else {
		to, err = h.followed(r, &n, target)
	}
	if err != nil {
		return fmt.Errorf("follow notice %d: %w", id, err)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// actionLink returns the link of the action that the parameter a numbers, counted from 1; "" without the parameter.
func actionLink(r *http.Request, n *notifier.Notice) (string, error) {
	query := r.URL.Query()
	if !query.Has("a") {
		return "", nil
	}
	number, err := strconv.Atoi(query.Get("a"))
	link, known := n.Extras.ActionLink(number)
	if err != nil || !known {
		return "", notifier.ErrNotFound
	}
	return link, nil
}

// followedAnnouncement returns the address of an announcement that is visible to the user: its page, which marks it
// read, or that of an action, after marking it read. While Redis is unavailable it only returns the address.
func (h *Handlers) followedAnnouncement(r *http.Request, n *notifier.Notice, action string) (string, error) {
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	post, err := h.Announcements.Find(ctx, readerOf(r), n.ID)
	if err == nil && action != "" && !post.Read && deliberate(r) {
		_, err = h.Announcements.MarkRead(ctx, readerOf(r), n.ID)
	}
	if h.storedInstead(r, err) {
		_, err = h.Archive.Announcements.Find(r.Context(), readerOf(r), n.ID)
	}
	if link := h.outside(action, n.App.Name); link != "" {
		return link, err
	}
	return web.At(r.Context(), announcementPath(n.ID)), err
}

// followed marks a notice in the user's inbox read and returns its address, or that of one of its actions. While Redis
// is unavailable it only returns the address.
func (h *Handlers) followed(r *http.Request, n *notifier.Notice, action string) (string, error) {
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	e, err := h.Inbox.Find(ctx, seqOf(r), n.Key(), 0)
	if err == nil && e.NoticeID == n.ID && !e.Read && deliberate(r) {
		_, err = h.Inbox.Follow(ctx, seqOf(r), e.Key, n.ID)
	}
	page := inboxPath + "?opened=0"
	if errors.Is(err, notifier.ErrNotFound) {
		e, err = h.archivedEntry(ctx, r, n.ID)
		page = inboxPath + "?filter=" + filterArchived
		if !e.Until.IsZero() {
			page = inboxPath + "?filter=" + filterLater
		}
	}
	if h.storedInstead(r, err) {
		e, err = h.storedEntry(r, n.ID)
	}
	switch {
	case err != nil:
		return "", err
	case e.NoticeID != n.ID: // replaced by a newer notice
		return "", notifier.ErrNotFound
	}
	if link := h.outside(cmp.Or(action, e.Link), e.App); link != "" {
		return link, nil
	}
	return web.At(r.Context(), page) + "#e" + strconv.FormatInt(e.At, 10), nil
}

// storedEntry finds a notice in the inbox as stored in SQL.
func (h *Handlers) storedEntry(r *http.Request, id int64) (notifier.Entry, error) {
	page, err := h.Archive.Inbox.Look(r.Context(), seqOf(r), notifier.Query{Limit: maxRows})
	if err != nil {
		return notifier.Entry{}, fmt.Errorf("read a stored inbox: %w", err)
	}
	return ofNotice(page, id)
}

// archivedEntry finds a notice among the entries that the user archived or snoozed.
func (h *Handlers) archivedEntry(ctx context.Context, r *http.Request, id int64) (e notifier.Entry, err error) {
	for _, q := range []notifier.Query{{Archived: true, Limit: maxRows}, {Later: true, Limit: maxRows}} {
		page, err := h.Inbox.Look(ctx, seqOf(r), q)
		if err != nil {
			return e, fmt.Errorf("look for an archived entry: %w", err)
		}
		if e, err = ofNotice(page, id); err == nil {
			return e, nil
		}
	}
	return e, notifier.ErrNotFound
}

func ofNotice(page notifier.Page, id int64) (notifier.Entry, error) {
	i := slices.IndexFunc(page.Entries, func(e notifier.Entry) bool { return e.NoticeID == id })
	if i < 0 {
		return notifier.Entry{}, notifier.ErrNotFound
	}
	return page.Entries[i], nil
}
