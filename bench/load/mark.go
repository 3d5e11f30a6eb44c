package load

import (
	"bytes"
	"time"
)

// Everyone is the user of a Mark that every stream expects.
const Everyone = 0xffffffff

// Mark travels in the body of a message and identifies it, together with the time it was due. With it the receiver
// can detect lost, doubled and misrouted messages and measure the latency without a record of the messages sent.
type Mark struct {
	Run  int64     // the measurement it belongs to
	User int64     // its recipient, or Everyone
	N    int64     // its number among the messages of that user, from 0
	Due  time.Time // when it should have been sent
}

var markPrefix = []byte("mark~")

// MarkLen is the length of a Mark as text.
const MarkLen = 5 + 3*9 + 16

// Append appends the text of m to b: only lower-case letters, digits and tildes, which neither
// JSON nor URLs escape.
func (m Mark) Append(b []byte) []byte {
	b = append(b, markPrefix...)
	for _, v := range []int64{m.Run, m.User, m.N} {
		b = append(appendHex(b, v, 8), '~')
	}
	return appendHex(b, m.Due.UnixNano(), 16)
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
	m := Mark{Run: run, User: user, N: n, Due: time.Unix(0, due)}
	return m, ok1 && ok2 && ok3 && ok4
}

func appendHex(b []byte, v int64, digits int) []byte {
	const hex = "0123456789abcdef"
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, hex[v>>shift&15])
	}
	return b
}

func parseHex(b []byte) (v int64, ok bool) {
	for _, c := range b {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		v = v<<4 | int64(d)
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
