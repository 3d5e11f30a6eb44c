package handlers

import (
	"net/http"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
)

const (
	mostMeant    = 3  // unknown names for which the form makes suggestions
	meantAmong   = 20 // users compared with each half of such a name
	meantLongest = 64 // maximum runes of a compared name: the effort grows with the square
)

// meant suggests users for the first unknown names among the errors: users whose names differ in few letters. If the
// directory is unavailable, it suggests none.
func (h *Handlers) meant(r *http.Request, bad *notifier.InvalidError) (found []views.Meant) {
	for _, f := range bad.Fields {
		names, ok := f.Params["Names"].(string)
		if f.Code != notifier.CodeUnknownUsers || !ok {
			continue
		}
		for _, typed := range strings.SplitN(names, ", ", mostMeant+1)[:min(mostMeant, strings.Count(names, ", ")+1)] {
			if name := h.nearest(r, typed); name != "" {
				found = append(found, views.Meant{Typed: kept(typed), Name: name})
			}
		}
	}
	return found
}

// nearest returns the user whose name is closest to typed, with at most one letter in three different, or "".
func (h *Handlers) nearest(r *http.Request, typed string) string {
	word := []rune(strings.ToLower(typed))
	if len(word) < 2 || len(word) > meantLongest {
		return ""
	}
	best, name := max(1, len(word)/3)+1, ""
	for _, part := range []string{string(word[:(len(word)+1)/2]), string(word[len(word)/2:])} {
		users, err := h.Store.FindUsers(r.Context(), part, meantAmong)
		if err != nil {
			h.lacks(r, "names like an unknown one", err)
			return ""
		}
		for _, u := range users {
			other := []rune(strings.ToLower(u.Name))
			if len(other) > meantLongest {
				continue
			}
			if d := notifier.Mistakes(word, other); d < best {
				best, name = d, u.Name
			}
		}
	}
	return name
}
