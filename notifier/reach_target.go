package notifier

import (
	"strings"
	"time"
)

// ReachKind is the way in which a target tells its user.
type ReachKind string

// The kinds of targets.
const (
	ReachMail ReachKind = "mail" // a mail address
	ReachPush ReachKind = "push" // one browser
)

// ReachState says whether a target tells its user.
type ReachState string

// The states of targets.
const (
	ReachOn      ReachState = "on"
	ReachOff     ReachState = "off"     // switched off by the user
	ReachFailing ReachState = "failing" // the last message could not be sent; tried again
	ReachDead    ReachState = "dead"    // nobody is at the address: it rests, and is tried again when DueAt has come
)

// DeadRest is how long a dead address rests before it is tried again.
const DeadRest = 28 * 24 * time.Hour

// MaxDevices is how many browsers of one user are told. One more replaces the oldest.
const MaxDevices = 10

// ReachTarget tells its user what is unread some time after it came. Told, ToldUrgent, Newest and UpTo are
// values of Entry.At.
type ReachTarget struct {
	ID      int64
	Seq     int64 // of its user
	Kind    ReachKind
	Address string // a mail address, or the endpoint of a browser
	Keys    []byte // of a browser: its public key, 65 bytes, and 16 bytes that it shares with us
	Label   string // what the user calls the device
	Token   string // switches this target off
	State   ReachState

	Wait  time.Duration // how long a notice stays untold
	Daily int           // told once a day at this minute after midnight; -1: not

	Told       int64 // everything up to here has been decided
	ToldUrgent int64 // urgent notices up to here have been told
	Newest     int64 // the newest unread entry that SQL has seen
	UpTo       int64 // the end of a claimed message; 0: none is claimed
	Urgent     bool  // the claimed message has only urgent notices

	DueAt        time.Time // zero: there is nothing to decide
	Tries        int       // of the claimed message
	Refusals     int       // days on which it was refused since its last message arrived
	RefusedAt    time.Time // when the last of them was counted
	FailingSince time.Time
	HeldSince    time.Time // since when its message has been due that waits because the service is at fault; zero: none waits
	Error        string    // of the last try
	CreatedAt    time.Time
	SeenAt       time.Time // when the browser was last here, or its push service last took a message
}

// NewDevice is a browser that its user registers to be told by push.
type NewDevice struct {
	Seq      int64
	Session  string // signing out of it ends the device; empty: a proxy or an app signs the user in
	Endpoint string
	// Again registers without a click a browser that has a subscription already, but only if it is this user's. Was
	// is the endpoint that their browser has from turning it on there; empty: it has none.
	Again bool
	Was   string
	Keys  []byte // as in ReachTarget
	Label string
}

// Device is a browser that is told by push.
type Device struct {
	ReachTarget
	Here bool // it was registered in the session that asks
}

// ReachDue is a target that may have something to tell, with what decides about it.
type ReachDue struct {
	ReachTarget
	User  User
	App   int64 // on whose pages the user reads notices, because they cannot sign in here; 0: they can
	Zone  string
	Quiet *Quiet
	Off   bool            // its user has not chosen, and gets nothing by default
	Since int64           // messages never contain what came up to here; a value of Entry.At
	Wants map[string]bool // by type, where the user's choice differs from the type's default
}

// ReachStep changes a target after a decision or a try. It has no effect on a target that has changed
// since it was read as Was.
type ReachStep struct {
	Was  *ReachTarget
	To   ReachTarget // only State, Told, ToldUrgent, UpTo, Urgent, DueAt, Tries, Refusals, RefusedAt, FailingSince, HeldSince, Error and SeenAt count
	Gone bool        // delete it instead
	Done bool        // set by the store: the target was as expected
}

// ReachStats counts targets for operators.
type ReachStats struct {
	Targets int64     // that are not off
	Due     int64     // whose time has come, also while the service is at fault
	Oldest  time.Time // when the oldest of them became due; zero: there is none
	Failing int64     // whose last message is tried again
	Dead    int64
}

// Mailbox is the mail address of a user as they and staff see it.
type Mailbox struct {
	Address      string // empty: they have none
	State        ReachState
	FailingSince time.Time // zero: the last message arrived, or is the first
}

// OwnRevivalWait is how long an address must have failed before its user has it tried again: mail servers count
// what is sent to addresses where nobody is.
const OwnRevivalWait = 10 * time.Minute

// Revivable reports whether its user may have the address tried again now.
func (m *Mailbox) Revivable(now time.Time) bool {
	return m.State == ReachDead || m.State == ReachFailing && !m.FailingSince.After(now.Add(-OwnRevivalWait))
}

// Revival names the dead and failing mail addresses that are to be tried again. Without any field it is all of them.
type Revival struct {
	Seq    int64  // of a user
	Own    bool   // the user asks: only if their address is Revivable
	Domain string // without @
}

// When says when a target tells: some time after a notice came, once a day, or never.
type When struct {
	Off, Daily bool
	Wait       time.Duration
}

// MaxWait is the longest time that a target waits.
const MaxWait = 24 * time.Hour

// ParseWhen reads `off`, `daily` or a duration from 0s to 24h.
func ParseWhen(text string) (w When, ok bool) {
	switch text {
	case "off":
		return When{Off: true}, true
	case "daily":
		return When{Daily: true}, true
	}
	wait, err := time.ParseDuration(text)
	return When{Wait: wait}, err == nil && wait >= 0 && wait <= MaxWait && wait%time.Millisecond == 0
}

// String returns the text that ParseWhen reads, with no more units than it needs.
func (w When) String() string {
	switch {
	case w.Off:
		return "off"
	case w.Daily:
		return "daily"
	}
	text := w.Wait.String()
	if w.Wait >= time.Minute {
		text = strings.TrimSuffix(text, "m0s")
		if len(text) < len(w.Wait.String()) {
			text += "m"
		}
	}
	if w.Wait >= time.Hour {
		text = strings.TrimSuffix(text, "h0m")
		if !strings.ContainsAny(text[len(text)-1:], "hms") {
			text += "h"
		}
	}
	return text
}
