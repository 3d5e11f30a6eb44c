package handlers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

const openPath = links.OpenPath

// place is where a user reads notices.
type place struct {
	here bool           // they can sign in here
	apps []notifier.App // whose pages show the notice to them; the sending app first
}

// placeOf returns where a user reads this sender's notices. It returns notifier.ErrNotFound for an unknown user.
func (h *Handlers) placeOf(ctx context.Context, seq int64, sender notifier.Ref) (place, error) {
	reader, sending, err := h.Store.ReaderApps(ctx, seq, sender)
	if err != nil {
		return place{}, err
	}
	p := place{here: reader == 0}
	for _, id := range []int64{sending, reader} {
		if a, known := h.Tokens.App(ctx, id); known {
			p.apps = append(p.apps, a)
		}
	}
	return p, nil
}

// openLink redirects an app's user from a mail to the subject of a notice and marks the notice read. There is no
// session: the token is signed for this notice and user. It shows no data and only redirects to addresses from the
// stored notice and the app.
func (h *Handlers) openLink(w http.ResponseWriter, r *http.Request) error {
	id, seq, ok := h.Links.Read(r.PathValue("token"))
	if !ok {
		return h.strangers.refuse(visitOf(r).Address, h.Now())
	}
	var n notifier.Notice
	if id != 0 {
		found, err := h.Sent.Notice(r.Context(), id)
		switch {
		case err == nil:
			n = found
		case !errors.Is(err, notifier.ErrNotFound): // the link of a deleted notice leads to the inbox
			return fmt.Errorf("open notice %d: %w", id, err)
		}
	}
	at, err := h.placeOf(r.Context(), seq, n.Sender)
	if errors.Is(err, notifier.ErrNotFound) {
		return h.strangers.refuse(visitOf(r).Address, h.Now())
	}
	if err != nil {
		return fmt.Errorf("open notice %d for user %d: %w", id, seq, err)
	}
	link := ""
	if n.ID != 0 && !isOver(&n, h.Now()) {
		action, err := actionLink(r, &n)
		if err != nil {
			return err
		}
		link = safeLink(cmp.Or(action, n.Link), n.App.Name)
		if err := h.markOpened(r, seq, &n); err != nil {
			return fmt.Errorf("open notice %d for user %d: %w", id, seq, err)
		}
	}
	private(w.Header())
	to := h.leads(at, link)
	switch {
	case to != "":
		leave(w, to)
		return nil
	case at.here && n.ID != 0:
		address := followPath + idText(n.ID)
		if a := r.URL.Query().Get("a"); a != "" {
			address += "?a=" + url.QueryEscape(a)
		}
		redirect(w, r, address)
		return nil
	case at.here:
		redirect(w, r, inboxPath)
		return nil
	}
	p := &views.Unsubscribe{Frame: h.bareFrame(r)}
	p.Title = p.Text.T("opened.title")
	return h.page(w, r, http.StatusOK, views.OpenedPage(p))
}

// leads returns where a notice's link leads its reader, or "" if there is no such page. Without a link, that is the
// app's inbox.
func (h *Handlers) leads(at place, link string) string {
	for i := range at.apps {
		if to := at.apps[i].Opens(link); to != "" {
			return to
		}
	}
	if strings.HasPrefix(link, "/") {
		if h.LinkBase == "" {
			return ""
		}
		return h.LinkBase + link
	}
	return link
}

// markOpened marks a notice read if a person followed its link. While Redis is unavailable, it does nothing.
func (h *Handlers) markOpened(r *http.Request, seq int64, n *notifier.Notice) error {
	if !h.byPerson(r) {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), redisWait)
	defer cancel()
	e, err := h.Inbox.Find(ctx, seq, n.Key(), 0)
	if err == nil && e.NoticeID == n.ID && !e.Read {
		_, err = h.Inbox.Follow(ctx, seq, e.Key, n.ID)
	}
	if errors.Is(err, notifier.ErrNotFound) || h.storedInstead(r, err) {
		return nil // it is archived, deleted or replaced, or will stay unread for now
	}
	return err
}

// byPerson reports whether a person followed a link, not a mail scanner, which fetches each link before anyone has
// read the mail. Over https, all browsers since 2023 send Fetch Metadata headers; scanners rarely do, and prefetching
// browsers send a prefetch header. Over http, browsers send none, but mail services' scanners cannot reach such an
// installation.
func (h *Handlers) byPerson(r *http.Request) bool {
	if r.Method != http.MethodGet || prefetch(r) {
		return false
	}
	mode, dest := r.Header.Get("Sec-Fetch-Mode"), r.Header.Get("Sec-Fetch-Dest")
	if mode == "" && dest == "" {
		return !h.secure
	}
	return mode == "navigate" && dest == "document"
}
