package handlers

import (
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/views"
)

// backOn returns the list page that a form came from, with the done code. For an address outside the list it returns
// the first page.
func backOn(path, back, done string) string {
	say := backQuery(path, back)
	say.Set("done", done)
	return path + "?" + say.Encode()
}

// backQuery returns the query of the list page in a form's field "back", or an empty query if the address is not of
// that list.
func backQuery(path, back string) url.Values {
	u, err := url.Parse(back)
	if err != nil || u.EscapedPath() != path || u.Host != "" || u.Scheme != "" || len(back) > maxBack {
		return url.Values{}
	}
	return u.Query()
}

// maxBack limits the length of a list page's address, which contains a search and names as cursors.
const maxBack = 4000

// removed redirects to the list after an item was removed from it, and remembers the message with its Undo.
func (h *Handlers) removed(w http.ResponseWriter, r *http.Request, path, back, code string, done views.Done) {
	h.taken.remember(seqOf(r), path, done, h.Now())
	redirect(w, r, backOn(path, back, code))
}

// takenDone returns the message with Undo for the item just removed from a list. It is nil if the address has no such
// done code or another instance removed the item.
func (h *Handlers) takenDone(r *http.Request, path, code string) *views.Done {
	if r.URL.Query().Get("done") != code {
		return nil
	}
	done, ok := h.taken.find(seqOf(r), path, h.Now())
	if !ok {
		return nil
	}
	return &done
}
