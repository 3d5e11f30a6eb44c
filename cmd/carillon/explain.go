package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

// explain puts an *notifier.InvalidError into the words of the catalogue, one
// fault a line, each under the flag that it is about. Other errors stay.
func explain(err error) error {
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
		lines[i] = flagOf(f.Field) + ": " + sentence(p, f)
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
		pairs = append(pairs, name, fmt.Sprint(value))
	}
	if n, ok := f.Params["Count"].(int); ok {
		return p.N(id, int64(n), pairs...)
	}
	return p.F(id, pairs...)
}

func flagOf(field string) string {
	if slices.Contains([]string{"name", "password"}, field) {
		return field
	}
	return "--" + strings.ReplaceAll(field, "_", "-")
}
