package rule

import (
	"fmt"
	"strings"
)

// Fault is something wrong in the file.
type Fault struct {
	Line  int    // from 1; 0: not known
	Rule  string // its name; empty: of the file as a whole
	Field string // empty: of the rule as a whole
	Text  string // what is wrong, and what would be right
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

// FaultsError is every fault of a file, in its order.
type FaultsError struct{ Faults []Fault }

func (e *FaultsError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}
