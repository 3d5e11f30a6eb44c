package notifier

import "time"

// AuditEntry says who did what to what. The log is only ever added to.
type AuditEntry struct {
	ID      int64     // set by the log
	At      time.Time // set by the log
	Actor   string    // a user's name, or the name of a command
	Action  string    // such as notice.send
	Object  string    // such as notice 17
	Detail  string
	Address string // where the request came from
}

// Audited is a subscription as the log has it. The object is a user's name and no
// more, so that it is found when he is deleted.
func (s *Subscription) Audited() (object, detail string) {
	if s.Role != "" {
		return "role " + s.Role, s.Type + ":" + s.Scope
	}
	return s.User, s.Type + ":" + s.Scope
}
