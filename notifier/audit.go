package notifier

import "time"

// Actor is the author of a change, and the address that the request came from, if any.
type Actor struct {
	Ref
	Address string
}

// Deed is the sending of notices as the audit log names it. The store writes its entry with the notices.
type Deed struct {
	By     Actor
	Action string
	Object Ref // zero: the notice, if it is one
	Detail string
}

// Sending is the deed of an actor who sends notices.
func Sending(by Actor) Deed { return Deed{By: by, Action: "notice.send"} }

// AuditEntry records who did what to which object. The log is append-only.
type AuditEntry struct {
	ID      int64     // set by the log
	At      time.Time // set by the log
	Actor   Ref
	Action  string // for example notice.send
	Object  Ref    // zero: the action concerns the actor alone
	Detail  string
	Address string // where the request came from
}

// Audited describes a subscription for the audit log: the subscriber and the topic.
func (s *Subscription) Audited() (object Ref, detail string) {
	if s.Role != "" {
		return RoleRef(s.Role), s.Type + ":" + s.Scope
	}
	return UserNamed(s.User), s.Type + ":" + s.Scope
}
