package handlers

import (
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/views"
)

// backOn returns the page of the list that a form came from, with the done code. For any other
// address it is the first page of the list.
func backOn(path, back, done string) string {
	say := backQuery(path, back)
	say.Set("done", done)
	return path + "?" + say.Encode()
}

// backQuery is the query of the list page that a form's field `back` names.
func backQuery(path, back string) url.Values {
	u, err := url.Parse(back)
	if err != nil || u.EscapedPath() != path || u.Host != "" || u.Scheme != "" || len(back) > maxBack {
		return url.Values{}
	}
	return u.Query()
}

// maxBack bounds the length of a list page's address, which has a search and names as cursors.
const maxBack = 4000

// removed redirects to the list after an item was removed from it, and remembers how to put it
// back.
func (h *Handlers) removed(w http.ResponseWriter, r *http.Request, path, back, code string, done views.Done) {
	h.taken.remember(seqOf(r), path, done, h.Now())
	redirect(w, r, backOn(path, back, code))
}

// takenDone is the message with Undo about the last item removed from a list. It is nil unless
// the address says that this has just happened and this instance did it.
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
