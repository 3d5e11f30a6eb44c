package notifier

import (
	"strconv"
	"strings"
)

// Reminder is a request to send a notice again to recipients who have not read it.
type Reminder struct {
	NoticeID int64
	Once     *Once            // as in Request
	Sure     func(int64) bool // reports whether it may go to this many users; nil: any number
}

// ReminderSubject is the subject of a reminder: it gives the reminder the key of the notice, so that the
// reminder replaces the notice's row. Senders cannot use subjects of the form notice_id:N.
func (n *Notice) ReminderSubject() string {
	if n.Subject == "" {
		return reservedSubject + strconv.FormatInt(n.ID, 10)
	}
	return n.Subject
}

// reservedSubject is the beginning of subjects that only reminders have.
const reservedSubject = "notice_id:"

// GivenSubject returns the subject set by the sender; empty if the subject comes from a reminder.
func (n *Notice) GivenSubject() string {
	if strings.HasPrefix(n.Subject, reservedSubject) {
		return ""
	}
	return n.Subject
}
