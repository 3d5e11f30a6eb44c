package notifier

import (
	"strconv"
	"strings"
	"time"
)

// The two suffixes that encode the state of a stored entry key.
const (
	UnreadSuffix = ":has_read:0"
	ReadSuffix   = ":has_read:1"
)

// Entry is a notice in one user's inbox.
type Entry struct {
	Key       string // as Notice.Key returns it, without the state suffix
	NoticeID  int64
	At        int64     // the inbox's ver at delivery; order, cursors and the New mark compare it
	ExpiresAt time.Time // zero: never
	Read      bool      // the state before this opening
	Until     time.Time // when a snoozed entry comes back; zero: it is not snoozed
	New       bool      // marked as read by this opening, or by the opening that this older page belongs to
	Content
	Group *Group `json:"-"` // nil if the notice has neither an actor nor More
}

// SplitField splits a stored field into the entry key and its state. ok is false if the
// field has no state suffix.
func SplitField(field string) (key string, read, ok bool) {
	if key, ok = strings.CutSuffix(field, UnreadSuffix); ok {
		return key, false, true
	}
	key, ok = strings.CutSuffix(field, ReadSuffix)
	return key, true, ok
}

// appPrefix is the beginning of the keys of an app; empty for the installation's own.
func appPrefix(app int64) string {
	if app == 0 {
		return ""
	}
	return "a" + strconv.FormatInt(app, 10) + "/"
}

// KeyType returns the type of an entry from its key; ok is false for a text that is not a key.
func KeyType(key string) (typ string, ok bool) {
	typ, _, ok = strings.Cut(key, ":")
	if _, rest, found := strings.Cut(typ, "/"); found { // a type has no slash
		typ = rest
	}
	return typ, ok
}

// Badge is the number on the bell, always absolute. Ver is the version of Inbox, AVer is the
// version of Announcements; a receiver keeps the newer of each half. SetInbox and SetAnnouncements
// keep Unread correct.
type Badge struct {
	Unread        int64 `json:"unread"` // Inbox + Announcements
	Inbox         int64 `json:"inbox"`
	Announcements int64 `json:"announcements"`
	Ver           int64 `json:"ver"`
	AVer          int64 `json:"aver"`
}

// SetInbox sets the inbox half.
func (b *Badge) SetInbox(n, ver int64) {
	b.Inbox, b.Ver = n, ver
	b.Unread = b.Inbox + b.Announcements
}

// SetAnnouncements sets the announcements half.
func (b *Badge) SetAnnouncements(n, aver int64) {
	b.Announcements, b.AVer = n, aver
	b.Unread = b.Inbox + b.Announcements
}
