package load

import "bytes"

// Event is one event of a stream. Its slices are valid until the next Feed.
type Event struct {
	Name []byte // empty means "message"
	Data []byte // its last data line; the measured servers send one
}

// Decoder splits the bytes of one stream into events, however the network has split them. The
// zero value is ready for the start of a stream.
type Decoder struct {
	rest []byte // the event that is still incomplete
}

var eventEnd = []byte("\n\n")

// Feed parses the next bytes of the stream and calls emit for each completed event. It
// ignores comments and events without data.
func (d *Decoder) Feed(b []byte, emit func(Event)) {
	if len(d.rest) > 0 {
		d.rest = append(d.rest, b...)
		b = d.rest
	}
	for {
		end := bytes.Index(b, eventEnd)
		if end < 0 {
			break
		}
		if e, ok := parseEvent(b[:end]); ok {
			emit(e)
		}
		b = b[end+len(eventEnd):]
	}
	if len(b) == 0 {
		d.rest = nil // thousands of idle streams must not keep a buffer each
		return
	}
	d.rest = append([]byte(nil), b...)
}

func parseEvent(block []byte) (e Event, ok bool) {
	for len(block) > 0 {
		var line []byte
		line, block, _ = bytes.Cut(block, []byte{'\n'})
		name, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(name) {
		case "event":
			e.Name = value
		case "data":
			e.Data, ok = value, true
		}
	}
	return e, ok
}

// number returns the integer after `"name":` in one line of JSON, or -1.
func number(json []byte, quotedName string) int64 {
	i := bytes.Index(json, []byte(quotedName))
	if i < 0 {
		return -1
	}
	v, digits := int64(0), 0
	for _, c := range json[i+len(quotedName):] {
		switch {
		case c >= '0' && c <= '9':
			v, digits = v*10+int64(c-'0'), digits+1
			continue
		case digits == 0 && (c == ':' || c == ' '):
			continue
		}
		break
	}
	if digits == 0 {
		return -1
	}
	return v
}

// text returns the text between begin and the next quote, or nothing. It does not handle
// escapes.
func text(json []byte, begin string) string {
	_, rest, _ := bytes.Cut(json, []byte(begin))
	word, _, ok := bytes.Cut(rest, []byte{'"'})
	if !ok {
		return ""
	}
	return string(word)
}
