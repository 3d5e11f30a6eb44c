package notifier

import (
	"cmp"
	"encoding/json"
	"slices"
)

// shownAtOnce is how many toasts sent together are shown one by one. The older ones are only counted.
const shownAtOnce = 3

// ToastEvent is the data of a `toast` event in a stream. Its JSON contains strings, numbers and the app.
type ToastEvent struct {
	ID     string  `json:"id"` // of a summary: all ids, separated by commas
	Title  string  `json:"title"`
	Body   string  `json:"body"`
	Link   string  `json:"link"`
	App    *RowApp `json:"app,omitempty"` // nil: no app sent it
	Notice int64   `json:"notice,omitempty"`
	Key    string  `json:"key,omitempty"`
	At     int64   `json:"at,omitempty"`
	More   int     `json:"more,omitempty"` // set for a summary: how many toasts it represents
}

// NewToastEvent reads the content of a toast. shown returns an app by its name. It returns false for content that cannot be
// shown, which Carillon never writes.
func NewToastEvent(t *Toast, shown func(name string) RowApp) (ToastEvent, bool) {
	var d struct {
		Title string `json:"title"`
		Body  string `json:"body"`
		Link  string `json:"link"`
		App   string `json:"app"`
	}
	if json.Unmarshal(t.Content, &d) != nil || d.Title == "" {
		return ToastEvent{}, false
	}
	e := ToastEvent{ID: t.ID, Title: d.Title, Body: Shorten(d.Body, MaxToastBody), Link: d.Link, Notice: t.NoticeID, Key: t.Key, At: t.At}
	if d.App != "" {
		app := shown(d.App)
		e.App = &app
	}
	return e, true
}

// ToastsTogether returns the events of the toasts that are sent to one connection together, oldest first: one event
// for each of the newest, and a summary of the others at the end. Toasts without a notice come last in the order, so
// that they are shown rather than counted: the others can still be read in the inbox or the list. path is prepended
// to the addresses of our own pages. The toasts are modified.
func ToastsTogether(toasts []ToastEvent, path string) []ToastEvent {
	for i := range toasts {
		if toasts[i].Notice > 0 && toasts[i].Key == "" { // an announcement, which has a page here
			toasts[i].Link = path + toasts[i].Link
		}
	}
	slices.SortStableFunc(toasts, func(a, b ToastEvent) int { return cmp.Compare(min(b.Notice, 1), min(a.Notice, 1)) })
	rest := toasts[:max(len(toasts)-shownAtOnce, 0)]
	if len(rest) == 0 {
		return toasts
	}
	all := ToastEvent{Link: path + "/inbox", More: len(rest)}
	for i := range rest {
		if i > 0 {
			all.ID += ","
		}
		all.ID += rest[i].ID
	}
	return append(toasts[len(rest):], all)
}
