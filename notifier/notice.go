package notifier

import (
	"encoding/json"
	"strconv"
	"time"
)

// Draft is what a sender hands in: a notice that is not accepted yet.
type Draft struct {
	Target    Target
	Type      string // [a-z0-9][a-z0-9_.-]{0,62}
	Scope     string // [A-Za-z0-9_.-]{0,64}
	Subject   string // up to 200 printable ASCII bytes without spaces; may be empty
	Title     string // 1 to 200 characters, one line
	Body      string // up to 4,000 characters, LF allowed
	Link      string // relative path, or https to an allowed host; may be empty
	ExpiresIn time.Duration
	Toast     bool
	Sender    string // user name, or the name of a command or key
	Window           // of an announcement; else empty
}

// Target says who gets a notice. Exactly one of its fields is set.
type Target struct {
	Users     []string   `json:"users,omitempty"` // user names
	Role      string     `json:"role,omitempty"`
	Topic     Topic      `json:"topic,omitzero"`
	Audiences []Audience `json:"audiences,omitempty"`
}

// State is how far an accepted notice has come.
type State string

// The states in the order of a notice's life. Accepted and Sending are
// unfinished: any instance resumes them. So is Retracting.
const (
	StateAccepted   State = "accepted"
	StateSending    State = "sending"
	StateSent       State = "sent"
	StateRetracting State = "retracting"
	StateRetracted  State = "retracted"
)

// Notice is an accepted draft. Once it has an id it is never lost.
type Notice struct {
	Draft
	ID         int64
	State      State
	CreatedAt  time.Time
	ExpiresAt  time.Time // never zero: a notice is kept for `--keep` at most
	Recipients int64     // 0 until it is routed
	Routed     bool
	Done       int64 // every recipient with seq ≤ Done has been served in the present state
	Revision   int64
	Reasons    []Why // of a notice to a topic; none: Target.Reason
}

// Content is what a notice shows in an inbox: the JSON of a stored entry and,
// with key and id before it, of the event `notice`.
type Content struct {
	Revision  int64     `json:"rev,omitempty"` // first: a script that edits a row reads it
	Type      string    `json:"type"`
	Scope     string    `json:"scope,omitempty"`
	Title     string    `json:"title"`
	Body      string    `json:"body"`
	Link      string    `json:"link"`
	CreatedAt time.Time `json:"created_at"`
	Reason    string    `json:"reason"`
}

// Content returns what the notice shows to its recipients.
func (n *Notice) Content() Content {
	return Content{
		Revision: n.Revision, Type: n.Type, Scope: n.Scope, Title: n.Title, Body: n.Body, Link: n.Link,
		CreatedAt: n.CreatedAt.UTC().Truncate(time.Millisecond), Reason: n.Target.Reason(),
	}
}

// Key is the entry key: TYPE:SUBJECT, or TYPE:notice_id:N without a subject.
func (n *Notice) Key() string {
	if n.Subject == "" {
		return n.Type + ":notice_id:" + strconv.FormatInt(n.ID, 10)
	}
	return n.Type + ":" + n.Subject
}

// EncodeContent renders c as one line of JSON that holds no CR, LF or line
// separator, whatever its fields hold, and so can stand in an event as it is.
// Its time is RFC 3339 in UTC with milliseconds, all three digits of them.
func EncodeContent(c Content) ([]byte, error) {
	type fields Content
	return json.Marshal(struct {
		fields
		CreatedAt string `json:"created_at"`
		Reason    string `json:"reason"` // again, to stay last
	}{fields(c), c.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z07:00"), c.Reason})
}
