package notifier

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Change is the message that a script publishes after changing one user's inbox: the
// numbers after the change, and the events. Its text is
//
//	VER UNREAD
//	notice ID KEY JSON (with the member at first)
//	changed ID KEY JSON
//	read KEY
//	unread KEY
//	upto AT
//	removed KEY
//
// with any number of event lines, in order. Keys contain no spaces and JSON contains
// no line feed, so nothing needs quoting.
type Change struct {
	Ver    int64
	Unread int64
	Events []ChangeEvent
}

// ChangeEvent is one event line. Kind decides which other fields are set: notice and
// changed have ID, Key and JSON; upto has At; the others have Key.
type ChangeEvent struct {
	Kind string
	ID   int64
	At   int64
	Key  string
	JSON string
}

// The kinds of a ChangeEvent.
const (
	ChangeNotice  = "notice"
	ChangeEdited  = "changed"
	ChangeRead    = "read"
	ChangeUnread  = "unread"
	ChangeUpto    = "upto"
	ChangeRemoved = "removed"
)

var errChange = errors.New("malformed change")

// ParseChange parses a published change. It rejects any text that a script cannot have
// written, because other clients may publish on the channel.
func ParseChange(text string) (Change, error) {
	head, rest, more := strings.Cut(text, "\n")
	ver, unread, ok := cutNumbers(head)
	if !ok {
		return Change{}, fmt.Errorf("%w: numbers %.40q", errChange, head)
	}
	c := Change{Ver: ver, Unread: unread}
	for more {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		e, err := parseEvent(line)
		if err != nil {
			return Change{}, err
		}
		c.Events = append(c.Events, e)
	}
	return c, nil
}

func cutNumbers(s string) (ver, unread int64, ok bool) {
	a, b, ok := strings.Cut(s, " ")
	if !ok {
		return 0, 0, false
	}
	ver, err1 := strconv.ParseInt(a, 10, 64)
	unread, err2 := strconv.ParseInt(b, 10, 64)
	return ver, unread, err1 == nil && err2 == nil && ver >= 0 && unread >= 0
}

func parseEvent(line string) (ChangeEvent, error) {
	kind, arg, _ := strings.Cut(line, " ")
	e := ChangeEvent{Kind: kind}
	var err error
	switch kind {
	case ChangeNotice, ChangeEdited:
		id, rest, _ := strings.Cut(arg, " ")
		if e.ID, err = strconv.ParseInt(id, 10, 64); err == nil {
			e.Key, e.JSON, _ = strings.Cut(rest, " ")
		}
		if !strings.HasPrefix(e.JSON, "{") || !strings.HasSuffix(e.JSON, "}") || strings.ContainsRune(e.JSON, '\r') {
			err = errChange
		}
	case ChangeUpto:
		e.At, err = strconv.ParseInt(arg, 10, 64)
		return e, err
	case ChangeRead, ChangeUnread, ChangeRemoved:
		e.Key = arg
	default:
		err = errChange
	}
	if err != nil || e.Key == "" || strings.ContainsAny(e.Key, " \r") {
		return ChangeEvent{}, fmt.Errorf("%w: event %.40q", errChange, line)
	}
	return e, nil
}
