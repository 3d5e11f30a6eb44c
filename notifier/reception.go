package notifier

import "time"

// ReceptionCode is the kind of reason why a user got a notice or did not.
type ReceptionCode string

// The codes of receptions. The first two are also those of users who got a notice.
const (
	ReceptionTarget    ReceptionCode = "target"    // names, topics and audiences of the target, and the time of sending
	ReceptionRole      ReceptionCode = "role"      // a role of the target
	ReceptionMuted     ReceptionCode = "muted"     // the user has muted the type
	ReceptionExpired   ReceptionCode = "expired"   // the life of the notice is over
	ReceptionDeleted   ReceptionCode = "deleted"   // the row left the inbox before that
	ReceptionRetracted ReceptionCode = "retracted" // the sender took it back
	ReceptionMail      ReceptionCode = "mail"      // in the inbox, but no mail was sent about it
	ReceptionDevice    ReceptionCode = "device"    // in the inbox, but no push was sent about it
)

// Reception is whether a user got a notice, and why.
type Reception struct {
	User  UserName
	Got   bool // it is in their inbox, archived or snoozed, or they see the announcement
	Code  ReceptionCode
	Why   string    // selects the sentence: `why.WHY` of the catalogues
	But   string    // for a user who was not told outside the pages: `why.but_BUT`; empty: they were, or nothing was to be sent
	Name  string    // the roles or the type that the sentence names
	Topic Topic     // that it names instead
	At    time.Time // when it happened, in the user's zone
	Until time.Time // what they wait for, in the user's zone
}

// Receiver is a user who would get a notice.
type Receiver struct {
	User   string
	Ways   []string // see the constants
	Asleep bool     // in quiet hours, or paused
}

// The ways in which a notice reaches a user.
const (
	WayInbox        = "inbox"
	WayAnnouncement = "announcement"
	WayToast        = "toast"
	WayPush         = "push"
	WayMail         = "mail"
)

// Rehearsal lists the users who would get a notice.
type Rehearsal struct {
	People []Receiver // by number, at most MaxRehearsed
	Asleep int64      // of all recipients
}

// MaxRehearsed is the maximum number of people that a Rehearsal lists.
const MaxRehearsed = 1000
