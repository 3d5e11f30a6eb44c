package notifier

import (
	"encoding/json"
	"io"
	"iter"
	"time"
)

// Export is everything that is kept of a person. The lists that may be long are read
// while they are walked through, once; an error in one ends it.
type Export struct {
	User          User
	CreatedAt     time.Time // of the account
	Muted         []string  // types of notices
	Subscriptions []Topic   // of his own, not of his roles
	Sessions      []ExportedSession
	Inbox         ExportedInbox
	Announcements []ExportedRead  // that he has read
	Toasts        []ExportedToast // that wait to pop up; nil: Redis did not say
	Sent          iter.Seq2[Notice, error]
	Log           iter.Seq2[AuditEntry, error] // what he did, and what was done to him
}

// ExportedSession is a session of a person.
type ExportedSession struct {
	CreatedAt time.Time `json:"created_at"`
	SeenAt    time.Time `json:"seen_at"`
}

// ExportedInbox is an inbox as it was last written behind.
type ExportedInbox struct {
	Unread   int64           `json:"unread"`
	OpenedAt time.Time       `json:"opened_at,omitzero"`
	Entries  []ExportedEntry `json:"entries"` // newest first
	Damaged  bool            `json:"damaged,omitempty"`
}

// ExportedEntry is a row of an inbox.
type ExportedEntry struct {
	Key      string `json:"key"`
	Read     bool   `json:"read"`
	ID       int64  `json:"id"`
	*Content        // nil: the notice was deleted
}

// ExportedRead is an announcement that a person has read.
type ExportedRead struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

// ExportedToast is a message that waits to pop up.
type ExportedToast struct {
	NoticeID int64     `json:"notice,omitempty"` // none: it is kept nowhere else
	RaisedAt time.Time `json:"raised_at"`
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	Link     string    `json:"link"`
}

// exportedNotice is a notice as its sender gave it.
type exportedNotice struct {
	ID        int64     `json:"id"`
	Target    Target    `json:"target"`
	Type      string    `json:"type"`
	Scope     string    `json:"scope,omitempty"`
	Subject   string    `json:"subject,omitempty"`
	Title     string    `json:"title"`
	Body      string    `json:"body"`
	Link      string    `json:"link"`
	State     State     `json:"state"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

type exportedAction struct {
	At      time.Time `json:"at"`
	Actor   string    `json:"actor"`
	Action  string    `json:"action"`
	Object  string    `json:"object,omitempty"`
	Detail  string    `json:"detail,omitempty"`
	Address string    `json:"address,omitempty"`
}

// Encode writes an export as one JSON object, a line for each of its parts and for
// each item of the long ones. What was written before an error is no JSON.
func (e *Export) Encode(to io.Writer) error {
	w := exportWriter{to: to}
	w.field("{", "user", map[string]any{
		"name": e.User.Name, "number": e.User.Seq, "audience": e.User.Audience, "roles": orNone(e.User.Roles), "created_at": e.CreatedAt,
	})
	w.field(",", "settings", map[string]any{
		"locale": e.User.Locale, "theme": e.User.Theme, "keys": !e.User.KeysOff, "toasts": !e.User.ToastsOff,
	})
	w.field(",", "muted", orNone(e.Muted))
	w.field(",", "subscriptions", orNone(e.Subscriptions))
	w.field(",", "sessions", orNone(e.Sessions))
	e.Inbox.Entries = orNone(e.Inbox.Entries)
	w.field(",", "inbox", e.Inbox)
	w.field(",", "announcements_read", orNone(e.Announcements))
	w.field(",", "toasts", e.Toasts)
	writeList(&w, "sent", e.Sent, func(n *Notice) any {
		return exportedNotice{
			n.ID, n.Target, n.Type, n.Scope, n.Subject, n.Title, n.Body, n.Link, n.State, n.CreatedAt, n.ExpiresAt,
		}
	})
	writeList(&w, "log", e.Log, func(a *AuditEntry) any {
		return exportedAction{a.At, a.Actor, a.Action, a.Object, a.Detail, a.Address}
	})
	w.text("}\n")
	return w.err
}

// orNone makes nil the empty list that it stands for.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// exportWriter keeps the first error and writes nothing after it.
type exportWriter struct {
	to  io.Writer
	err error
}

func (w *exportWriter) text(s string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.to, s)
	}
}

func (w *exportWriter) value(v any) {
	if w.err != nil {
		return
	}
	var b []byte
	if b, w.err = json.Marshal(v); w.err == nil {
		_, w.err = w.to.Write(b)
	}
}

func (w *exportWriter) field(before, name string, v any) {
	w.text(before + `"` + name + `":`)
	w.value(v)
	w.text("\n")
}

func writeList[T any](w *exportWriter, name string, list iter.Seq2[T, error], show func(*T) any) {
	w.text(`,"` + name + `":[`)
	before := "\n"
	for item, err := range list {
		if w.err == nil {
			w.err = err
		}
		if w.err != nil {
			return
		}
		w.text(before)
		w.value(show(&item))
		before = ",\n"
	}
	w.text("]\n")
}
