package notifier

import "time"

// WorkKind is what to do with a notice.
type WorkKind string

// The kinds of work.
const (
	WorkDeliver WorkKind = "deliver" // deliver it, and update rows of older revisions
	WorkEdit    WorkKind = "edit"    // update rows of older revisions, and deliver nothing new
	WorkRetract WorkKind = "retract" // retract it
	WorkResend  WorkKind = "resend"  // find the notices accepted since a time, and deliver them again
)

// Work is one piece of delivery work. An unfinished notice is its own work: such work has the ID 0 and no
// other row. Other work is a row of the table work.
type Work struct {
	ID       int64
	Kind     WorkKind
	NoticeID int64     // not for WorkResend
	From, To int64     // recipients with From < seq; with To > 0 also seq <= To. WorkResend: From is the last notice done
	Since    time.Time // WorkResend: notices accepted or changed since then
	Again    bool      // repeat the work although the notice is finished
	Had      bool      // with Again: it was delivered before Redis lost data
	Tries    int64     // earlier attempts that failed or had no result
	Owner    int64     // previous owner; 0: none
	Trace    string    // the traceparent of the sender; empty: not traced
}

// Claim is the right of an instance to do work until a time; then another instance may claim the
// work. The zero value is no claim: the work is due immediately.
type Claim struct {
	Owner int64
	Until time.Time
}
