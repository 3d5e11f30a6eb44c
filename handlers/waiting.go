package handlers

import (
	"net/http"

	"github.com/carillonhq/carillon/notifier"
)

// mostWaiting is how many questions stand at the top of an inbox, the newest first. Further ones stand among the other notices.
const mostWaiting = 30

// waiting returns the open questions that the reader has not answered, which the section at the top of the whole inbox shows, and
// the page without them. Older pages are without them too, so that no row is shown twice.
func (h *Handlers) waiting(r *http.Request, q inboxQuery, page notifier.Page) (waiting []notifier.Entry, below notifier.Page) {
	if q.Unread || q.PutAway() || q.Filters() {
		return nil, page
	}
	keys := h.unanswered(r)
	if len(keys) == 0 {
		return nil, page
	}
	found, err := h.Inbox.FindAll(r.Context(), seqOf(r), keys, page.Opened)
	if err != nil {
		h.Log.WarnContext(r.Context(), "the questions that wait for an answer stand among the other notices", "err", err)
		return nil, page
	}
	shown := map[string]bool{}
	for _, e := range found {
		if e.Ask.Open() {
			waiting, shown[e.Key] = append(waiting, e), true
		}
	}
	below = page
	below.Entries = nil
	for _, e := range page.Entries {
		if !shown[e.Key] {
			below.Entries = append(below.Entries, e)
		}
	}
	return waiting, below
}

// unanswered returns the keys of the open questions that the reader has not answered.
func (h *Handlers) unanswered(r *http.Request) (keys []string) {
	open := h.Asks.OpenFor(r.Context(), seqOf(r))
	if len(open) == 0 {
		return nil
	}
	ids := make([]int64, len(open))
	for i, q := range open {
		ids[i] = q.ID
	}
	given, err := h.Store.AnswersOf(r.Context(), seqOf(r), ids)
	if err != nil {
		h.Log.WarnContext(r.Context(), "questions are shown without the reader's answers", "err", err)
	}
	for _, q := range open {
		if _, answered := given[q.ID]; !answered && len(keys) < mostWaiting {
			keys = append(keys, q.Key)
		}
	}
	return keys
}
