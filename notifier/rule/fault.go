package rule

import (
	"fmt"
	"strings"
)

// Fault is an error in the rules file.
type Fault struct {
	Line  int    // from 1; 0: unknown
	Rule  string // name of the rule; empty: the whole file
	Field string // empty: the whole rule
	Text  string // the error and how to correct it
}

func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if f.Rule != "" {
		fmt.Fprintf(&b, "rule %q: ", f.Rule)
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	return b.String() + f.Text
}

// FaultsError is all faults of a file, in order of their lines.
type FaultsError struct{ Faults []Fault }

func (e *FaultsError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}
