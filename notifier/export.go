package notifier

import (
	"encoding/json"
	"io"
	"iter"
	"net/url"
	"time"
)

// Export contains all data stored about a user. The potentially long lists are read during iteration and can be
// iterated only once; an error in one ends it.
type Export struct {
	User          User
	CreatedAt     time.Time // of the account
	Muted         []string  // notice types
	Subscriptions []Topic   // the user's own, without their roles' subscriptions
	Sessions      []ExportedSession
	Inbox         ExportedInbox
	Announcements []ExportedRead // announcements that the user has read
	Answers       []ExportedAnswer
	Toasts        []ExportedToast // toasts not yet shown; nil: Redis was unavailable
	Drafts        []ExportedDraft // forms begun and not yet sent
	Preferences   Preferences     // with the types that the user has set
	Targets       []ReachTarget   // where the user is notified
	Sent          iter.Seq2[Notice, error]
	Acted         iter.Seq2[Notice, error]     // notices whose actor is the user
	Events        iter.Seq2[HookEvent, error]  // events of webhooks that name the user
	Log           iter.Seq2[AuditEntry, error] // actions by the user and actions on the user
}

// ExportedAnswer is an answer of the user to a question.
type ExportedAnswer struct {
	ID      int64     `json:"id"` // of the question
	Title   string    `json:"title"`
	Choice  ChoiceID  `json:"choice"`
	Comment string    `json:"comment"`
	At      time.Time `json:"at"`
}

// ExportedSession is a session of the user.
type ExportedSession struct {
	Agent     string    `json:"agent,omitempty"` // the browser, as it identifies itself; see ReadAgent
	CreatedAt time.Time `json:"created_at"`
	SeenAt    time.Time `json:"seen_at"`
}

// ExportedInbox is the inbox as last written to SQL.
type ExportedInbox struct {
	Unread   int64           `json:"unread"`
	OpenedAt time.Time       `json:"opened_at,omitzero"`
	Entries  []ExportedEntry `json:"entries"` // newest first
	Archived []ExportedEntry `json:"archived,omitempty"`
	Later    []ExportedEntry `json:"later,omitempty"` // snoozed
	Damaged  bool            `json:"damaged,omitempty"`
}

// ExportedEntry is an inbox entry.
type ExportedEntry struct {
	Key      string    `json:"key"`
	Read     bool      `json:"read"`
	ID       int64     `json:"id"`
	Until    time.Time `json:"until,omitzero"` // when a snoozed entry comes back
	*Content           // nil: the notice was deleted
}

// ExportedRead is an announcement that the user has read.
type ExportedRead struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

// ExportedDraft is a form begun and not yet sent, or a template last saved by the user.
type ExportedDraft struct {
	Template  string     `json:"template,omitempty"` // its name; absent: it is a draft
	Form      url.Values `json:"form"`
	ChangedAt time.Time  `json:"changed_at"`
}

// ExportedToast is a toast that has not been shown yet.
type ExportedToast struct {
	NoticeID int64     `json:"notice,omitempty"` // absent: the toast is stored nowhere else
	RaisedAt time.Time `json:"raised_at"`
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	Link     string    `json:"link"`
}

// exportedTarget is a mail address or a browser at which the user is notified.
type exportedTarget struct {
	Kind      ReachKind  `json:"kind"`
	Address   string     `json:"address"`
	Label     string     `json:"label,omitempty"`
	State     ReachState `json:"state"`
	CreatedAt time.Time  `json:"created_at"`
	SeenAt    time.Time  `json:"seen_at"`
}

