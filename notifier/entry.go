package notifier

import (
	"strings"
	"time"
)

// The two states that an entry key carries where it is stored.
const (
	UnreadSuffix = ":has_read:0"
	ReadSuffix   = ":has_read:1"
)

// Entry is a notice in one user's inbox.
type Entry struct {
	Key       string // TYPE:SUBJECT, without the state
	NoticeID  int64
	At        int64     // the inbox's ver at delivery: order, cursors and the New mark
	ExpiresAt time.Time // zero: never
	Read      bool      // before this opening
	New       bool      // this opening, or the one this older page belongs to, turned it to read
	Content
}

// SplitField cuts a stored field into its entry key and state. It is false for
// a field that carries neither state.
func SplitField(field string) (key string, read, ok bool) {
	if key, ok = strings.CutSuffix(field, UnreadSuffix); ok {
		return key, false, true
	}
	key, ok = strings.CutSuffix(field, ReadSuffix)
	return key, true, ok
}

// Badge is the number on the bell, always absolute. Ver versions Inbox, AVer
// versions Announcements; a receiver takes whichever half is newer.
type Badge struct {
	Unread        int64 `json:"unread"` // Inbox + Announcements
	Inbox         int64 `json:"inbox"`
	Announcements int64 `json:"announcements"`
	Ver           int64 `json:"ver"`
	AVer          int64 `json:"aver"`
}
