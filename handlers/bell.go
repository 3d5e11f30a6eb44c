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

// bellWait is how long a page waits for what is around it.
const bellWait = time.Second

// announced is what a user sees of announcements, which every page shows a part of.
type announced struct {
	notifier.Posts
	known  bool // it could be told
	stored bool // it is what is stored, instead
}

// announced asks for them. A page that can do without is shown without.
func (h *Handlers) announced(r *http.Request) announced {
	a, err := h.listed(r, bellWait)
	if err != nil {
		h.lacks(r, "announcements", err)
		return announced{}
	}
	return a
}

// listed asks for them for so long, and else for what is stored.
func (h *Handlers) listed(r *http.Request, wait time.Duration) (announced, error) {
	ctx, cancel := context.WithTimeout(r.Context(), wait)
	defer cancel()
	posts, err := h.Announcements.List(ctx, readerOf(r))
	if h.storedInstead(r, err) {
		posts, err = h.Archive.Announcements.List(r.Context(), readerOf(r))
		return announced{Posts: posts, stored: err == nil}, err
	}
	return announced{Posts: posts, known: err == nil}, err
}

// surround shows on a page what is around each: the announcements, and the number
// on the bell, which it returns. A page that can do without it is shown without.
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

// with is the whole badge, of which inbox is one half.
func (a announced) with(inbox notifier.Badge) notifier.Badge {
	whole := a.Badge()
	whole.Inbox, whole.Ver = inbox.Inbox, inbox.Ver
	whole.Unread += inbox.Inbox
	return whole
}

// addAnnounced shows on a page how many announcements are unread, and those that
// are pinned.
func (h *Handlers) addAnnounced(r *http.Request, f *views.Frame, a announced) {
	if a.Unread > 0 {
		f.Viewer.Tally = views.Tally{Number: strconv.FormatInt(a.Unread, 10), Text: f.Text.N("js.unread", a.Unread)}
	}
	f.Pinned = pinnedOf(f, a, r.URL, here(r))
}

// pinnedOf is the first of the pinned announcements that are unread, but for the
// one whose own page it is. The beginning of the list has them on top already.
func pinnedOf(f *views.Frame, a announced, page *url.URL, back string) *views.Pinned {
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

// announcementOf is the announcement whose own page has this path, or 0.
func announcementOf(path string) int64 {
	id, ok := strings.CutPrefix(path, announcementsPath+"/")
	if !ok {
		return 0
	}
	return number(id)
}

// mostBack is the longest address that a form leads back to.
const mostBack = 500

// here is the address of this page without what was done before it. What has no
// page to come back to leads to the announcements.
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

// ourPage is the page of our own that a form leads back to, if it says one.
func ourPage(back string) (page *url.URL, ok bool) {
	u, err := url.Parse(back)
	return u, err == nil && len(back) <= mostBack && safeNext(back) == back
}

// cameFrom is the page that a form leads back to, or the announcements.
func cameFrom(back string) *url.URL {
	if u, ok := ourPage(back); ok {
		return u
	}
	return &url.URL{Path: announcementsPath}
}

// backToPage is the page to go back to after an action on announcements, with
// what to say there.
func backToPage(back, done string) string { return withDone(cameFrom(back), done) }

// withDone is the address of a page with what was done before it.
func withDone(u *url.URL, done string) string {
	values := u.Query()
	values.Set("done", done)
	return u.EscapedPath() + "?" + values.Encode()
}

// lacks notes that a page goes without a part of what is around it.
func (h *Handlers) lacks(r *http.Request, part string, err error) {
	h.Log.LogAttrs(r.Context(), slog.LevelWarn, "page without what is around it", slog.String("part", part),
		slog.Int64("user_id", seqOf(r)), slog.String("request_id", visitOf(r).id), slog.Any("err", err))
}