// exportedNotice is a notice as submitted by its sender.
type exportedNotice struct {
	ID      int64  `json:"id"`
	Target  Target `json:"target"`
	Type    string `json:"type"`
	Scope   string `json:"scope,omitempty"`
	Subject string `json:"subject,omitempty"`
	Title   string `json:"title"`
	Body    string `json:"body"`
	Link    string `json:"link"`
	Extras
	State     State     `json:"state"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// exportedAct is a notice to others about what the user did.
type exportedAct struct {
	ID        int64     `json:"id"`
	Type      string    `json:"type"`
	Title     string    `json:"title"`
	Body      string    `json:"body"`
	Link      string    `json:"link"`
	Actor     *RowActor `json:"actor"`
	CreatedAt time.Time `json:"created_at"`
}

// exportedEvent is an event of a webhook that names the user.
type exportedEvent struct {
	At    time.Time       `json:"at"`
	State HookEventState  `json:"state"`
	Event json.RawMessage `json:"event"`
}

type exportedAction struct {
	At         time.Time `json:"at"`
	Actor      string    `json:"actor"`
	ActorKind  Kind      `json:"actor_kind"`
	ActorID    string    `json:"actor_id"`
	Action     string    `json:"action"`
	Object     string    `json:"object,omitempty"`
	ObjectKind Kind      `json:"object_kind,omitempty"`
	ObjectID   string    `json:"object_id,omitempty"`
	Detail     string    `json:"detail,omitempty"`
	Address    string    `json:"address,omitempty"`
}

// Encode writes the export as one JSON object, with a line for each part and for each
// item of the long lists. After an error the output is not valid JSON.
func (e *Export) Encode(to io.Writer) error {
	w := exportWriter{to: to}
	w.field("{", "user", map[string]any{
		"name": e.User.Name, "display": e.User.Display, "number": e.User.Seq, "audience": e.User.Audience, "roles": orNone(e.User.Roles), "created_at": e.CreatedAt,
	})
	w.field(",", "settings", map[string]any{
		"locale": e.User.Locale, "theme": e.User.Theme, "keys": !e.User.KeysOff, "toasts": !e.User.ToastsOff, "opening_reads": !e.User.OpensOnly, "compact": e.User.Compact,
	})
	w.field(",", "muted", orNone(e.Muted))
	w.field(",", "subscriptions", orNone(e.Subscriptions))
	w.field(",", "sessions", orNone(e.Sessions))
	e.Inbox.Entries = orNone(e.Inbox.Entries)
	w.field(",", "inbox", e.Inbox)
	w.field(",", "announcements_read", orNone(e.Announcements))
	w.field(",", "answers", orNone(e.Answers))
	w.field(",", "toasts", e.Toasts)
	w.field(",", "drafts", orNone(e.Drafts))
	preferences := e.Preferences.export()
	preferences["zone_seen"] = e.User.Zones.Seen
	w.field(",", "preferences", preferences)
	targets := make([]exportedTarget, len(e.Targets))
	for i, t := range e.Targets {
		targets[i] = exportedTarget{t.Kind, t.Address, t.Label, t.State, t.CreatedAt, t.SeenAt}
	}
	w.field(",", "targets", targets)
	writeList(&w, "sent", e.Sent, func(n *Notice) any {
		return exportedNotice{
			n.ID, n.Target, n.Type, n.Scope, n.Subject, n.Title, n.Body, n.Link, n.Extras, n.State, n.CreatedAt, n.ExpiresAt,
		}
	})
	writeList(&w, "acted", e.Acted, func(n *Notice) any {
		return exportedAct{n.ID, n.Type, n.Title, n.Body, n.Link, n.Extras.Actor, n.CreatedAt}
	})
	writeList(&w, "events", e.Events, func(n *HookEvent) any { return exportedEvent{n.CreatedAt, n.State, n.Body} })
	writeList(&w, "log", e.Log, func(a *AuditEntry) any {
		return exportedAction{
			a.At, a.Actor.String(), a.Actor.Kind, a.Actor.ID, a.Action,
			a.Object.String(), a.Object.Kind, a.Object.ID, a.Detail, a.Address,
		}
	})
	w.text("}\n")
	return w.err
}

// orNone replaces nil with an empty list, which is encoded as [].
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
