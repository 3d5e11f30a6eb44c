package live

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/r3labs/sse/v2"

	"github.com/carillonhq/carillon/notifier"
)

// appendEvent appends one event in the wire format. data is JSON and is always written as one line.
func appendEvent(b []byte, id int64, event, data string) []byte {
	return appendData(appendID(b, id), event, data)
}

func appendID(b []byte, id int64) []byte {
	return append(strconv.AppendInt(append(b, "id: "...), id, 10), '\n')
}

// appendData is appendEvent without an id: the previous id stays valid.
func appendData(b []byte, event, data string) []byte {
	b = append(b, "data: "...)
	b = appendLine(b, data)
	b = append(b, "\nevent: "...)
	b = append(b, event...)
	return append(b, "\n\n"...)
}

// appendLine appends JSON without characters that could end a line. Between tokens JSON allows CR and LF, which
// are equivalent to a space there; U+2028 and U+2029 occur only inside strings, where their escapes mean the
// same.
func appendLine(b []byte, data string) []byte {
	if strings.ContainsAny(data, "\r\n") || strings.Contains(data, "\u2028") || strings.Contains(data, "\u2029") {
		data = strings.NewReplacer("\r", " ", "\n", " ", "\u2028", `\u2028`, "\u2029", `\u2029`).Replace(data)
	}
	return append(b, data...)
}

// pack turns the text of one or more events into one event of the library, which prints exactly
// that text: several events, one flush.
func pack(text []byte) *sse.Event {
	id, rest, _ := bytes.Cut(bytes.TrimPrefix(text, []byte("id: ")), []byte("\ndata: "))
	rest = bytes.TrimSuffix(rest, []byte("\n\n"))
	last := bytes.LastIndex(rest, []byte("\nevent: "))
	return &sse.Event{ID: id, Data: rest[:last:last], Event: rest[last+len("\nevent: "):]}
}

// packShared is pack for a text made with appendData. It adds a user's version as the id and, if
// due, the user's badge at the end. The text is shared, not copied.
func packShared(text []byte, n notifier.Badge, due bool) *sse.Event {
	text = bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("data: ")), []byte("\n\n"))
	last := bytes.LastIndex(text, []byte("\nevent: "))
	own := strconv.AppendInt(make([]byte, 0, 288), n.Ver, 10)
	id := len(own)
	own = append(own, text[last+len("\nevent: "):]...)
	if due {
		own = bytes.TrimSuffix(appendBadge(append(own, "\n\n"...), n), []byte("\n\n"))
	}
	return &sse.Event{ID: own[:id:id], Data: text[:last:last], Event: own[id:]}
}

// appendChange appends the events of one change, in order. Consecutive events of one kind become
// one event with several keys. app returns an app as rows show it, and somebody is the name of deleted actors.
func appendChange(b []byte, c *notifier.Change, app func(name string) notifier.RowApp, somebody string) []byte {
	size := 0
	for i := range c.Events {
		size += len(c.Events[i].JSON) + len(c.Events[i].Key)
	}
	b = slices.Grow(b, size+256) // room for the badge that follows
	for i := 0; i < len(c.Events); {
		e := &c.Events[i]
		i++
		switch e.Kind {
		case notifier.ChangeNotice, notifier.ChangeEdited:
			b = appendEvent(b, c.Ver, e.Kind, noticeJSON(e, app, somebody))
		case notifier.ChangeUpto:
			b = appendEvent(b, c.Ver, "read", `{"upto":`+strconv.FormatInt(e.At, 10)+"}")
		case notifier.ChangeRemoved:
			b = appendEvent(b, c.Ver, "removed", `{"key":`+quote(e.Key)+"}")
		default: // read, unread
			list := []string{quote(e.Key)}
			for ; i < len(c.Events) && c.Events[i].Kind == e.Kind; i++ {
				list = append(list, quote(c.Events[i].Key))
			}
			b = appendEvent(b, c.Ver, e.Kind, `{"keys":[`+strings.Join(list, ",")+"]}")
		}
	}
	return b
}

// noticeJSON returns the content that a row shows as JSON, preceded by the fields key and id.
func noticeJSON(e *notifier.ChangeEvent, app func(name string) notifier.RowApp, somebody string) string {
	return withFields(`{"key":`+quote(e.Key)+`,"id":`+strconv.FormatInt(e.ID, 10), notifier.ShowApp(notifier.ShowGroup(e.JSON, somebody), app))
}

// withFields appends the fields of a JSON object to the unfinished object head.
func withFields(head, object string) string {
	fields := strings.TrimLeft(object[1:], " \t")
	if fields == "}" {
		return head + "}"
	}
	return head + "," + fields
}

// appendMarks appends the event for marks.
func appendMarks(b []byte, id int64, m *notifier.Marks) []byte {
	if m.Kind == notifier.MarksAll {
		return appendEvent(b, id, "announcement_read", `{"all":true}`)
	}
	data := []byte(`{"ids":[`)
	for i, n := range m.IDs {
		if i > 0 {
			data = append(data, ',')
		}
		data = strconv.AppendInt(data, n, 10)
	}
	return appendEvent(b, id, "announcement_"+m.Kind, string(append(data, "]}"...)))
}

func appendBadge(b []byte, n notifier.Badge) []byte {
	var room [160]byte
	d := strconv.AppendInt(append(room[:0], `{"unread":`...), n.Unread, 10)
	d = strconv.AppendInt(append(d, `,"inbox":`...), n.Inbox, 10)
	d = strconv.AppendInt(append(d, `,"announcements":`...), n.Announcements, 10)
	d = strconv.AppendInt(append(d, `,"ver":`...), n.Ver, 10)
	d = strconv.AppendInt(append(d, `,"aver":`...), n.AVer, 10)
	return appendEvent(b, n.Ver, "badge", string(append(d, '}')))
}

// appendToasts appends one event for each toast or summary.
func appendToasts(b []byte, id int64, toasts []notifier.ToastEvent) []byte {
	for i := range toasts {
		text, _ := json.Marshal(&toasts[i]) // strings and numbers only; contains no line end
		b = appendEvent(b, id, "toast", string(text))
	}
	return b
}

// quote returns s as a JSON string. Keys are ASCII, but other input is safe too.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
