package notifier

import (
	"cmp"
	"slices"
	"time"
)

// MaxOpen is how many announcements an audience can have open at any instant.
const MaxOpen = 64

// TypeAnnouncement is the type of an announcement whose sender names none.
const TypeAnnouncement = "announcement"

// SegmentBytes is how much of a bitmap of reads is kept in one piece: the
// reads of 32,768 users.
const SegmentBytes = 4096

// Reader is what announcements know of a user: his bit, and in whose bitmaps.
type Reader struct {
	Seq      int64
	Audience Audience
}

// Window says when an announcement is shown, how, and to whom of its audiences.
type Window struct {
	StartsAt    time.Time // zero in a draft: at once
	EndsAt      time.Time // zero in a draft: as ExpiresIn says
	Pinned      bool      // stands before the others, and on every page until it is read
	LateJoiners bool      // shown also to who joins an audience after it opened there
}

// Announcement is a notice to audiences: stored once, with one bit a reader. Its
// id is its notice's, its Revision rises with each edit.
type Announcement struct {
	Notice
	Parts []Part // one an audience it was ever for, by number
}

// Part is an announcement in one audience.
type Part struct {
	Audience Audience
	Left     bool  // an edit took the audience away; the other fields say how far it had come
	Settled  bool  // it has opened here: Top and Members are settled
	Top      int64 // the highest seq there was when it opened
	Members  int64 // how many users the audience had then
	Finished bool  // it is over here: Redis knows nothing of it any more
	Reads    int64 // how many had read it when it was over
}

// Phase is where an announcement stands in its life.
type Phase string

// The phases. What was retracted stays so; the others follow from the window.
const (
	PhaseScheduled Phase = "scheduled"
	PhaseOpen      Phase = "open"
	PhaseClosed    Phase = "closed"
	PhaseRetracted Phase = "retracted"
)

// PhaseAt is the phase of an announcement at a moment.
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

// Announces says whether the notice is an announcement.
func (n *Notice) Announces() bool { return len(n.Target.Audiences) > 0 }

// Posted is an open announcement as one of its readers sees it.
type Posted struct {
	ID        int64
	Type      string
	Title     string
	Body      string // Markdown; see views/markdown for the subset that is shown
	Link      string
	StartsAt  time.Time
	EndsAt    time.Time
	Pinned    bool
	Read      bool
	CreatedAt time.Time
}

// Posts is all open announcements that one reader sees: pinned ones first, then
// the latest first.
type Posts struct {
	Items  []Posted
	Unread int64
	Read   int64
	AVer   int64
}

// Badge is the announcements' half of the badge.
func (p Posts) Badge() Badge {
	return Badge{Unread: p.Unread, Announcements: p.Unread, AVer: p.AVer}
}

// SortPosts puts posts into the order in which they are shown.
func SortPosts(items []Posted) {
	slices.SortStableFunc(items, func(a, b Posted) int {
		if a.Pinned != b.Pinned {
			if a.Pinned {
				return -1
			}
			return 1
		}
		return cmp.Or(b.StartsAt.Compare(a.StartsAt), cmp.Compare(b.ID, a.ID))
	})
}

// PartKey names an announcement in one audience.
type PartKey struct {
	ID       int64
	Audience Audience
}

// Counting is a part and whose reads of it are counted.
type Counting struct {
	PartKey
	Top int64 // only those of users up to this seq; 0: all
}

// Counting says who is counted of those who have read a part: who sees it. Some may
// have read it who do not see it any more.
func (a *Announcement) Counting(p Part) Counting {
	c := Counting{PartKey: PartKey{ID: a.ID, Audience: p.Audience}, Top: p.Top}
	if a.LateJoiners {
		c.Top = 0
	}
	return c
}

// ReadSegment is a piece of a bitmap of reads, as SQL keeps it.
type ReadSegment struct {
	PartKey
	Segment int    // it begins at byte Segment × SegmentBytes
	Ver     int64  // rises with each change of the segment
	Bits    []byte // at most SegmentBytes; what follows is zero
}
