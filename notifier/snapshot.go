package notifier

import "time"

// Snapshot is one user's inbox as stored in SQL. It has no bodies: they are stored in the notices.
type Snapshot struct {
	Seq      int64
	Ver      int64 // 0: SQL has never stored this user's inbox
	Unread   int64
	Opened   int64
	Rows     []SnapshotRow // newest first
	Gone     []GoneNotice
	Floor    int64         // the highest notice id dropped from Gone because it was full; 0: none
	Archived []ArchivedRow // by key
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
	ArchivedAt int64  // ms
	Members    string // as in SnapshotRow
}

// ArchivedFor is how long an archived entry stays in the archive.
const ArchivedFor = 30 * 24 * time.Hour

// Visible reports whether the entry is in the archive at this time in ms.
func (r *ArchivedRow) Visible(now int64) bool {
	return r.ArchivedAt > now-ArchivedFor.Milliseconds() && (r.Expires == 0 || r.Expires > now)
}

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
