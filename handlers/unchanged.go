package handlers

import (
	"fmt"
	"net/http"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
)

// revalidate lets the browser store a page but makes it revalidate each time.
const revalidate = "private, no-cache"

// unchanged responds with 304 if the browser has the current page of an inbox with nothing unread: neither the inbox
// nor the announcements on it have changed. It returns false if it wrote no response, because the page must be
// rendered. A page with an open question is always rendered: an answer changes it and not the inbox.
func (h *Handlers) unchanged(w http.ResponseWriter, r *http.Request, a announced) (done bool, err error) {
	if r.Header.Get("If-None-Match") == "" || len(h.Asks.OpenFor(r.Context(), seqOf(r))) > 0 {
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
	etag, held := tag.heldBy(r, h.Now())
	if held {
		known := freshOf(r)
		h.keepFresh(w, r, &known)
		w.Header().Set("Etag", etag)
		w.Header().Set("Cache-Control", revalidate)
		w.WriteHeader(http.StatusNotModified)
	}
	return held, nil
}

// opened sends the page of an inbox that was opened. The page has an ETag only if opening found nothing, because what it
// found is not in the request's cookie yet, only if the announcements could be read, and without open questions.
func (h *Handlers) opened(w http.ResponseWriter, r *http.Request, page notifier.Page, a announced, c templ.Component) error {
	if page.Turned > 0 || page.Opened != freshOf(r).since || page.Unread > 0 || !a.known || len(h.Asks.OpenFor(r.Context(), seqOf(r))) > 0 {
		return h.page(w, r, http.StatusOK, c)
	}
	tag := pageTag{ver: page.Ver, variant: h.variantOf(r), above: a.sum()}
	etag := tag.etag(expiryOf(page.Entries, h.Now()))
	return h.render(r, c, func(body []byte) {
		page := pack(r, body)
		if page.coding != "" {
			etag = weak(etag)
		}
		w.Header().Set("Etag", etag)
		w.Header().Set("Cache-Control", revalidate)
		writePage(w, http.StatusOK, page)
	})
}
