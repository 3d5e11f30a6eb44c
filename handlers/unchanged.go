package handlers

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/static"
)

// revalidate lets the browser cache a page but makes it ask each time.
const revalidate = "private, no-cache"

// unchanged answers a visit to an inbox with nothing unread that has not changed since the user's
// last visit, nor have the announcements shown on it: with 304 or the cached page. It returns
// false if it did not answer, because there is something to open or to render.
func (h *Handlers) unchanged(w http.ResponseWriter, r *http.Request, a announced) (done bool, err error) {
	kept, ok := h.kept.get(seqOf(r))
	if !ok && r.Header.Get("If-None-Match") == "" {
		return false, nil
	}
	badges, err := h.Inbox.Badges(r.Context(), []int64{seqOf(r)})
	if err != nil || len(badges) != 1 {
		return false, fmt.Errorf("check whether an inbox has changed: %w", err)
	}
	if badges[0].Unread > 0 {
		return false, nil
	}
	tag := pageTag{ver: badges[0].Ver, variant: h.variantOf(r), above: a.sum()}
	now := h.Now()
	if etag, held := tag.heldBy(r, now); held {
		w.Header().Set("Etag", etag)
		w.Header().Set("Cache-Control", revalidate)
		w.WriteHeader(http.StatusNotModified)
		return true, nil
	}
	if !ok || kept.tag != tag || !now.Before(kept.until) {
		return false, nil
	}
	if kept.zipped == nil {
		if kept.zipped = zipped(r, kept.body); kept.zipped != nil {
			h.kept.put(kept)
		}
	}
	sendKept(w, r, kept)
	return true, nil
}

// opened sends the page of an inbox that was opened. It caches the page only if opening changed
// nothing, because a page with "new" marks is for one visit, and only if the announcements could
// be read.
func (h *Handlers) opened(w http.ResponseWriter, r *http.Request, page notifier.Page, a announced, c templ.Component) error {
	if page.Opened > 0 || page.Unread > 0 || !a.known {
		return h.page(w, r, http.StatusOK, c)
	}
	return h.render(r, c, func(body []byte) {
		p := keptPage{
			seq: seqOf(r), tag: pageTag{ver: page.Ver, variant: h.variantOf(r), above: a.sum()},
			until: expiryOf(page.Entries, h.Now()), body: bytes.Clone(body), zipped: zipped(r, body),
		}
		h.kept.put(p)
		sendKept(w, r, p)
	})
}

// sendKept sends a cached page, compressed if the browser accepts that.
func sendKept(w http.ResponseWriter, r *http.Request, p keptPage) {
	etag, packed := p.tag.etag(p.until), p.zipped
	if !static.AcceptsGzip(r.Header.Get("Accept-Encoding")) {
		packed = nil
	}
	if packed != nil {
		etag = weak(etag)
	}
	w.Header().Set("Etag", etag)
	w.Header().Set("Cache-Control", revalidate)
	writePage(w, http.StatusOK, p.body, packed)
}
