package notifier

import (
	"strconv"
	"strings"
)

// Reminder is a request to send a notice again to those who have not read it.
type Reminder struct {
	NoticeID int64
	Once     *Once            // as in Request
	Sure     func(int64) bool // whether it may go to this many users; nil: to any number
}

// ReminderSubject is the subject of a reminder: with it the reminder has the key of the notice,
// whose row it replaces. No sender can choose a subject of the form notice_id:N.
func (n *Notice) ReminderSubject() string {
	if n.Subject == "" {
		return reservedSubject + strconv.FormatInt(n.ID, 10)
	}
	return n.Subject
}

// reservedSubject is the beginning of a subject that only reminders have.
const reservedSubject = "notice_id:"

// GivenSubject returns the subject that the sender gave; empty if only reminding gave it one.
func (n *Notice) GivenSubject() string {
	if strings.HasPrefix(n.Subject, reservedSubject) {
		return ""
	}
	return n.Subject
}
