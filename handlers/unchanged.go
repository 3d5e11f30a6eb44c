package handlers

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/static"
)

// revalidate lets the browser keep a page that it asks about each time.
const revalidate = "private, no-cache"

// unchanged answers a visit to an inbox in which nothing is unread and nothing
// has changed since the user's last one, nor of the announcements that show on
// it: with 304, or with the page that was kept. It is false when it did not
// answer. There is then something to open, or something to render.
func (h *Handlers) unchanged(w http.ResponseWriter, r *http.Request, a announced) (done bool, err error) {
	kept, ok := h.kept.get(seqOf(r))
	if !ok && r.Header.Get("If-None-Match") == "" {
		return false, nil
	}
	badges, err := h.Inbox.Badges(r.Context(), []int64{seqOf(r)})
	if err != nil || len(badges) != 1 {
		return false, fmt.Errorf("look whether an inbox has changed: %w", err)
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

// opened sends a page that was opened. It is kept when the opening turned
// nothing: a page with New marks is for one visit. So is one without the
// announcements that it should have.
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

// sendKept sends a page that was kept, in the form in which the browser takes it.
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
