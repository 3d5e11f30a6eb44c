package notifier

import (
	"fmt"
	"time"
)

// Query selects part of an inbox to read. Reading does not open the inbox.
type Query struct {
	Before int64 // only entries with a lower At; 0: start with the newest
	Opened int64 // entries with a higher At keep their New mark on an older page; 0: none
	Unread bool  // only unread entries
	Limit  int   // maximum number of entries; 0: a page of 30

	Archived bool // archived entries instead of those in the inbox
	Later    bool // snoozed entries instead of those in the inbox

	Filter // among the newest 200 entries
}

// PutAway reports whether the query is not about entries in the inbox itself.
func (q *Query) PutAway() bool { return q.Archived || q.Later }

// Moved lists the entries that moved to the archive or back.
type Moved struct {
	Keys   []string
	Unread []string // the unread ones among Keys
}

// Page is one page of an inbox, newest first.
type Page struct {
	Entries []Entry
	Unread  int64 // the inbox half of the badge after this opening
	Ver     int64 // the version of the inbox after this opening
	Turned  int64 // number of entries, on all pages, that this opening marked as read
	Opened  int64 // version of the previous opening: pass it on as Query.Opened
	Older   int64 // Query.Before of the next page; 0: this is the last page

	// Types contains the number of entries of each type that match the other parts of the query, the most
	// frequent first. It is set for a query with a filter and for the archive.
	Types []TypeCount
}

// MaxAt is higher than every At, and exact in a double, the number type of Lua and JavaScript.
const MaxAt = 1<<53 - 1

// PollQuery selects the entries that an application polls for. Polling neither marks
// entries as read nor opens the inbox.
type PollQuery struct {
	Since int64  // only entries with a higher At; values above MaxAt count as MaxAt
	Scope string // only entries of this scope; empty: all scopes
	After int64  // Poll.Next of the previous page: only entries with a lower At; 0: start with the newest
	Limit int    // maximum number of entries; 0: 50

	Filter
}

// Poll is the result of a poll, newest first.
type Poll struct {
	Entries []Entry
	Unread  int64 // the inbox half of the badge
	Ver     int64 // the version of the inbox
	Newest  int64 // the highest At of the inbox, but at least Since: the Since of the next poll
	Next    int64 // PollQuery.After of the next page; 0: this is the last page
}

// Progress is a notice with its delivery progress.
type Progress struct {
	Notice
	Delivered int64 // recipients whose inbox received it
	Read      int64 // recipients who have read it
	Counted   bool  // false: the two numbers are unknown, for example while Redis is unavailable

	ReadUnknown bool // Read is unknown, because the notice has left its only recipient's inbox

	Shares []Share // of an announcement: its progress in each audience
}

// Share is the progress of an announcement in one audience. Before the announcement opens,
// Members is the current size of the audience.
type Share struct {
	Audience Audience
	Members  int64 // users who see it
	Reads    int64 // the number of them who have read it
	Counted  bool  // false: Reads is unknown, for example while Redis is unavailable
}

// Tally contains how many recipients received a notice, and how many have read it.
type Tally struct {
	Delivered, Read int64
	ReadUnknown     bool // see Progress.ReadUnknown
}

// Receipt is the progress of a notice with one recipient.
type Receipt struct {
	User            UserName
	Delivered, Read bool
	Unknown         bool // it is unknown whether they have read it
}

// Single is a notice with one recipient. Its progress is read from the recipient's inbox.
type Single struct {
	NoticeID int64
	Seq      int64  // of the recipient
	Key      string // of the inbox entry
}

// SessionUser is the key of the only value in a session, a Signed.
const SessionUser = "user"

// Signed is the signed-in user of a request, and the session.
type Signed struct {
	User  User
	ID    string // of the session: a hash, never the cookie value
	Since time.Time
	Read  time.Time // when the user was read from SQL
	By    *Provided // nil: they signed in here, with a password
	Agent string    // of the browser, see CleanAgent; only set when the session begins
}

// Provided contains what an identity provider reported about a session.
type Provided struct {
	Until   time.Time // when it ends at the latest
	Staff   bool      // the user's groups make them staff during the session
	IDToken string    // used to sign the user out at the provider; only set when the session begins
}

