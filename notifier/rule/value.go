package rule

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
)

// number prints in plain notation: 1500000, not 1.5e+06.
type number float64

func (n number) String() string { return strconv.FormatFloat(float64(n), 'f', -1, 64) }

// moment prints as RFC 3339, to the second.
type moment struct{ time.Time }

func (m moment) String() string { return m.Format(time.RFC3339) }

// value converts a column for templates: NULL becomes the empty string, and characters that notices
// cannot contain are removed.
func value(raw any) any {
	switch v := raw.(type) {
	case nil:
		return ""
	case float64:
		return number(v)
	case float32:
		return number(v)
	case time.Time:
		return moment{v}
	case []byte:
		if utf8.Valid(v) {
			return clean(string(v))
		}
		return hex.EncodeToString(v)
	case string:
		return clean(v)
	case int64, bool:
		return v
	}
	return clean(fmt.Sprint(raw))
}

// clean converts text from a database to text that a notice can contain: lines end in LF, other control
// characters become spaces, and characters that override the text direction are removed; isolates stay
// if they are closed.
func clean(s string) string {
	s = strings.ToValidUTF8(strings.ReplaceAll(s, "\r\n", "\n"), "\ufffd")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\u2028', r == '\u2029':
			return '\n'
		case unicode.IsControl(r):
			return ' '
		case r >= '\u202a' && r <= '\u202e':
			return -1
		}
		return r
	}, s)
	return notifier.CloseIsolates(s)
}

// oneLine puts a text on one line, with single spaces between its words.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// shorten cuts a text to most characters, ending in an ellipsis if it was longer.
func shorten(s string, most int) string {
	return notifier.Shorten(s, most)
}
