package notifier

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// MaxFind is the maximum length of Filter.Text in characters. Nothing matches a longer one.
const MaxFind = 100

// Filter selects entries by type and text. The zero value selects all.
type Filter struct {
	Type string // only entries of this type; empty: all
	Text string // only entries with this in the title or the body, ignoring case and width; empty: all
}

// Filters reports whether the filter may leave entries out.
func (f Filter) Filters() bool { return f.Type != "" || f.needle() != "" || f.tooLong() }

// Texts returns a function that reports whether a content has the text of the filter, whatever its
// type. The function is not safe for concurrent use.
func (f Filter) Texts() func(c *Content) bool {
	if f.tooLong() {
		return func(*Content) bool { return false }
	}
	fold := folder()
	needle := fold(f.needle())
	if needle == "" {
		return func(*Content) bool { return true }
	}
	return func(c *Content) bool {
		return strings.Contains(fold(c.Title), needle) || strings.Contains(fold(c.Body), needle)
	}
}

// needle is the text without the space around it.
func (f Filter) needle() string { return strings.TrimSpace(f.Text) }

func (f Filter) tooLong() bool { return utf8.RuneCountInString(f.Text) > MaxFind }

// folder returns a function that gives texts which differ only in case or width the same form.
func folder() func(string) string {
	caser := cases.Fold()
	return func(s string) string {
		for i := range len(s) {
			if s[i] >= utf8.RuneSelf {
				return caser.String(norm.NFKC.String(s))
			}
		}
		return strings.ToLower(s) // the same for ASCII, and faster
	}
}

// TypeCount is a type of notices and how many entries have it.
type TypeCount struct {
	Type  string
	Count int64
}
