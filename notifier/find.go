package notifier

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// MaxFind is the maximum length of Filter.Text in characters. Nothing matches a longer one.
const MaxFind = 100

// Section selects entries by what they belong to. The zero value selects all.
type Section struct {
	Types []string // only entries of one of these types; empty: all
	Scope *string  // only entries of exactly this scope, "" for those without one; nil: all
	App   *string  // only entries of exactly this app, by name, "" for those without one; nil: all
}

// All reports whether the section is the whole inbox.
func (s *Section) All() bool { return len(s.Types) == 0 && s.Scope == nil && s.App == nil }

// Has reports whether an entry with this content belongs to the section.
func (s *Section) Has(c *Content) bool {
	return (len(s.Types) == 0 || slices.Contains(s.Types, c.Type)) && (s.Scope == nil || *s.Scope == c.Scope) && (s.App == nil || *s.App == c.App)
}

// NameCount is a type, scope or app, empty for entries without one, with the number of its entries.
type NameCount struct {
	Name         string
	Rows, Unread int64
}

// Filter selects entries by type, text and section. The zero value selects all.
type Filter struct {
	Section
	Type string // only entries of this type; empty: all
	Text string // only entries with this text in the title or the body, ignoring case and width; empty: all
}

// Filters reports whether the filter can exclude entries.
func (f Filter) Filters() bool { return !f.All() || f.Type != "" || f.needle() != "" || f.tooLong() }

// Texts returns a function that reports whether a content contains the text of the filter, regardless of
// its type. The function is not safe for concurrent use.
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

// needle returns the text without surrounding space.
func (f Filter) needle() string { return strings.TrimSpace(f.Text) }

func (f Filter) tooLong() bool { return utf8.RuneCountInString(f.Text) > MaxFind }

// folder returns a function that maps texts which differ only in case or width to the same form. Case
// folding maps each character separately, so the function caches the characters seen so far: an inbox
// has few different ones.
func folder() func(string) string {
	caser, known := cases.Fold(), map[rune]string{}
	return func(s string) string {
		ascii := true
		for i := range len(s) {
			ascii = ascii && s[i] < utf8.RuneSelf
		}
		if ascii {
			return strings.ToLower(s) // same result for ASCII, and faster
		}
		var b strings.Builder
		b.Grow(len(s))
		for _, r := range norm.NFKC.String(s) {
			if r < utf8.RuneSelf {
				if 'A' <= r && r <= 'Z' {
					r += 'a' - 'A'
				}
				b.WriteRune(r)
				continue
			}
			folded, met := known[r]
			if !met {
				folded = caser.String(string(r))
				known[r] = folded
			}
			b.WriteString(folded)
		}
		return b.String()
	}
}

// TypeCount is a type of notices with its number of entries.
type TypeCount struct {
	Type  string
	Count int64
}

// TypeTally contains the number of entries by type.
type TypeTally map[string]int64

// List returns the types, the most frequent first, then by name.
func (t TypeTally) List() []TypeCount {
	list := make([]TypeCount, 0, len(t))
	for typ, n := range t {
		list = append(list, TypeCount{Type: typ, Count: n})
	}
	slices.SortFunc(list, func(a, b TypeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Type, b.Type))
	})
	return list
}
