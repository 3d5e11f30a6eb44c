package rule

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
	"time"
)

// maxText limits the output of a template, far above the limit of any field.
const maxText = 64 << 10

var errTooMuchText = fmt.Errorf("longer than %d KB", maxText>>10)

// functions returns the functions that templates can use in addition to text/template's own.
func functions() template.FuncMap {
	return template.FuncMap{
		"lower": strings.ToLower,
		"upper": strings.ToUpper,
		"trim":  strings.TrimSpace,
		"path":  func(v any) string { return url.PathEscape(fmt.Sprint(v)) },
		// default "none" .x gives none if the column is NULL or empty.
		"default": func(instead, v any) any {
			if fmt.Sprint(v) == "" {
				return instead
			}
			return v
		},
		// date "2 Jan 15:04" .at formats a time; other values are unchanged.
		"date": func(layout string, v any) string {
			if m, ok := v.(moment); ok {
				return m.Format(layout)
			}
			return fmt.Sprint(v)
		},
		// in "Europe/Amsterdam" .at converts a time to a zone.
		"in": func(zone string, v any) (any, error) {
			m, ok := v.(moment)
			if !ok {
				return v, nil
			}
			loc, err := time.LoadLocation(zone)
			return moment{m.In(loc)}, err
		},
	}
}

func parseTemplate(name, text string) (*template.Template, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(functions()).Parse(text)
	if err != nil {
		text := plain(err, name)
		if line, what, ok := strings.Cut(text, ": "); ok && line == "1" {
			text = what
		} else if ok {
			text = "template line " + text
		}
		return nil, errors.New(text)
	}
	return t, nil
}

// execute renders a template with a row.
func execute(t *template.Template, row map[string]any) (string, error) {
	var w limited
	err := t.Execute(&w, row)
	switch {
	case errors.Is(err, errTooMuchText):
		return "", fmt.Errorf("%s: %w", t.Name(), errTooMuchText)
	case err != nil:
		return "", errors.New(t.Name() + ": " + plain(err, t.Name()))
	}
	return w.String(), nil
}

// executing matches the position that text/template puts into its errors.
var executing = regexp.MustCompile(`^[0-9:]+ executing "[^"]*" at `)

// plain removes the template's name and position from an error of text/template.
func plain(err error, name string) string {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "template: "), name+":")
	return executing.ReplaceAllString(text, "")
}

// limited is a buffer that refuses to grow beyond maxText.
type limited struct{ strings.Builder }

func (w *limited) Write(p []byte) (int, error) {
	if w.Len()+len(p) > maxText {
		return 0, errTooMuchText
	}
	return w.Builder.Write(p)
}

// columnsOf returns the columns that a template certainly reads, so that a wrong name is reported
// even if there are no rows. It ignores places where the dot is not the row.
func columnsOf(t *template.Template) []string {
	if t == nil || t.Tree == nil {
		return nil
	}
	var names []string
	walk(t.Root, &names)
	slices.Sort(names)
	return slices.Compact(names)
}

func walk(n parse.Node, names *[]string) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, of := range n.Nodes {
				walk(of, names)
			}
		}
	case *parse.ActionNode:
		walk(n.Pipe, names)
	case *parse.PipeNode:
		if n != nil {
			for _, of := range n.Cmds {
				walk(of, names)
			}
		}
	case *parse.CommandNode:
		for _, of := range n.Args {
			walk(of, names)
		}
	case *parse.FieldNode:
		*names = append(*names, n.Ident[0])
	case *parse.ChainNode:
		walk(n.Node, names)
	case *parse.IfNode:
		walk(n.Pipe, names)
		walk(n.List, names)
		walk(n.ElseList, names)
	case *parse.RangeNode:
		walk(n.Pipe, names)
	case *parse.WithNode:
		walk(n.Pipe, names)
	}
}
