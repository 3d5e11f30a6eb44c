package notifier

import "time"

// Delivery is a notice to be added to the inboxes of all or some of its recipients.
type Delivery struct {
	NoticeID int64
	Order    int64 // as in Notice
	Revision int64
	Accepted int64  // ms
	Key      string // entry key, without the state
	Expires  int64  // ms; 0: never
	Content  []byte // as EncodeContent returns it
	Group    *Group // of a row for this notice alone; may be nil
	Counted  bool   // it has more than one recipient
	Read     bool   // its row is read: see Extras.Settled
	Toast    bool   // also shown as a toast
	Again    bool   // redelivery after Redis lost data: skip any inbox that may already have had this notice
	Seqs     []int64
}

// Arrival is a new row in the inbox of a user.
type Arrival struct {
	Seq int64
	At  int64 // its version
	Key string
}

// Delivery returns the delivery of the notice to these recipients.
func (n *Notice) Delivery(seqs []int64) (Delivery, error) {
	d, err := n.delivery(n.Target.Reason())
	d.Seqs = seqs
	return d, err
}

// delivery returns a delivery with this reason, without recipients.
func (n *Notice) delivery(reason string) (Delivery, error) {
	c := n.Content()
	c.Reason = reason
	content, err := EncodeContent(c)
	if err != nil {
		return Delivery{}, err
	}
	d := Delivery{NoticeID: n.ID, Order: n.Order, Revision: n.Revision, Accepted: n.CreatedAt.UnixMilli(), Key: n.Key(), Content: content, Group: n.Group(), Counted: n.Recipients > 1, Read: n.Extras.Settled(), Toast: n.Toast && !n.Extras.Settled()}
	if !n.ExpiresAt.IsZero() {
		d.Expires = n.ExpiresAt.UnixMilli()
	}
	return d, nil
}

// Revised identifies a notice in a particular revision.
type Revised struct{ ID, Revision int64 }

// DeadLetter is delivery work that failed repeatedly and was set aside.
type DeadLetter struct {
	ID        int64
	NoticeID  int64  // 0: it names no notice
	Entry     string // the entry as JSON
	Reason    string // the last error
	Tries     int64
	CreatedAt time.Time
}

// Drift is an inconsistency that was found in one inbox and repaired.
type Drift struct {
	Seq  int64
	Kind DriftKind
}

// DriftKind names the two places that disagreed.
type DriftKind string

// The kinds of drift.
const (
	DriftCount DriftKind = "count" // the counter differed from the number of unread rows
	DriftRows  DriftKind = "rows"  // a row without a body, or a body without a row
	DriftSQL   DriftKind = "sql"   // SQL had a different state under the same version, or a newer version
)
