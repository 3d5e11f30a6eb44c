package handlers

import (
	"net/http"
	"net/url"

	"github.com/carillonhq/carillon/views"
)

// backOn leads from an action in a list to the page of the list that its form came
// from, and says there what was done. Any other address is the list.
func backOn(path, back, done string) string {
	say := backQuery(path, back)
	say.Set("done", done)
	return path + "?" + say.Encode()
}

// backQuery is which page of a list the field `back` of a form means.
func backQuery(path, back string) url.Values {
	u, err := url.Parse(back)
	if err != nil || u.EscapedPath() != path || u.Host != "" || u.Scheme != "" || len(back) > maxBack {
		return url.Values{}
	}
	return u.Query()
}

// maxBack bounds the address of a page of a list: a search, and names to go on from.
const maxBack = 4000

// removed redirects to the list after something was taken out of it, where it can
// be put back.
func (h *Handlers) removed(w http.ResponseWriter, r *http.Request, path, back, code string, done views.Done) {
	h.taken.remember(seqOf(r), path, done, h.Now())
	redirect(w, backOn(path, back, code))
}

// takenDone is the line about what was taken out of a list last, with Undo, when the
// address says that this has just been done and this instance did it.
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
