package notifier

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Marks is the message that a script publishes on a user's channel after changing which
// announcements the user has read: the announcement half of the badge after the change,
// and the event. Its text is one of
//
//	A AVER UNREAD
//	read ID ID …
//
//	A AVER UNREAD
//	unread ID ID …
//
//	A AVER UNREAD
//	all
//
// The A distinguishes it from a Change, which starts with a number.
type Marks struct {
	AVer   int64
	Unread int64
	Kind   string // MarksRead, MarksUnread or MarksAll
	IDs    []int64
}

// The kinds of Marks.
const (
	MarksRead   = "read"
	MarksUnread = "unread"
	MarksAll    = "all"
)

// IsMarks reports whether a text published on a user's channel is Marks.
func IsMarks(text string) bool { return strings.HasPrefix(text, "A ") }

// ParseMarks parses published marks. It rejects any text that a script cannot have written.
func ParseMarks(text string) (Marks, error) {
	bad := fmt.Errorf("%w: marks %.40q", errChange, text)
	head, line, ok := strings.Cut(strings.TrimPrefix(text, "A "), "\n")
	aver, unread, numbers := cutExact(head)
	if !ok || !numbers || !IsMarks(text) {
		return Marks{}, bad
	}
	kind, rest, more := strings.Cut(line, " ")
	m := Marks{AVer: aver, Unread: unread, Kind: kind}
	switch {
	case kind == MarksAll && !more:
		return m, nil
	case kind != MarksRead && kind != MarksUnread:
		return Marks{}, bad
	}
	for id := range strings.SplitSeq(rest, " ") {
		n, exact := parseExact(id)
		if !exact || n == 0 {
			return Marks{}, bad
		}
		m.IDs = append(m.IDs, n)
	}
	return m, nil
}

// Turn is the message that a script publishes on an audience's channel after the set of
// open announcements there has changed. Its text is
//
//	AVER BEFORE
//	open ID TOP JSON
//	changed ID TOP JSON
//	removed ID
//
// with any number of event lines. AVER and BEFORE are the versions of the index after and
// before the change: a receiver with an older version than BEFORE has missed a message.
// JSON is an AnnouncementText on one line.
type Turn struct {
	AVer   int64
	Before int64
	Events []TurnEvent
}

// TurnEvent is one event line. A removed event has neither Top nor JSON.
type TurnEvent struct {
	Kind string
	ID   int64
	Top  int64  // the highest seq that sees it; 0: all users
	JSON string // an AnnouncementText
}

// The kinds of a TurnEvent.
const (
	TurnOpen    = "open"
	TurnChanged = "changed"
	TurnRemoved = "removed"
)

// Sees reports whether the user sees the announcement of this event.
func (e *TurnEvent) Sees(seq int64) bool { return e.Top == 0 || seq <= e.Top }

// AnnouncementText is the part of an announcement that browsers receive; preceded by the id, it
// is the event `announcement`.
type AnnouncementText struct {
	Title   string          `json:"title"`
	Body    string          `json:"body"`
	Link    string          `json:"link"`
	Pinned  bool            `json:"pinned"`
	App     string          `json:"app,omitempty"` // name of the app that sent it; events have it as ShowApp returns it
	Image   *Image          `json:"image,omitempty"`
	Actions []Action        `json:"actions,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	Changed bool            `json:"changed,omitempty"` // an edit of an announcement that browsers may already show
	Unread  bool            `json:"unread,omitempty"`  // the edit marked it as unread for all users
	Toast   bool            `json:"toast,omitempty"`   // shown as a toast to users who are connected when it opens
}

// ParseTurn parses a published turn. It rejects any text that a script cannot have written.
func ParseTurn(text string) (Turn, error) {
	head, rest, more := strings.Cut(text, "\n")
	aver, before, ok := cutExact(head)
	if !ok {
		return Turn{}, fmt.Errorf("%w: versions %.40q", errChange, head)
	}
	t := Turn{AVer: aver, Before: before}
	for more {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		e, err := parseTurnEvent(line)
		if err != nil {
			return Turn{}, err
		}
		t.Events = append(t.Events, e)
	}
	return t, nil
}

func parseTurnEvent(line string) (TurnEvent, error) {
	bad := fmt.Errorf("%w: event %.40q", errChange, line)
	kind, rest, _ := strings.Cut(line, " ")
	id, rest, more := strings.Cut(rest, " ")
	n, exact := parseExact(id)
	if !exact || n == 0 {
		return TurnEvent{}, bad
	}
	e := TurnEvent{Kind: kind, ID: n}
	switch {
	case kind == TurnRemoved && !more:
		return e, nil
	case kind != TurnOpen && kind != TurnChanged:
		return TurnEvent{}, bad
	}
	top, text, _ := strings.Cut(rest, " ")
	e.Top, exact = parseExact(top)
	if !exact || !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") || strings.ContainsRune(text, '\r') {
		return TurnEvent{}, bad
	}
	e.JSON = text
	return e, nil
}

// cutExact parses two numbers separated by a space.
func cutExact(s string) (a, b int64, ok bool) {
	first, second, _ := strings.Cut(s, " ")
	a, ok1 := parseExact(first)
	b, ok2 := parseExact(second)
	return a, b, ok1 && ok2
}

// parseExact parses a non-negative number in the only form that a script writes: without
// a sign and without leading zeros.
func parseExact(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= 0 && s == strconv.FormatInt(n, 10)
}
