package notifier

import (
	"fmt"
	"time"
)

// Query says which part of an inbox to look at. Looking opens nothing.
type Query struct {
	Before int64 // only entries with a lower At; 0: from the newest
	Opened int64 // entries that came later keep their New mark on an older page; 0: none
	Unread bool  // only unread entries
	Limit  int   // how many entries at most; 0: a page of 30
}

// Page is one page of an inbox, newest first.
type Page struct {
	Entries []Entry
	Unread  int64 // the inbox's half of the badge, after this opening
	Ver     int64 // the inbox's version, after this opening
	Turned  int64 // how many entries this opening turned to read, on all pages
	Opened  int64 // when the inbox was opened before this page: pass it on as Query.Opened
	Older   int64 // Query.Before of the next page; 0: this is the last
}

// MaxAt is more than any At will be, and a whole number to whoever counts in doubles.
const MaxAt = 1<<53 - 1

// PollQuery says what an application wants to know of an inbox. Polling reads
// nothing as read and opens nothing.
type PollQuery struct {
	Since int64  // only entries with a higher At; MaxAt at most, and what is higher is as that
	Scope string // only entries of this scope; empty: of any
	After int64  // of an earlier page: only entries with a lower At; 0: from the newest
	Limit int    // how many entries at most; 0: 50
}

// Poll is what a poll answers, newest first.
type Poll struct {
	Entries []Entry
	Unread  int64 // the inbox's half of the badge
	Ver     int64 // the inbox's version
	Newest  int64 // the highest At of the inbox, or Since when there is none above it: what to ask with next time
	Next    int64 // PollQuery.After of the next page; 0: this is the last
}

// Progress is how far a notice has come.
type Progress struct {
	Notice
	Delivered int64 // recipients whose inbox got it
	Read      int64 // recipients who have read it
	Counted   bool  // false: the two numbers are not known, as while Redis is away

	ReadUnknown bool // Read is not known, because the notice left the one inbox it went to

	Shares []Share // of an announcement: how far it has come in each of its audiences
}

// Share is how far an announcement has come in one audience. Of one that is not
// open yet, Members is how many there would be now.
type Share struct {
	Audience Audience
	Members  int64 // how many see it
	Reads    int64 // how many of them have read it
	Counted  bool  // false: Reads is not known, as while Redis is away
}

// Tally is how many got a notice, and how many have read it.
type Tally struct {
	Delivered, Read int64
	ReadUnknown     bool // as Progress.ReadUnknown
}

// Single is a notice with one recipient, whose inbox knows what became of it.
type Single struct {
	NoticeID int64
	Seq      int64  // of the recipient
	Key      string // of the entry
}

// Signed is who sends a request, as the session says.
type Signed struct {
	User  User
	ID    string // of the session: a hash, never the cookie's value
	Since time.Time
}

// UserQuery says which users to list, and in which order: by name unless it
// says otherwise. Case plays no part in it.
type UserQuery struct {
	Prefix     string // only names that begin so; empty: all
	Contains   string // only names that hold this; empty: all
	Role       string // only members of this role; empty: all
	Descending bool   // by name, from the last to the first
	After      string // only names that come later in that order; empty: all
	ByNewest   bool   // the latest user first, whatever Descending says; After is not looked at
	Before     int64  // with ByNewest, only users with a lower seq; 0: all
	Limit      int    // how many users at most; 0: a page of 50
}

// NoticeQuery says which notices to list: newest first, by id, unless it says
// otherwise.
type NoticeQuery struct {
	Contains string // only those with this in the title or the sender's name, whatever the case; empty: all
	Oldest   bool   // oldest first
	Before   int64  // only those with a lower id; 0: all
	After    int64  // only those with a higher id
	Limit    int    // how many at most; 0: a page of 50
}

// RoleInfo is a role and how many users it has.
type RoleInfo struct {
	Name    string
	Members int64
}

// RoleQuery says which roles to list: by name.
type RoleQuery struct {
	Contains string // only names that hold this, whatever the case; empty: all
	After    string // only names that come later; empty: all
	Limit    int    // how many at most; 0: a page of 50
}

// TooManyError is an ErrTooMany that knows when to try again.
type TooManyError struct{ RetryAfter time.Duration }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("%v: try again in %v", ErrTooMany, e.RetryAfter)
}

// Is makes errors.Is(err, ErrTooMany) true.
func (e *TooManyError) Is(target error) bool { return target == ErrTooMany }
