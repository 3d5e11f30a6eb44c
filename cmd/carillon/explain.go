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

// explain puts an *notifier.InvalidError into the words of the catalogue, one
// fault a line, each under the flag that it is about. Other errors stay.
func explain(err error) error { return explainAs(err, flagOf) }

// explainAs is explain where a field is called otherwise.
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

// faultValue is a parameter of a fault as a terminal can show it: what was given
// may hold what steers one.
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
		return "--role" // given once a role
	}
	return "--" + strings.ReplaceAll(field, "_", "-")
}

// missed says in words that a user, or what else the command names, is not
// there or is there already. Other errors stay.
func missed(err error, format string, args ...any) error {
	what := fmt.Sprintf(format, args...)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return errors.New("there is no " + what)
	case errors.Is(err, notifier.ErrConflict):
		return errors.New("there is a " + what + " already")
	}
	return explain(err)
}
