package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// The most people, and bytes of their names, that fit the address of the form for a notification.
const (
	mostToSend      = 100
	mostToSendBytes = 4000
)

// sendToMany leads to the form for a notification: to a group if all of exactly that group are meant, else to the people
// themselves.
func (h *Handlers) sendToMany(w http.ResponseWriter, r *http.Request, l listing, seqs []int64, all bool) error {
	q := h.filteredQuery(l, nil)
	if all && q.Role != "" && l.search == "" && !l.narrow.Has("state") {
		redirect(w, r, sendPath+"?"+url.Values{"target": {"role"}, "to": {q.Role}}.Encode())
		return nil
	}
	var names []string
	var err error
	if all {
		names, err = h.matchingNames(r, q)
	} else {
		names, err = h.namesOf(r, seqs)
	}
	if err != nil {
		return err
	}
	to := url.Values{"to": {strings.Join(names, "\n")}}.Encode()
	if len(names) > mostToSend || len(to) > mostToSendBytes {
		return fault("", codeManyToSend, map[string]any{"Limit": mostToSend})
	}
	redirect(w, r, sendPath+"?"+to)
	return nil
}

// matchingNames returns the names of the users whom a query selects, or more than mostToSend. A search that takes long counts as too many.
func (h *Handlers) matchingNames(r *http.Request, q notifier.UserQuery) (names []string, err error) {
	q.Limit, q.After, q.ByNewest, q.Descending = mostToSend+1, "", false, false
	found, reached, err := h.Store.SearchUsers(r.Context(), q, searchPatience)
	if err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	if reached != "" {
		return nil, fault("", codeManyToSend, map[string]any{"Limit": mostToSend})
	}
	for i := range found {
		names = append(names, found[i].Name)
	}
	return names, nil
}

// namesOf returns the names of the users with these numbers who still exist.
func (h *Handlers) namesOf(r *http.Request, seqs []int64) (names []string, err error) {
	who := roaring.New()
	for _, seq := range seqs {
		who.AddInt(int(seq))
	}
	found, err := h.Store.UserNames(r.Context(), who)
	if err != nil {
		return nil, err
	}
	for _, seq := range seqs {
		if u, there := found[seq]; there {
			names = append(names, u.Name)
		}
	}
	return names, nil
}
