package handlers

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	freshCookie = "carillon-new"
	freshLife   = 30 * time.Minute // without a page of the inbox
	mostKnown   = 50               // notices in the cookie
)

// fresh is what a visit to the inbox has found new. It outlives reloads, until the reader dismisses it or has been away
// from the inbox for a while. A cookie stores it, because it only decides under which heading this browser shows rows.
type fresh struct {
	since int64   // entries that arrived later and are read are new; 0: nothing is
	count int64   // how many there were on all pages
	known []int64 // notices that arrived later, but were read before the visit
}

// freshOf returns what the visit of this browser's user has found so far.
func freshOf(r *http.Request) fresh {
	c, err := r.Cookie(freshCookie)
	if err != nil {
		return fresh{}
	}
	parts := strings.Split(c.Value, ".")
	if len(parts) < 3 || len(parts) > 3+mostKnown || parts[0] != strconv.FormatInt(seqOf(r), 10) {
		return fresh{}
	}
	f := fresh{since: number(parts[1]), count: number(parts[2])}
	for _, id := range parts[3:] {
		f.known = append(f.known, number(id))
	}
	return f
}

// opened adds what an opening has found.
func (f *fresh) opened(page *notifier.Page) {
	if f.since == 0 && page.Opened > 0 {
		f.since = page.Opened
		for i := range page.Entries {
			if e := &page.Entries[i]; e.Read && e.At > f.since && len(f.known) < mostKnown {
				f.known = append(f.known, e.NoticeID)
			}
		}
	}
	f.count += page.Turned
	page.Opened = f.since
}

// mark sets the New marks of a page.
func (f *fresh) mark(page *notifier.Page) {
	for i := range page.Entries {
		e := &page.Entries[i]
		switch known := slices.Contains(f.known, e.NoticeID); {
		case known && e.New:
			e.New, e.Read = false, true
		case !known && e.Read && f.since > 0 && e.At > f.since:
			e.New = true
		}
	}
}

// has reports whether an entry came since the visit found something. One that was marked as unread by hand stays where it was.
func (f *fresh) has(e *notifier.Entry) bool {
	return e.New || f.since > 0 && e.At > f.since && !slices.Contains(f.known, e.NoticeID)
}

// String is the value of the cookie after the user's number.
func (f *fresh) String() string {
	parts := []string{strconv.FormatInt(f.since, 10), strconv.FormatInt(f.count, 10)}
	for _, id := range f.known {
		parts = append(parts, idText(id))
	}
	return strings.Join(parts, ".")
}

// keepFresh stores what this visit has found for the next page, or drops what it found before.
func (h *Handlers) keepFresh(w http.ResponseWriter, r *http.Request, f *fresh) {
	life := int(freshLife.Seconds())
	if f.since == 0 {
		if _, err := r.Cookie(freshCookie); err != nil {
			return
		}
		life = -1
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure where browsers come by https
		Name: freshCookie, Value: strconv.FormatInt(seqOf(r), 10) + "." + f.String(), Path: web.At(r.Context(), inboxPath),
		MaxAge: life, HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: h.secure,
	})
}

// dismissNew dismisses what was new: it moves under the headings of its days.
func (h *Handlers) dismissNew(w http.ResponseWriter, r *http.Request) error {
	values, err := form(r, "back")
	if err != nil {
		return err
	}
	h.keepFresh(w, r, &fresh{})
	back := lookQuery(cameFrom(values.Get("back")).Query())
	back.Opened = 0
	redirect(w, r, back.address())
	return nil
}

// sections puts what is new above the days.
func (m rowMaker) sections(page notifier.Page, f *fresh) []views.Day {
	var news, rest []notifier.Entry
	for i := range page.Entries {
		if f.has(&page.Entries[i]) {
			news = append(news, page.Entries[i])
		} else {
			rest = append(rest, page.Entries[i])
		}
	}
	days := m.days(rest)
	if len(news) == 0 {
		return days
	}
	heading := m.text.T("inbox.mark_new")
	if n := f.newOn(page); n > 0 {
		heading = m.text.N("inbox.divider_new", n)
	}
	return append([]views.Day{{ID: "new-" + strconv.FormatInt(news[0].At, 10), Heading: heading, New: true, Rows: m.rows(news)}}, days...)
}

// newOn returns the number of new entries on all pages, of which this is one.
func (f *fresh) newOn(page notifier.Page) int64 {
	var here int64
	for i := range page.Entries {
		if f.has(&page.Entries[i]) {
			here++
		}
	}
	if page.Older > 0 && int(here) == len(page.Entries) {
		return f.count
	}
	return here
}

// inboxCount returns the number of unread entries or, if there are none, of new ones, in words.
func inboxCount(text *locale.Printer, page notifier.Page, f *fresh) string {
	if page.Unread > 0 {
		return text.N("js.unread", page.Unread)
	}
	if n := f.newOn(page); n > 0 {
		return text.N("inbox.new", n)
	}
	return ""
}
