package notifier

import (
	"strings"
	"unicode/utf8"
)

// Isolates confine the direction of a part of a text. Fluent and MessageFormat 2 put a pair around every
// value that they insert, so titles and bodies may contain isolates if each is closed within its text: an
// unclosed one would affect the text after it on the page or in the mail (Unicode Standard Annex 9, section 3.1.2).
const (
	isolates    = "\u2066\u2067\u2068" // begin
	endIsolate  = '\u2069'
	allIsolates = isolates + string(endIsolate)
)

// openIsolates returns the number of unclosed isolates in a text. ok is false if the text closes one that it
// did not open.
func openIsolates(s string) (open int, ok bool) {
	for _, r := range s {
		switch {
		case r == endIsolate && open == 0:
			return 0, false
		case r == endIsolate:
			open--
		case strings.ContainsRune(isolates, r):
			open++
		}
	}
	return open, true
}

// CloseIsolates returns a text unchanged if all its isolates are closed, otherwise without isolates.
func CloseIsolates(s string) string {
	if open, ok := openIsolates(s); open == 0 && ok {
		return s
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(allIsolates, r) {
			return -1
		}
		return r
	}, s)
}

// Shorten returns a text with at most most characters; most is positive. A shortened text ends in an ellipsis, and
// its isolates are closed.
func Shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	for keep := most - 1; keep > 0; keep-- {
		text := string(runes[:keep])
		open, _ := openIsolates(text)
		if keep+1+open <= most {
			return text + "…" + strings.Repeat(string(endIsolate), open)
		}
	}
	return "…"
}
