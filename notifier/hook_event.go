package notifier

import (
	"encoding/json"
	"time"
)

// EventType is what an event that goes to a webhook is about.
type EventType string

// The types. The comments give their data.
const (
	EventNoticeSent         EventType = "notice.sent"         // HookNotice: it is accepted; a scheduled notice at its time
	EventNoticeRetracted    EventType = "notice.retracted"    // HookNotice
	EventNoticeDelivered    EventType = "notice.delivered"    // HookNotice: the entry of its last recipient is written
	EventEntriesRead        EventType = "entries.read"        // HookEntries
	EventEntriesUnread      EventType = "entries.unread"      // HookEntries: marked as unread, or back from the archive
	EventEntriesRemoved     EventType = "entries.removed"     // HookEntries: no longer in the inbox
	EventAnnouncementOpened EventType = "announcement.opened" // HookAnnouncement
	EventAnnouncementClosed EventType = "announcement.closed" // HookAnnouncement: its window has ended, or it is retracted
	EventAskAnswered        EventType = "ask.answered"        // HookAsk
	EventAskExpired         EventType = "ask.expired"         // HookAsk
	EventNoticeTaken        EventType = "notice.taken"        // HookTask: somebody has taken the task
	EventNoticeDone         EventType = "notice.done"         // HookTask: whoever had the task has done it
	EventMailDead           EventType = "mail.dead"           // HookUser: mail is no longer sent to the address
	EventDeviceDead         EventType = "device.dead"         // HookUser: a push service has given up a device
	EventPreferencesChanged EventType = "preferences.changed" // HookUser
	EventUserDeleted        EventType = "user.deleted"        // HookUser
	EventTest               EventType = "test"                // HookTest: to one hook, whatever it wants
)

// EventTypes lists every type, in the order of the documentation.
func EventTypes() []EventType {
	return []EventType{
		EventNoticeSent, EventNoticeRetracted, EventNoticeDelivered, EventEntriesRead, EventEntriesUnread, EventEntriesRemoved,
		EventAnnouncementOpened, EventAnnouncementClosed, EventAskAnswered, EventAskExpired, EventNoticeTaken, EventNoticeDone,
		EventMailDead, EventDeviceDead, EventPreferencesChanged, EventUserDeleted, EventTest,
	}
}

// The data of events name things and contain no words of notices and answers.

// HookNotice is the data of an event about a notice.
type HookNotice struct {
	Notice int64 `json:"notice"`
}

// HookAnnouncement is the data of an event about an announcement.
type HookAnnouncement struct {
	Announcement int64 `json:"announcement"`
}

// HookUser is the data of an event about a user.
type HookUser struct {
	User string `json:"user"`
}

// HookEntries is the data of an event about entries of a user's inbox.
type HookEntries struct {
	User    string      `json:"user"`
	Entries []HookEntry `json:"entries"` // at most MaxHookEntries
}

// HookEntry is an entry in HookEntries.
type HookEntry struct {
	Key string `json:"key"`
	ID  int64  `json:"id"` // of the notice; a row that stands for several notices has an entry for each
}

// HookAsk is the data of an event about a question.
type HookAsk struct {
	Ask     int64     `json:"ask"`
	State   AskState  `json:"state"`
	Outcome *ChoiceID `json:"outcome"` // nil: it ended without one
}

// HookTask is the data of an event about a task.
type HookTask struct {
	Notice int64  `json:"notice"` // the first one, if it was passed on
	User   string `json:"user"`
}

// HookTest is the data of a test.
type HookTest struct {
	Hook string `json:"hook"`
}

// EventBody returns the body of an event.
func EventBody(typ EventType, at time.Time, data any) ([]byte, error) {
	return json.Marshal(struct {
		Type      EventType `json:"type"`
		Timestamp string    `json:"timestamp"`
		Data      any       `json:"data"`
	}{typ, at.UTC().Format("2006-01-02T15:04:05.000Z"), data})
}

// HookEvent is an event of one hook.
type HookEvent struct {
	N         int64  // its number, in the order in which events were stored
	ID        string // the webhook-id
	Hook      int64
	Type      EventType
	Body      []byte
	CreatedAt time.Time
	State     HookEventState
	DueAt     time.Time // of one that waits; while it is being sent, when the claim ends
	Tries     int       // that have ended
	Status    int       // of the last answer; 0: there was none
	Error     string    // of the last try; empty: it succeeded
	EndedAt   time.Time
}

// HookEventState is the state of an event.
type HookEventState string

// The states.
const (
	HookWaiting   HookEventState = "waiting"
	HookDelivered HookEventState = "delivered"
	HookFailed    HookEventState = "failed" // its last try failed
)
