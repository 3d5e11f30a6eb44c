package channels

import (
	"fmt"
	"time"
)

// Verdict is the result of sending a message.
type Verdict int

// The verdicts. Verdicts from Delayed to Denied are attributed to the service when several users in a row get them.
const (
	Sent    Verdict = iota
	Later           // temporary fault of this recipient, such as a full mailbox: retry
	Delayed         // temporary fault of the recipient or the service: retry
	Refused         // permanent; the response does not blame the recipient
	Denied          // permanent, because of this recipient
	Gone            // the target no longer exists: delete it
	Away            // the service is failing: not counted against any target
)

// Outcome is a verdict with its reason.
type Outcome struct {
	Verdict Verdict
	After   time.Duration // 0: the default delay after this many attempts
	Reason  string        // one line, for the log and for operators
	Fault   bool          // of Away: the service is failing; false: our own storage or lack of time
}

// String returns the name of a verdict for logs.
func (v Verdict) String() string {
	if v < Sent || v > Away {
		return fmt.Sprintf("Verdict(%d)", int(v))
	}
	return [...]string{"sent", "later", "delayed", "refused", "denied", "gone", "away"}[v]
}
