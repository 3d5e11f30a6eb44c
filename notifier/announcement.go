package notifier

import (
	"cmp"
	"slices"
	"time"
)

// MaxOpen is the maximum number of announcements that can be open in an audience at the same time.
const MaxOpen = 64

// TypeAnnouncement is the type of an announcement whose sender sets none.
const TypeAnnouncement = "announcement"

// SegmentBytes is the size of one stored segment of a read bitmap: the bits of
// 32,768 users.
const SegmentBytes = 4096

// Reader identifies a user to announcements: the position of their bit, and the audience whose bitmaps contain it.
type Reader struct {
	Seq      int64
	Audience Audience
}

// Window is when an announcement is shown, how, and to which members of its audiences.
type Window struct {
	StartsAt    time.Time // zero in a draft: immediately
	EndsAt      time.Time // zero in a draft: derived from ExpiresIn
	Pinned      bool      // listed before the others, and shown on every page until it is read
	LateJoiners bool      // also shown to users who join an audience after it opened there
}

// Announcement is a notice to audiences, stored once with one bit per reader. Its
// id is the id of its notice; its Revision rises with each edit.
type Announcement struct {
	Notice
	Parts     []Part    // one for each audience it was ever addressed to, by audience number
	EditedAt  time.Time // the last edit; zero: never edited
	ReadsFrom int64     // revision of the last edit that marked it as unread for all users; only reads since then count; 0: no such edit
}

// Part is an announcement in one audience.
type Part struct {
	Audience Audience
	Left     bool  // an edit removed the audience; the other fields contain the state at that time
	Settled  bool  // it has opened here, so Top and Members are final
	Top      int64 // the highest seq when it opened
	Members  int64 // the size of the audience when it opened
	Finished bool  // it has closed here, and nothing about it is left in Redis
	Reads    int64 // the number of readers when it closed
}

// ShownTo reports whether an announcement is visible to a reader while it is open. If no instance has opened it yet, it is
// visible to all current members of its audience.
func (a *Announcement) ShownTo(r Reader) bool {
	i := slices.IndexFunc(a.Parts, func(p Part) bool { return p.Audience == r.Audience })
	if i < 0 || r.Seq < 1 {
		return false
	}
	p := a.Parts[i]
	return !p.Left && !p.Finished && (!p.Settled || a.LateJoiners || r.Seq <= p.Top)
}

// Phase is the stage of an announcement's life.
type Phase string

// The phases. A retracted announcement stays retracted; the others follow from the window.
const (
	PhaseScheduled Phase = "scheduled"
	PhaseOpen      Phase = "open"
	PhaseClosed    Phase = "closed"
	PhaseRetracted Phase = "retracted"
)

// PhaseAt returns the phase of the announcement at the given time.
func (n *Notice) PhaseAt(now time.Time) Phase {
	switch {
	case n.State == StateRetracted || n.State == StateRetracting:
		return PhaseRetracted
	case now.Before(n.StartsAt):
		return PhaseScheduled
	case now.Before(n.EndsAt):
		return PhaseOpen
	default:
		return PhaseClosed
	}
}

// Announces reports whether the notice is an announcement.
func (n *Notice) Announces() bool { return len(n.Target.Audiences) > 0 }

// OpenAnnouncement is an open announcement as one reader sees it.
type OpenAnnouncement struct {
	ID        int64
	App       string // name of the app that sent it; empty: none
	Type      string
	Title     string
	Body      string // Markdown; views/markdown defines the subset that is rendered
	Link      string
	Extras    Extras
	StartsAt  time.Time
	EndsAt    time.Time
	Pinned    bool
	Read      bool
	CreatedAt time.Time
	EditedAt  time.Time // the last edit since it opened; zero: none
}

// OpenAnnouncements contains the open announcements that one reader sees: pinned ones first, then by age, newest
// first.
type OpenAnnouncements struct {
	Items  []OpenAnnouncement
	Unread int64
	Read   int64
	AVer   int64
}

// Badge returns the announcement half of the badge.
func (p OpenAnnouncements) Badge() Badge {
	return Badge{Unread: p.Unread, Announcements: p.Unread, AVer: p.AVer}
}

// SortOpenAnnouncements sorts announcements into the order in which they are shown.
func SortOpenAnnouncements(items []OpenAnnouncement) {
	slices.SortStableFunc(items, func(a, b OpenAnnouncement) int {
		if a.Pinned != b.Pinned {
			if a.Pinned {
				return -1
			}
			return 1
		}
		return cmp.Or(b.StartsAt.Compare(a.StartsAt), cmp.Compare(b.ID, a.ID))
	})
}

// PartKey identifies an announcement in one audience.
type PartKey struct {
	ID       int64
	Audience Audience
}

// Counting selects the reads of one part to count.
type Counting struct {
	PartKey
	Top  int64 // count only users up to this seq; 0: all
	From int64 // count only reads since this edit; see Announcement.ReadsFrom
}

// Counting selects the current readers of a part. Users who can no longer see the part may
// also have read it.
func (a *Announcement) Counting(p Part) Counting {
	c := Counting{PartKey: PartKey{ID: a.ID, Audience: p.Audience}, Top: p.Top, From: a.ReadsFrom}
	if a.LateJoiners {
		c.Top = 0
	}
	return c
}

// ReadSegment is one segment of a read bitmap, as stored in SQL.
type ReadSegment struct {
	PartKey
	Segment int    // it starts at byte Segment × SegmentBytes
	Ver     int64  // rises with each change of the segment
	From    int64  // the ReadsFrom of the announcement when these reads were made
	Bits    []byte // at most SegmentBytes; missing bytes are zero
}
