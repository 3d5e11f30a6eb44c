package load

import (
	"bytes"
	"strconv"
	"time"
)

// Everyone as the user of a Mark means that each stream expects it.
const Everyone = 0xffffffff

// Mark travels in the body of a message and says which one it is and when it
// was due, so that the receiving end can tell lost, doubled and misrouted
// messages and the latency without any book of what was sent.
type Mark struct {
	Run  uint32    // the measurement it belongs to
	User uint32    // whose message it is, or Everyone
	N    uint32    // its number among the messages of that user, from 0
	Due  time.Time // when it was to be sent, whether or not that was kept
}

var markPrefix = []byte("mark~")

// MarkLen is the length of a Mark as text.
const MarkLen = 5 + 3*9 + 16

// Append appends the text of m to b: lower-case letters, digits and tildes
// only, which neither JSON nor a URL escapes.
func (m Mark) Append(b []byte) []byte {
	b = append(b, markPrefix...)
	for _, v := range []uint32{m.Run, m.User, m.N} {
		b = append(appendHex(b, uint64(v), 8), '~')
	}
	return appendHex(b, uint64(m.Due.UnixNano()), 16)
}

// FindMark returns the first mark in text.
func FindMark(text []byte) (Mark, bool) {
	i := bytes.Index(text, markPrefix)
	if i < 0 || len(text)-i < MarkLen {
		return Mark{}, false
	}
	t := text[i+len(markPrefix):]
	run, ok1 := parseHex(t[0:8])
	user, ok2 := parseHex(t[9:17])
	n, ok3 := parseHex(t[18:26])
	due, ok4 := parseHex(t[27:43])
	m := Mark{Run: uint32(run), User: uint32(user), N: uint32(n), Due: time.Unix(0, int64(due))}
	return m, ok1 && ok2 && ok3 && ok4
}

func appendHex(b []byte, v uint64, digits int) []byte {
	for n := len(strconv.FormatUint(v|1, 16)); n < digits; n++ {
		b = append(b, '0')
	}
	return strconv.AppendUint(b, v, 16)
}

func parseHex(b []byte) (v uint64, ok bool) {
	for _, c := range b {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		v = v<<4 | uint64(d)
	}
	return v, true
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
