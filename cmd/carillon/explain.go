package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// explain turns a *notifier.InvalidError into sentences of the catalogue, one fault per line, each after its flag. It
// returns other errors unchanged.
func explain(err error) error { return explainAs(err, flagOf) }

// explainAs is explain for callers with other names for the fields.
func explainAs(err error, called func(field string) string) error {
	var bad *notifier.InvalidError
	if !errors.As(err, &bad) {
		return err
	}
	words, cerr := locale.New()
	if cerr != nil {
		return err
	}
	p := words.For("en", "")
	lines := make([]string, len(bad.Fields))
	for i, f := range bad.Fields {
		lines[i] = called(f.Field) + ": " + sentence(p, f)
	}
	return errors.New(strings.Join(lines, "\n          "))
}

func sentence(p *locale.Printer, f notifier.FieldError) string {
	id := "error." + f.Code
	if !p.Has(id) {
		return f.Error()
	}
	var pairs []string
	for name, value := range f.Params {
		pairs = append(pairs, name, faultValue(p, value))
	}
	if n, ok := f.Params["Count"].(int); ok {
		return p.N(id, int64(n), pairs...)
	}
	return p.F(id, pairs...)
}

// faultValue returns a parameter of a fault in a form that is safe to print: user input may
// contain terminal control characters.
func faultValue(p *locale.Printer, value any) string {
	const day = 24 * time.Hour
	if n, ok := value.(int); ok {
		return p.Number(int64(n))
	}
	text := fmt.Sprint(value)
	if d, err := time.ParseDuration(text); err == nil && d >= day && d%day == 0 {
		return p.N("duration.days", int64(d/day))
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

func flagOf(field string) string {
	switch {
	case slices.Contains([]string{"name", "password"}, field):
		return field
	case field == "roles":
		return "--role" // the flag is repeated, once per role
	}
	return "--" + strings.ReplaceAll(field, "_", "-")
}

// missed turns ErrNotFound, ErrLeaving and ErrConflict into a sentence about the object of the
// command, such as a user, which format describes. Other errors go through explain.
func missed(err error, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return errors.New("there is no " + what)
	case errors.Is(err, notifier.ErrLeaving):
		return errors.New(what + " is being deleted; the name is free when that is done")
	case errors.Is(err, notifier.ErrConflict):
		return errors.New("there is a " + what + " already")
	}
	return explain(err)
}