// SessionLimits selects the valid sessions: those that began after Since, were last seen after Seen, and end
// after Now.
type SessionLimits struct{ Since, Seen, Now time.Time }

// UserQuery selects users to list, and their order; the default is by name. Case is
// ignored.
type UserQuery struct {
	Prefix     string   // only names that start with this; empty: all
	Contains   string   // only names that contain this; empty: all
	ByMail     bool     // Contains also finds mail addresses that begin with it
	Role       string   // only members of this role; empty: all
	Audience   Audience // only users in this audience; 0: all
	Unread     bool     // only users with unread entries in their inbox, as SQL has it: up to 45 s ago
	Inactive   bool     // only users who were never active: no session, no opened inbox, no page that named its zone
	Descending bool     // by name, in reverse order
	After      string   // only names after this one in that order; empty: all
	UpTo       string   // only names up to this one in that order; empty: all
	ByNewest   bool     // newest user first; Descending, After and UpTo are ignored
	Before     int64    // with ByNewest, only users with a lower seq; 0: all
	Limit      int      // maximum number of users; 0: a page of 50
}

// NoticeQuery selects notices to list, and their order; the default is by id, newest
// first.
type NoticeQuery struct {
	Contains string  // only notices with this in the title or the sender's name, ignoring case; empty: all
	Type     string  // only notices of this type; empty: all
	Sender   string  // only notices sent by the user, key, rule, outbox or command with this name; empty: all
	By       Ref     // only notices of exactly this sender; zero: all
	Senders  Senders // only notices of this kind of sender
	Target   string  // only notices to this user, role, topic or audience; empty: all
	State    string  // one of the Sent constants; empty: all
	Stage    State   // only notices in this state, where an announcement is scheduled if it was sent for later and has not opened; empty: all
	Oldest   bool    // oldest first

	Since, Until time.Time // only notices accepted in this period, excluding Until; zero: all
	Before       int64     // only notices with a lower id; 0: all
	After        int64     // only notices with a higher id
	Limit        int       // maximum number of notices; 0: a page of 50
	Names        int       // the page ends with the notice whose recipients make so many by name; 0: it does not
}

// Senders is a kind of sender by which sent notices can be listed.
type Senders string

// The kinds of sender.
const (
	SentByAll      Senders = ""
	SentByPeople   Senders = "people"
	SentByPrograms Senders = "programs" // API keys, rules, outboxes and commands
)

// TrafficQuery selects what programs have sent, newest first.
type TrafficQuery struct {
	Zone   *time.Location // in which days begin
	Before int64          // only notices with a lower id; 0: all
	Lines  int            // the page ends after the day with this line
}

// Traffic is what programs sent of one type on one day.
type Traffic struct {
	Type       string
	Day        time.Time // its beginning
	Notices    int64
	Recipients int64 // of those whose recipients are counted; a person counts once for each notice
	Partly     bool  // there was no time to count them all
}

// Reached is the notice at which a slow search stopped.
type Reached struct {
	ID int64
	At time.Time // when it was accepted
}

// The states by which sent notices can be listed. Open and closed apply to announcements; scheduled
// applies to both.
const (
	SentScheduled = "scheduled"
	SentSending   = "sending"
	SentDone      = "sent"
	SentOpen      = "open"
	SentClosed    = "closed"
	SentRetracted = "retracted"
)

// RoleInfo is a role with its number of members.
type RoleInfo struct {
	Name    string
	Members int64
}

// RoleQuery selects roles to list, by name.
type RoleQuery struct {
	Contains string // only names that contain this, ignoring case; empty: all
	After    string // only names after this one; empty: all
	Limit    int    // maximum number of roles; 0: a page of 50
}

// TooManyError is an ErrTooMany with the time after which to retry.
type TooManyError struct{ RetryAfter time.Duration }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%v: try again in %v", ErrTooMany, e.RetryAfter)
}

// Is makes errors.Is(err, ErrTooMany) true.
func (e *TooManyError) Is(target error) bool { return target == ErrTooMany }
