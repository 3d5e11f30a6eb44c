package notifier

import (
	"encoding/json"
	"strconv"
	"time"
)

// Draft is a notice as its sender submits it, before it is accepted.
type Draft struct {
	Target    Target
	Type      string // [a-z0-9][a-z0-9_.-]{0,62}
	Scope     string // [A-Za-z0-9_.-]{0,64}
	Subject   string // up to 200 printable ASCII bytes without spaces; may be empty
	Title     string // 1 to 200 characters, one line
	Body      string // up to 4,000 characters, LF allowed
	Link      string // relative path, or https to an allowed host; may be empty
	Extras    Extras `json:",omitzero"`
	ExpiresIn time.Duration
	SendAt    time.Time `json:",omitzero"` // when to send it; zero: immediately. Recipients are resolved, and the expiry counts, from then
	Toast     bool
	Sender    Ref
	App       SendingApp `json:",omitzero"` // the app that sends it; zero: the installation itself
	Window               // of an announcement; otherwise empty
}

// State is the stage of an accepted notice.
type State string

// The states, in order. A scheduled notice has no recipients yet, and becomes accepted, or
// retracted if it is cancelled. Accepted, Sending and Retracting are unfinished: any instance
// resumes them.
const (
	StateScheduled  State = "scheduled"
	StateAccepted   State = "accepted"
	StateSending    State = "sending"
	StateSent       State = "sent"
	StateRetracting State = "retracting"
	StateRetracted  State = "retracted"
)

// TakenBack reports whether a notice is being removed from inboxes, or has been removed.
func (s State) TakenBack() bool { return s == StateRetracting || s == StateRetracted }

// Notice is an accepted draft. Once it has an id, it is never lost.
type Notice struct {
	Draft
	ID         int64
	State      State
	CreatedAt  time.Time
	ReleasedAt time.Time // when it was sent, if it was scheduled
	ExpiresAt  time.Time // never zero: a notice is kept for at most `--keep`
	Recipients int64     // 0 before routing
	Routed     bool
	Done       int64 // every recipient with seq ≤ Done has been processed in the current state
	Revision   int64
	Order      int64 // its position in the order of notices, if it was scheduled: after the notice with this id, which was the highest when it was sent; 0: its own id
	Reasons    []Why // only for a notice to a topic; empty: Target.Reason applies
}

// SentAt returns when the notice was sent, or is to be sent.
func (n *Notice) SentAt() time.Time {
	switch {
	case !n.ReleasedAt.IsZero():
		return n.ReleasedAt
	case n.State == StateScheduled:
		return n.SendAt
	}
	return n.CreatedAt
}

// Content is the part of a notice that an inbox shows: the JSON of a stored entry and,
// preceded by key and id, the event `notice`.
type Content struct {
	Revision  int64     `json:"rev,omitempty"` // first, because the script that edits a row reads it
	Type      string    `json:"type"`
	Scope     string    `json:"scope,omitempty"`
	Title     string    `json:"title"`
	Body      string    `json:"body"`
	Link      string    `json:"link"`
	CreatedAt time.Time `json:"created_at"`
	Reason    string    `json:"reason"`
	App       string    `json:"app,omitempty"` // name of the app that sent it
	Extras
}

// Content returns the content of the notice, with the reason of its target.
func (n *Notice) Content() Content {
	c := Content{
		Revision: n.Revision, Type: n.Type, Scope: n.Scope, Title: n.Title, Body: n.Body, Link: n.Link,
		CreatedAt: n.SentAt().UTC().Truncate(time.Millisecond), Reason: n.Target.Reason(), App: n.App.Name, Extras: n.Extras,
	}
	if n.Extras.Ask != nil {
		asked := *n.Extras.Ask
		asked.ID, c.Ask = n.ID, &asked
	}
	return c
}

// Key returns the entry key: TYPE:SUBJECT, or TYPE:notice_id:N without a subject. The key of an app's notice begins with
// a7/, where 7 is the app's number, so that apps do not replace each other's rows.
func (n *Notice) Key() string {
	subject := n.Subject
	if subject == "" {
		subject = reservedSubject + strconv.FormatInt(n.ID, 10)
	}
	return appPrefix(n.App.ID) + n.Type + ":" + subject
}

// EncodeContent encodes c as one line of JSON. Whatever its fields contain, the result has
// no CR, LF or line separator, so it can be used in an event unchanged. The time is RFC 3339
// in UTC with exactly three digits of milliseconds.
func EncodeContent(c Content) ([]byte, error) {
	type fields Content
	return json.Marshal(struct {
		fields
		CreatedAt string `json:"created_at"`
		Reason    string `json:"reason"` // redeclared to keep it last
	}{fields(c), c.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z07:00"), c.Reason})
}
