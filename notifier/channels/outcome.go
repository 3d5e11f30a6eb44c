package channels

import (
	"fmt"
	"time"
)

// Verdict says how a message fared.
type Verdict int

// The verdicts. All of those from Delayed to Denied are held to be the service's fault when several users in a
// row get them.
const (
	Told    Verdict = iota
	Later           // again: a passing fault of this recipient, such as a full mailbox
	Delayed         // again: a passing fault, of the recipient or the service
	Refused         // for good, and nothing says that this is the recipient's fault
	Denied          // for good, and the answer speaks of this recipient
	Gone            // the target has ended: delete it
	Away            // the service is at fault: no target is to blame
)

// Outcome is a verdict with its reason.
type Outcome struct {
	Verdict Verdict
	After   time.Duration // 0: as long as the tries so far suggest
	Reason  string        // one line, for the log and for operators
	Fault   bool          // of Away: the service is at fault, not our own storage or the lack of time
}

// String names a verdict in logs.
func (v Verdict) String() string {
	if v < Told || v > Away {
		return fmt.Sprintf("Verdict(%d)", int(v))
	}
	return [...]string{"told", "later", "delayed", "refused", "denied", "gone", "away"}[v]
}
