package notifier

import (
	"strings"
	"time"
)

// Snapshot is one user's inbox as stored in SQL. It has no bodies: they are stored in the notices.
type Snapshot struct {
	Seq      int64
	Ver      int64 // 0: SQL has never stored this user's inbox
	Unread   int64
	Opened   int64
	Rows     []SnapshotRow // newest first
	Gone     []GoneNotice
	Floor    int64         // the highest notice id dropped from Gone because it was full; 0: none
	Archived []ArchivedRow // by key; snoozed entries are among them
	Kept     []int64       // notices that the user marked as unread or archived unread, in that order; some may have since left the inbox or been read

	Damaged bool // the stored snapshot cannot be decoded: the inbox exists, but its contents are unknown
}

// SnapshotRow is an inbox entry in a snapshot.
type SnapshotRow struct {
	Field    string // key with state suffix, as in the list
	NoticeID int64
	At       int64  // the inbox's ver at delivery
	Expires  int64  // ms; 0: never
	Members  string // the word of Members if it stands for several notices, or empty
}

// ArchivedRow is an archived entry in a snapshot.
type ArchivedRow struct {
	Key        string
	NoticeID   int64
	At         int64  // as in SnapshotRow
	Expires    int64  // as in SnapshotRow
	ArchivedAt int64  // ms; of a snoozed entry: when it is due to come back
	Snoozed    bool   // it comes back by itself
	Members    string // as in SnapshotRow
}

// SnoozedWord begins the word of a snoozed entry. Instances of an older version keep words that they cannot parse.
const SnoozedWord = "z"

// Word returns what is stored with the numbers of the entry: whether it is snoozed, and the word of its members.
func (r *ArchivedRow) Word() string {
	if r.Snoozed {
		return SnoozedWord + r.Members
	}
	return r.Members
}

// SetWord parses a Word.
func (r *ArchivedRow) SetWord(word string) {
	r.Members, r.Snoozed = strings.CutPrefix(word, SnoozedWord)
}

// ArchivedFor is how long an archived entry stays in the archive.
const ArchivedFor = 30 * 24 * time.Hour

// Due returns when a snoozed entry comes back; zero: it is not snoozed.
func (r *ArchivedRow) Due() time.Time {
	if !r.Snoozed {
		return time.Time{}
	}
	return time.UnixMilli(r.ArchivedAt).UTC()
}

// Visible reports whether the entry is in the archive, or snoozed, at this time in ms.
func (r *ArchivedRow) Visible(now int64) bool {
	return r.ArchivedAt > now-ArchivedFor.Milliseconds() && (r.Expires == 0 || r.Expires > now)
}

// Wakes returns when the first snoozed entry is due to come back, in ms; 0: there is none.
func (s *Snapshot) Wakes() (first int64) {
	for i := range s.Archived {
		if r := &s.Archived[i]; r.Snoozed && (first == 0 || r.ArchivedAt < first) {
			first = r.ArchivedAt
		}
	}
	return first
}

// Wake is a user with a snoozed entry, and when the first one is due to come back, in ms.
type Wake struct{ Seq, At int64 }

// Dirty is a dirty mark: a user whose state is not yet in SQL, and the version of the inbox when
// the mark was set.
type Dirty struct{ Seq, Ver int64 }

// NoticeCount counts deliveries and reads of a notice with more than one recipient, in one
// partition.
type NoticeCount struct {
	NoticeID  int64
	Partition int
	Delivered int64
	Read      int64
}
