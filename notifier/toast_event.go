package notifier

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// shownAtOnce is how many toasts sent together are shown one by one. The older ones are only counted.
const shownAtOnce = 3

// ToastEvent is the data of a `toast` event in a stream.
type ToastEvent struct {
	ID      string     `json:"id"` // begins with the ms at which it was raised; of a summary: all ids, separated by commas
	Title   string     `json:"title"`
	Body    string     `json:"body"`
	Link    string     `json:"link"`
	Type    string     `json:"type,omitempty"`
	Look    *Look      `json:"look,omitempty"`   // of the type; nil: the content names no type
	Actors  []RowActor `json:"actors,omitempty"` // the latest of its row
	Face    *Look      `json:"face,omitempty"`   // of that actor, without a picture
	Actions []Action   `json:"actions,omitempty"`
	App     *RowApp    `json:"app,omitempty"` // nil: no app sent it
	Notice  int64      `json:"notice,omitempty"`
	Key     string     `json:"key,omitempty"`
	At      int64      `json:"at,omitempty"`
	More    int        `json:"more,omitempty"` // set for a summary: how many toasts it represents
}

// ToastShows completes what the content of a toast only names.
type ToastShows struct {
	App      func(name string) RowApp
	Look     func(typ string) Look
	Somebody string // the name of deleted actors
}

// NewToastEvent reads the content of a toast, which the lines of its row's group may follow. It returns false for content
// that cannot be shown, which Carillon never writes.
func NewToastEvent(t *Toast, of ToastShows) (ToastEvent, bool) {
	var row Entry
	dec := json.NewDecoder(bytes.NewReader(t.Content))
	if dec.Decode(&row.Content) != nil || row.Title == "" {
		return ToastEvent{}, false
	}
	e := ToastEvent{ID: t.ID, Body: Shorten(row.Body, MaxToastBody), Link: row.Link, Type: row.Type, Actions: row.Actions, Notice: t.NoticeID, Key: t.Key, At: t.At}
	if lines, grouped := strings.CutPrefix(string(t.Content[dec.InputOffset():]), "\n"); grouped {
		var err error
		if row.Group, err = ParseGroup(lines); err != nil {
			return ToastEvent{}, false
		}
		row.Show()
		row.NameSomebody(of.Somebody)
	}
	e.Title = row.Title
	if row.Actor != nil {
		face := row.Actor.Look()
		e.Actors, e.Face = []RowActor{row.Actor.named(of.Somebody)}, &face
	}
	if row.Type != "" {
		look := of.Look(row.Type)
		e.Look = &look
	}
	if row.App != "" {
		app := of.App(row.App)
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
