package live

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
)

// Toasts is where toasts wait; see notifier/toast. What this instance took is its own
// for Limits.ToastHold at least, unless it was acknowledged.
type Toasts interface {
	// RaiseAll raises each in one call per partition; an error each, in order.
	RaiseAll(ctx context.Context, all []notifier.ToastRaise) []error
	// Waiting says for each user whether anything waits for him, held or not. Beside an
	// error it says no of who cannot be served, or it answers nothing at all.
	Waiting(ctx context.Context, seqs []int64) ([]bool, error)
	// Take takes over what no other instance holds, for each user in order. What this
	// instance holds already is answered again. Beside an error, too, it answers for
	// each: Taken.Err says who could not be served.
	Take(ctx context.Context, seqs []int64) ([]notifier.Taken, error)
	// Nudge tells all instances that something waits for these users which nobody
	// acknowledged here.
	Nudge(ctx context.Context, seqs []int64) error
	// Ack has nobody given these of a user any more.
	Ack(ctx context.Context, seq int64, ids []string) error
}

// shownAtOnce is how many toasts given together come one by one. Those before them
// are counted.
const shownAtOnce = 3

// toastData is the data of an event `toast`.
type toastData struct {
	ID     string `json:"id"` // of a summary: all, with commas between
	Title  string `json:"title"`
	Body   string `json:"body"`
	Link   string `json:"link"`
	Notice int64  `json:"notice,omitempty"`
	Key    string `json:"key,omitempty"`
	At     int64  `json:"at,omitempty"`
	More   int    `json:"more,omitempty"` // this is no toast, but so many
}

// appendToasts appends the events of toasts that one connection is given together,
// the oldest first: the newest each, and one for all the others behind them. What stands
// alone goes before what can be read in the inbox or the list: once counted it is lost.
func appendToasts(b []byte, id int64, toasts []toastData) []byte {
	slices.SortStableFunc(toasts, func(a, b toastData) int { return cmp.Compare(min(b.Notice, 1), min(a.Notice, 1)) })
	rest := toasts[:max(len(toasts)-shownAtOnce, 0)]
	for i := range toasts[len(rest):] {
		b = appendToast(b, id, &toasts[len(rest)+i])
	}
	if len(rest) > 0 {
		all := toastData{Link: "/inbox", More: len(rest)}
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

// clip is what of a body can be seen. A row's is as long as it was sent.
func clip(body string) string {
	if utf8.RuneCountInString(body) <= notifier.MaxToastBody {
		return body
	}
	return string([]rune(body)[:notifier.MaxToastBody-1]) + "…"
}

func appendToast(b []byte, id int64, d *toastData) []byte {
	text, _ := json.Marshal(d) // strings and numbers only; ends no line whatever they hold
	return appendEvent(b, id, "toast", string(text))
}

// readToast is what a toast shows. It is false for what cannot be shown: only Carillon
// writes them.
func readToast(t *notifier.Toast) (toastData, bool) {
	var d struct {
		Title string `json:"title"`
		Body  string `json:"body"`
		Link  string `json:"link"`
	}
	if json.Unmarshal(t.Content, &d) != nil || d.Title == "" {
		return toastData{}, false
	}
	return toastData{ID: t.ID, Title: d.Title, Body: clip(d.Body), Link: d.Link, Notice: t.NoticeID, Key: t.Key, At: t.At}, true
}

// Acked is called when a browser said here that it has shown these toasts, and Redis
// knows it: nobody looks after them any more.
func (h *Hub) Acked(seq int64, ids []string) {
	s := h.shard(seq)
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.users[seq]; u != nil && u.tray != nil {
		u.tray.acknowledged(ids)
	}
}
