package notifier

import (
	"strings"
	"time"
)

// ReachKind is the channel of a target.
type ReachKind string

// The kinds of targets.
const (
	ReachMail ReachKind = "mail" // a mail address
	ReachPush ReachKind = "push" // one browser
)

// ReachState is the state of a target.
type ReachState string

// The states of targets.
const (
	ReachOn      ReachState = "on"
	ReachOff     ReachState = "off"     // switched off by the user
	ReachFailing ReachState = "failing" // the last message could not be sent; it is retried
	ReachDead    ReachState = "dead"    // the address does not exist: it is retried at DueAt
)

// DeadRest is the time after which a dead address is retried.
const DeadRest = 28 * 24 * time.Hour

// MaxDevices is the maximum number of browsers per user. One more replaces the oldest.
const MaxDevices = 10

// ReachTarget is an address or browser at which a user is notified of unread notices after a delay. Told,
// ToldUrgent, Newest and UpTo are values of Entry.At.
type ReachTarget struct {
	ID      int64
	Seq     int64 // of its user
	Kind    ReachKind
	Address string // a mail address, or the endpoint of a browser
	Keys    []byte // of a browser: its public key of 65 bytes, and its shared secret of 16 bytes
	Label   string // the user's name for the device
	Token   string // switches this target off
	State   ReachState

	Wait  time.Duration // delay before a notice is sent
	Daily int           // sent once a day at this minute after midnight; -1: not daily

	Told       int64 // everything up to here has been decided
	ToldUrgent int64 // urgent notices up to here have been sent
	Newest     int64 // the newest unread entry that SQL has seen
	UpTo       int64 // the end of a claimed message; 0: none is claimed
	Urgent     bool  // the claimed message contains only urgent notices

	DueAt        time.Time // zero: nothing to decide
	Tries        int       // of the claimed message
	Refusals     int       // number of days with a refusal since the last successful message
	RefusedAt    time.Time // time of the last counted refusal
	FailingSince time.Time
	HeldSince    time.Time // when the pending message was first held because the service failed; zero: none is held
	Error        string    // of the last attempt
	CreatedAt    time.Time
	SeenAt       time.Time // when the browser was last seen, or its push service last accepted a message
}

// NewDevice is a browser that its user registers for push messages.
type NewDevice struct {
	Seq      int64
	Session  string // signing out of it removes the device; empty: a proxy or an app signs the user in
	Endpoint string
	// Again registers a browser that already has a subscription, without a click, but only if it belongs to this user. Was
	// is the endpoint from when the user turned it on in that browser; empty: none.
	Again bool
	Was   string
	Keys  []byte // as in ReachTarget
	Label string
}

// Device is a browser registered for push messages.
type Device struct {
	ReachTarget
	Here bool // registered in the requesting session
}

// ReachDue is a target that may have a message to send, with the data needed to decide.
type ReachDue struct {
	ReachTarget
	User  User
	App   int64 // on whose pages the user reads notices, because they cannot sign in here; 0: they can
	Zone  string
	Quiet *Quiet
	Off   bool            // the user has not chosen, and the default is off
	Since int64           // messages never contain entries up to here; a value of Entry.At
	Wants map[string]bool // by type, where the user's choice differs from the type's default
}

// ReachStep changes a target after a decision or an attempt. It has no effect if the target has changed
// since it was read as Was; see store.Step.
type ReachStep struct {
	Was  *ReachTarget
	To   ReachTarget // only State, Told, ToldUrgent, UpTo, Urgent, DueAt, Tries, Refusals, RefusedAt, FailingSince, HeldSince, Error and SeenAt are written
	Gone bool        // delete it instead
	Done bool        // set by the store: the target was unchanged
}

// ReachStats counts targets for operators.
type ReachStats struct {
	Targets int64     // not switched off
	Due     int64     // due now, including those held because the service failed
	Oldest  time.Time // when the oldest of them became due; zero: none
	Failing int64     // whose last message is being retried
	Dead    int64
}

// Mailbox is the mail address of a user as shown to them and to staff.
type Mailbox struct {
	Address      string // empty: they have none
	State        ReachState
	FailingSince time.Time // zero: no failure since the last successful message
}

// OwnRevivalWait is how long an address must have failed before its user can have it retried: mail servers count
// messages to addresses that do not exist.
const OwnRevivalWait = 10 * time.Minute

// Revivable reports whether its user may have the address retried now.
func (m *Mailbox) Revivable(now time.Time) bool {
	return m.State == ReachDead || m.State == ReachFailing && !m.FailingSince.After(now.Add(-OwnRevivalWait))
}

// Revival selects the dead and failing mail addresses to retry. Without any field it selects all.
type Revival struct {
	Seq    int64  // of a user
	Own    bool   // requested by the user: only if their address is Revivable
	Domain string // without @
}

// When is the time at which a target sends: some time after a notice arrived, once a day, or never.
type When struct {
	Off, Daily bool
	Wait       time.Duration
}

// MaxWait is the longest delay of a target.
const MaxWait = 24 * time.Hour

// ParseWhen parses `off`, `daily` or a duration from 0s to 24h.
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

// String returns the text that ParseWhen parses, with the fewest units possible.
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
