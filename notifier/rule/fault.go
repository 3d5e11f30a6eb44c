package rule

import (
	"errors"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// Fault is an error in the rules file.
type Fault struct {
	Line  int    // from 1; 0: unknown
	Kind  string // rule or outbox
	Rule  string // name of the rule or outbox; empty: the whole file
	Field string // empty: the whole rule
	Text  string // the error and how to correct it
}

func (f Fault) String() string {
	var b strings.Builder
	if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if f.Rule != "" {
		fmt.Fprintf(&b, "%s %q: ", f.Kind, f.Rule)
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	return b.String() + f.Text
}

// FaultsError contains all faults of a file, in order of their lines.
type FaultsError struct{ Faults []Fault }

func (e *FaultsError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// maxNamed is the maximum number of errors of a list that are included; the rest are counted.
const maxNamed = 3

// several collects the errors of some items among many.
type several struct {
	texts []string
	more  int
}

func (s *several) add(what string, err error) {
	if len(s.texts) == maxNamed {
		s.more++
		return
	}
	s.texts = append(s.texts, what+": "+inWords(err))
}

// inWords returns an error's text, with the faults of a notice as sentences.
func inWords(err error) string {
	bad := (*notifier.InvalidError)(nil)
	if !errors.As(err, &bad) {
		return err.Error()
	}
	texts := make([]string, len(bad.Fields))
	for i, f := range bad.Fields {
		texts[i] = f.Field + " " + f.Sentence()
	}
	return strings.Join(texts, "; ")
}

func (s *several) orNil() error {
	switch {
	case len(s.texts) == 0:
		return nil
	case s.more > 0:
		return fmt.Errorf("%s; and %d more", strings.Join(s.texts, "; "), s.more)
	}
	return errors.New(strings.Join(s.texts, "; "))
}

// joined joins the errors into one line; nil if there are none.
func joined(errs ...error) error {
	var texts []string
	for _, err := range errs {
		if err != nil {
			texts = append(texts, err.Error())
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return errors.New(strings.Join(texts, "; "))
}
