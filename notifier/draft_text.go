package notifier

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

func checkTitle(s string, bad *InvalidError) {
	before := len(bad.Fields)
	checkText("title", s, MaxTitle, "", bad)
	// A title made only of spaces and joiners would show as an empty row.
	if len(bad.Fields) == before && !strings.ContainsFunc(s, visible) {
		bad.Add("title", CodeRequired, nil)
	}
}

// checkText checks the length and the characters of a field. allowed lists the control
// characters that this field may contain.
func checkText(field, s string, limit int, allowed string, bad *InvalidError) {
	if r, found := badRune(s, allowed); found {
		bad.Add(field, CodeBadText, map[string]any{"Char": r})
		return
	}
	if n := utf8.RuneCountInString(s); n > limit {
		bad.Add(field, CodeTooLong, map[string]any{"Max": limit, "Count": n})
	}
}

// badRune finds the first character that is not allowed in any text, and names it as
// U+XXXX, or as UTF-8 if the text is not valid UTF-8. Not allowed are control characters
// except those in allowed, line and paragraph separators, and characters that override the
// text direction.
func badRune(s, allowed string) (name string, found bool) {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size <= 1 {
				return "UTF-8", true
			}
		}
		if forbidden(r) && !strings.ContainsRune(allowed, r) {
			return fmt.Sprintf("U+%04X", r), true
		}
	}
	return "", false
}

func forbidden(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S)
}
