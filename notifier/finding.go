package notifier

import "time"

// Finding is a condition that a rule found and sent a notice about. While the condition lasts, it
// has one inbox entry, identified by its subject.
type Finding struct {
	Rule     string
	Subject  string
	Digest   []byte // of the content sent, to detect changes
	NoticeID int64  // the latest notice sent about it
	ToldAt   time.Time
	SeenAt   time.Time // when it was last found
}

// RuleRun is the result of a rule's latest run.
type RuleRun struct {
	Rule      string
	StartedAt time.Time
	EndedAt   time.Time // zero: it is running, or its process died
	Findings  int64     // number of findings
	Sent      int64     // findings sent
	Withdrawn int64     // findings no longer present, whose notices were retracted
	Error     string    // empty: success
	Failures  int64     // consecutive failures
}

// RuleState is a rule of the rules file, with its status.
type RuleState struct {
	Name     string
	Schedule string // as written in the file
	Topic    string // the type of its notices
	Last     RuleRun
	Next     time.Time // zero: unknown, because another instance runs the rules
	Fault    string    // why the rule cannot run; empty: it can
}
