package notifier

// Membership is a change of the members of a role: users join it or, with Leave, leave it.
type Membership struct {
	Role  string
	Leave bool
}

// Action is the action of the audit log for each user.
func (m Membership) Action() string {
	if m.Leave {
		return "user.role.remove"
	}
	return "user.role.add"
}

// MembershipStep is what one step of a change of many users has done.
type MembershipStep struct {
	Looked  int64  // users that matched
	Changed int64  // those of them who were not as the change wants them
	Reached string // the name after which the next step begins; empty: that was the last one
}
