package notifier

import "time"

// Finding is something that a rule has found, and told of. As long as it is there
// it is one entry: its subject.
type Finding struct {
	Rule     string
	Subject  string
	Digest   []byte // of what was told, so that a change is seen
	NoticeID int64  // that told of it last
	ToldAt   time.Time
	SeenAt   time.Time // when it was found last
}

// RuleRun is how a rule fared when it ran last.
type RuleRun struct {
	Rule      string
	StartedAt time.Time
	EndedAt   time.Time // zero: it is running, or died of it
	Findings  int64     // there were
	Sent      int64     // of them were told
	Withdrawn int64     // are gone, and what was told of them too
	Error     string    // empty: it went well
	Failures  int64     // in a row
}

// RuleState is a rule of the file, and how it fares.
type RuleState struct {
	Name     string
	Schedule string // as in the file
	Topic    string // the type of its notices
	Last     RuleRun
	Next     time.Time // zero: not known, as another instance runs the rules
	Fault    string    // why it cannot run at all; empty: it can
}
