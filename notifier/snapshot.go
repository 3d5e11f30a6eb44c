package notifier

// Snapshot is one user's inbox as SQL keeps it, without the bodies: those are in
// the notices.
type Snapshot struct {
	Seq    int64
	Ver    int64 // 0: SQL has never seen an inbox of this user
	Unread int64
	Opened int64
	Rows   []SnapshotRow // newest first
	Gone   []GoneNotice
	Floor  int64 // the highest notice that Gone had no room for; 0: none

	Damaged bool // what SQL has cannot be read: an inbox is there, and nobody knows what is in it
}

// SnapshotRow is an entry of a snapshot.
type SnapshotRow struct {
	Field    string // key and state, as in the list
	NoticeID int64
	At       int64 // the inbox's ver at delivery
	Expires  int64 // ms; 0: never
}

// GoneNotice is a notice that left an inbox, and its place in the set of those.
type GoneNotice struct {
	NoticeID int64
	Score    float64
}

// Dirty is a user whose state SQL has not seen, and the version it had when that
// was noted.
type Dirty struct{ Seq, Ver int64 }

// NoticeCount is how far a notice with more than one recipient has come in one
// partition.
type NoticeCount struct {
	NoticeID  int64
	Partition int
	Delivered int64
	Read      int64
}
