package notifier

import "time"

// Actor is the author of a change, and the address that the request came from, if any.
type Actor struct {
	Ref
	Address string
}

// Deed describes sending notices for the audit log. The store writes the entry together with the notices.
type Deed struct {
	By     Actor
	Action string
	Object Ref // zero: the notice, if there is only one
	Detail string
}

// Sending returns the Deed of an actor who sends notices.
func Sending(by Actor) Deed { return Deed{By: by, Action: "notice.send"} }

// AuditEntry records who did what to which object. The log is append-only.
type AuditEntry struct {
	ID      int64     // set by the log
	At      time.Time // set by the log
	Actor   Ref
	Action  string // for example notice.send
	Object  Ref    // zero: the action concerns only the actor
	Detail  string
	Address string // origin of the request
}

// Audited returns the subscriber and the topic of a subscription for the audit log.
func (s *Subscription) Audited() (object Ref, detail string) {
	if s.Role != "" {
		return RoleRef(s.Role), s.Type + ":" + s.Scope
	}
	return UserNamed(s.User), s.Type + ":" + s.Scope
}
