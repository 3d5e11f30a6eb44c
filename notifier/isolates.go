package notifier

import (
	"strings"
	"unicode/utf8"
)

// Isolates keep the direction of a part of a text to itself. Fluent and MessageFormat 2 put a pair round every
// value that they fill in, so titles and bodies may have them, if each is closed within its text: one that is
// not would hold what a page or a letter puts after it (Unicode Standard Annex 9, section 3.1.2).
const (
	isolates    = "\u2066\u2067\u2068" // begin
	endIsolate  = '\u2069'
	allIsolates = isolates + string(endIsolate)
)

// openIsolates returns how many isolates of a text are not closed. ok is false if one is closed that
// never began.
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

// CloseIsolates returns a text with its isolates if each of them is closed, and without them otherwise.
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

// Shorten returns a text with at most this many characters, more than 0: one that is longer ends in an ellipsis
// and closes its isolates.
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
