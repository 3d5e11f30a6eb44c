package notifier

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FieldError codes of the names of new users, besides CodeBadName.
const (
	CodeBlankEdge = "blank_edge" // name: it begins or ends with a blank
	CodeUnseen    = "unseen"     // name: Char is an invisible character
)

// NameFault explains why a new user cannot have a name; nil: they can. Besides the names that ValidName rejects,
// it rejects names that can be mistaken for another user's: with surrounding blanks or invisible characters. Existing
// users keep such names.
func NameFault(name string) *FieldError {
	var bad InvalidError
	switch r, found := lookAlike(name); {
	case !ValidName(name):
		bad.Add("name", CodeBadName, map[string]any{"Name": excerpt(name)})
	case strings.TrimSpace(name) != name:
		bad.Add("name", CodeBlankEdge, nil)
	case found:
		bad.Add("name", CodeUnseen, map[string]any{"Char": fmt.Sprintf("U+%04X", r)})
	default:
		return nil
	}
	return &bad.Fields[0]
}

// ValidNewName reports whether a new user can have the name; see NameFault.
func ValidNewName(name string) bool { return NameFault(name) == nil }

// lookAlike returns the first character of a name that is invisible or can be mistaken for another.
func lookAlike(name string) (rune, bool) {
	for _, r := range name {
		if ignorable(r) || r == utf8.RuneError || r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef {
			return r, true
		}
	}
	return 0, false
}

// ignorable reports whether a character has the Unicode property Default_Ignorable_Code_Point: zero-width
// spaces and joiners, the byte order mark, soft hyphens, variation selectors, tags and similar characters.
func ignorable(r rune) bool {
	switch {
	case r == 0x00ad, r == 0x034f, r == 0x061c, r == 0x3164, r == 0xfeff, r == 0xffa0:
		return true
	case r >= 0x115f && r <= 0x1160, r >= 0x17b4 && r <= 0x17b5, r >= 0x180b && r <= 0x180f:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xfff0 && r <= 0xfff8:
		return true
	case r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a, r >= 0xe0000 && r <= 0xe0fff:
		return true
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// TrimName returns a typed name without surrounding blanks and invisible characters.
func TrimName(typed string) string {
	return strings.TrimFunc(typed, func(r rune) bool { return unicode.IsSpace(r) || ignorable(r) })
}
