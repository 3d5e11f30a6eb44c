package live

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// Toasts stores the waiting toasts; see notifier/toast. Toasts taken by this instance are its own
// for at least Limits.ToastHold, unless they are acknowledged.
type Toasts interface {
	// RaiseAll raises each toast, in one call per partition. It returns an error for each, in
	// order.
	RaiseAll(ctx context.Context, all []notifier.ToastRaise) []error
	// Waiting reports for each user whether any toast waits for them, held or not. With an error it
	// reports false for the users that could not be read, or returns no answers at all.
	Waiting(ctx context.Context, seqs []int64) ([]bool, error)
	// Take claims the toasts that no other instance holds, for each user in order, and returns
	// those already held by this instance again. With an error it still returns one Taken per user;
	// Taken.Err marks the users that could not be served.
	Take(ctx context.Context, seqs []int64) ([]notifier.Taken, error)
	// Nudge signals all instances that toasts shown here to these users were not acknowledged.
	Nudge(ctx context.Context, seqs []int64) error
	// Ack removes these toasts of a user; they are not delivered again.
	Ack(ctx context.Context, seq int64, ids []string) error
}

// shownAtOnce is how many toasts given together are shown one by one. The older ones are only
// counted.
const shownAtOnce = 3

// toastData is the data of a `toast` event.
type toastData struct {
	ID     string `json:"id"` // of a summary: all ids, separated by commas
	Title  string `json:"title"`
	Body   string `json:"body"`
	Link   string `json:"link"`
	App    string `json:"app,omitempty"`
	Notice int64  `json:"notice,omitempty"`
	Key    string `json:"key,omitempty"`
	At     int64  `json:"at,omitempty"`
	More   int    `json:"more,omitempty"` // set for a summary: how many toasts it stands for
}

// appendToasts appends the events of the toasts that one connection is given together, oldest
// first: one event for each of the newest, and a summary of the others at the end. Toasts without a
// notice come last in the order, so that they are shown rather than counted: the others can still
// be read in the inbox or the list. path comes before the addresses of our own pages.
func appendToasts(b []byte, id int64, toasts []toastData, path string) []byte {
	for i := range toasts {
		if toasts[i].Notice > 0 && toasts[i].Key == "" { // an announcement, which has a page of ours
			toasts[i].Link = path + toasts[i].Link
		}
	}
	slices.SortStableFunc(toasts, func(a, b toastData) int { return cmp.Compare(min(b.Notice, 1), min(a.Notice, 1)) })
	rest := toasts[:max(len(toasts)-shownAtOnce, 0)]
	for i := range toasts[len(rest):] {
		b = appendToast(b, id, &toasts[len(rest)+i])
	}
	if len(rest) > 0 {
		all := toastData{Link: path + "/inbox", More: len(rest)}
		for i := range rest {
			if i > 0 {
				all.ID += ","
			}
			all.ID += rest[i].ID
		}
		b = appendToast(b, id, &all)
	}
	return b
}

func appendToast(b []byte, id int64, d *toastData) []byte {
	text, _ := json.Marshal(d) // strings and numbers only; contains no line end
	return appendEvent(b, id, "toast", string(text))
}

// readToast reads the content of a toast. It returns false for content that cannot be shown, which
// Carillon never writes.
func readToast(t *notifier.Toast) (toastData, bool) {
	var d struct {
		Title string `json:"title"`
		Body  string `json:"body"`
		Link  string `json:"link"`
		App   string `json:"app"`
	}
	if json.Unmarshal(t.Content, &d) != nil || d.Title == "" {
		return toastData{}, false
	}
	return toastData{ID: t.ID, Title: d.Title, Body: notifier.Shorten(d.Body, notifier.MaxToastBody), Link: d.Link, App: d.App, Notice: t.NoticeID, Key: t.Key, At: t.At}, true
}

// Acked is called after a browser has reported these toasts as shown here and Redis has recorded
// it. Their delivery is finished.
func (h *Hub) Acked(seq int64, ids []string) {
	s := h.shard(seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[seq]; u != nil && u.tray != nil {
		u.tray.acknowledged(ids)
	}
}
