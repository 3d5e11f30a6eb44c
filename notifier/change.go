package notifier

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Change is what a script publishes when it has changed one user's inbox: the
// numbers after it, and what happened. Its text is
//
//	VER UNREAD
//	notice ID KEY JSON
//	changed ID KEY JSON
//	read KEY
//	unread KEY
//	upto AT
//	removed KEY
//
// with any number of event lines, in the order in which they happened. Keys
// hold no spaces and JSON holds no line feed, so it needs no quoting.
type Change struct {
	Ver    int64
	Unread int64
	Events []ChangeEvent
}

// ChangeEvent is one event line. Which fields are set depends on Kind:
// notice and changed have ID, Key and JSON; upto has At; the others have Key.
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

// ParseChange reads a published change. It accepts nothing that a script would
// not write: whoever else publishes on the channel is not believed.
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
