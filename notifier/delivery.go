package notifier

import (
	"time"

	"github.com/RoaringBitmap/roaring/v2"
)

// Acceptance is a notice on its way into SQL, with whom it goes to.
type Acceptance struct {
	Notice *Notice
	To     *roaring.Bitmap // seqs; nil: settled later
	Once   *Once           // nil: every request is a notice of its own

	Replayed bool  // answered: the same request was accepted before, and Notice.ID is of then
	Err      error // answered: why this one was not accepted
}

// Once is what makes a repeated request the same request. Of one owner's requests
// with the same key the first is accepted; the others get its id, or
// ErrOtherRequest when their digest is another.
type Once struct {
	Owner  string // who may use the key: a sender
	Key    string
	Digest []byte // of the request
}

// Delivery is a notice as it goes into inboxes, to some of its recipients or all.
type Delivery struct {
	NoticeID int64
	Revision int64
	Key      string // entry key, without the state
	Expires  int64  // ms; 0: never
	Content  []byte // of EncodeContent
	Counted  bool   // it has more than one recipient
	Toast    bool   // it pops up too
	Again    bool   // because Redis lost something: whoever may have had it, and what he forgot, does without
	Seqs     []int64
}

// Delivery is the notice on its way to these recipients.
func (n *Notice) Delivery(seqs []int64) (Delivery, error) {
	d, err := n.delivery(n.Target.Reason())
	d.Seqs = seqs
	return d, err
}

// delivery is one to those who get the notice for this reason.
func (n *Notice) delivery(reason string) (Delivery, error) {
	c := n.Content()
	c.Reason = reason
	content, err := EncodeContent(c)
	if err != nil {
		return Delivery{}, err
	}
	d := Delivery{NoticeID: n.ID, Revision: n.Revision, Key: n.Key(), Content: content, Counted: n.Recipients > 1, Toast: n.Toast}
	if !n.ExpiresAt.IsZero() {
		d.Expires = n.ExpiresAt.UnixMilli()
	}
	return d, nil
}

// Revised is a notice as somebody saw it.
type Revised struct{ ID, Revision int64 }

// DeadLetter is work that failed again and again and was put aside.
type DeadLetter struct {
	ID        int64
	NoticeID  int64  // 0: it names none
	Entry     string // what stood in the stream, as JSON
	Reason    string // the last error
	Tries     int64
	CreatedAt time.Time
}

// Drift is what was wrong about one inbox, and is mended.
type Drift struct {
	Seq  int64
	Kind DriftKind
}

// DriftKind says which two places disagreed.
type DriftKind string

// The kinds of drift.
const (
	DriftCount DriftKind = "count" // the counter was not the number of unread rows
	DriftRows  DriftKind = "rows"  // a row without a body, or a body without a row
	DriftSQL   DriftKind = "sql"   // SQL had another state under the same version, or a newer one
)
