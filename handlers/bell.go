package handlers

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

// bellWait is how long a page waits for each part of its frame, such as the bell.
const bellWait = time.Second

// announced is what a user sees of the announcements. Every page shows a part of it.
type announced struct {
	notifier.OpenAnnouncements
	known  bool // read from Redis
	stored bool // read from the archive
}

// announced lists the announcements. If that fails, it logs the error and the page goes without them.
func (h *Handlers) announced(r *http.Request) announced {
	a, err := h.listed(r, bellWait)
	if err != nil {
		h.lacks(r, "announcements", err)
		return announced{}
	}
	return a
}

// listed waits up to wait for Redis, then falls back to the archive.
func (h *Handlers) listed(r *http.Request, wait time.Duration) (announced, error) {
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	listed, err := h.Announcements.List(ctx, readerOf(r))
	if h.storedInstead(r, err) {
		listed, err = h.Archive.Announcements.List(r.Context(), readerOf(r))
		return announced{OpenAnnouncements: listed, stored: err == nil}, err
	}
	return announced{OpenAnnouncements: listed, known: err == nil}, err
}

// surround adds the announcements and the badge to a page's frame, and returns the badge. If one cannot be read, the
// page goes without it.
func (h *Handlers) surround(r *http.Request, f *views.Frame, a announced) notifier.Badge {
	h.addAnnounced(r, f, a)
	ctx, cancel := context.WithTimeout(r.Context(), bellWait)
	defer cancel()
	badges, err := h.Inbox.Badges(ctx, []int64{seqOf(r)})
	if h.storedInstead(r, err) {
		badges = make([]notifier.Badge, 1)
		badges[0], err = h.Archive.Inbox.Badge(r.Context(), seqOf(r))
	}
	if err != nil || len(badges) != 1 {
		h.lacks(r, "inbox", err)
		return a.Badge()
	}
	badge := a.with(badges[0])
	f.Viewer.Bell = views.NewBell(f.Text, badge)
	return badge
}

// with adds the inbox half to the announcements' half of the badge.
func (a announced) with(inbox notifier.Badge) notifier.Badge {
	whole := a.Badge()
	whole.SetInbox(inbox.Inbox, inbox.Ver)
	return whole
}

// addAnnounced adds the number of unread announcements and the pinned banner to a page.
func (h *Handlers) addAnnounced(r *http.Request, f *views.Frame, a announced) {
	if a.Unread > 0 {
		f.Viewer.Tally = views.Tally{Number: strconv.FormatInt(a.Unread, 10), Text: f.Text.N("js.unread", a.Unread)}
	}
	f.Pinned = pinnedOf(f, a, r.URL, here(r), h.now(r))
}

// pinnedOf returns the first unread pinned announcement, skipping the one whose page this is. The first page of the
// list gets no banner: its top shows the pinned announcements already.
func pinnedOf(f *views.Frame, a announced, page *url.URL, back string, now time.Time) *views.Pinned {
	if page.Path == announcementsPath && !page.Query().Has("after") {
		return nil
	}
	own := announcementOf(page.Path)
	var p *views.Pinned
	var more int64
	for i := range a.Items {
		post := &a.Items[i]
		switch {
		case !post.Pinned || post.Read || post.ID == own:
		case p != nil:
			more++
		default:
			p = &views.Pinned{
				ID: idText(post.ID), Href: announcementPath(post.ID), Title: post.Title, Back: back,
				Dismiss: f.Text.F("banner.dismiss_named", "Title", post.Title),
				Edited:  editedMark(f.Text, func(at time.Time) string { return f.Text.Short(at, now) }, post, now.Location()),
			}
		}
	}
	if more > 0 {
		p.More = f.Text.N("banner.more", more)
	}
	if p != nil && a.stored {
		p.Back = ""
	}
	return p
}

// announcementOf returns the ID of the announcement whose page has this path, or 0.
func announcementOf(path string) int64 {
	id, ok := strings.CutPrefix(path, announcementsPath+"/")
	if !ok {
		return 0
	}
	return number(id)
}

// mostBack is the maximum length of an address that a form may return to.
const mostBack = 500

// here is the address of this page without its done code, or the list of announcements if the request is not GET or HEAD.
func here(r *http.Request) string {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return announcementsPath
	}
	return withoutDone(r.URL)
}

func withoutDone(u *url.URL) string {
	values := u.Query()
	values.Del("done")
	address := (&url.URL{Path: u.Path, RawQuery: values.Encode()}).RequestURI()
	if len(address) > mostBack || safeNext(address) != address {
		return announcementsPath
	}
	return address
}

// ourPage parses the address that a form returns to. ok is false if it is not a page of this server.
func ourPage(back string) (page *url.URL, ok bool) {
	u, err := url.Parse(back)
	return u, err == nil && len(back) <= mostBack && safeNext(back) == back
}

// cameFrom returns the page that a form returns to; the default is the list of announcements.
func cameFrom(back string) *url.URL {
	if u, ok := ourPage(back); ok {
		return u
	}
	return &url.URL{Path: announcementsPath}
}

// backToPage returns the page to return to after an action on announcements, with the done code.
func backToPage(back, done string) string { return withDone(cameFrom(back), done) }

// withDone adds a done code, which names the action just done, to a page's address.
func withDone(u *url.URL, done string) string {
	values := u.Query()
	values.Set("done", done)
	return u.EscapedPath() + "?" + values.Encode()
}

// lacks logs that a page is shown without one of its parts.
func (h *Handlers) lacks(r *http.Request, part string, err error) {
	h.Log.LogAttrs(r.Context(), slog.LevelWarn, "page shown without a part", slog.String("part", part),
		slog.Int64("user_id", seqOf(r)), slog.String("request_id", visitOf(r).ID), slog.Any("err", err))
}
