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

// maxText is how much a template may write: far more than any field holds.
const maxText = 64 << 10

var errTooMuchText = fmt.Errorf("writes more than %d KB", maxText>>10)

// functions is what templates can do beside what text/template itself brings.
func functions() template.FuncMap {
	return template.FuncMap{
		"lower": strings.ToLower,
		"upper": strings.ToUpper,
		"trim":  strings.TrimSpace,
		"path":  func(v any) string { return url.PathEscape(fmt.Sprint(v)) },
		// default "none" .x is none where the column is NULL or empty.
		"default": func(instead, v any) any {
			if fmt.Sprint(v) == "" {
				return instead
			}
			return v
		},
		// date "2 Jan 15:04" .at; what is no time stays as it is.
		"date": func(layout string, v any) string {
			if m, ok := v.(moment); ok {
				return m.Format(layout)
			}
			return fmt.Sprint(v)
		},
		// in "Europe/Amsterdam" .at
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
			text = "its line " + text
		}
		return nil, errors.New(text)
	}
	return t, nil
}

// execute fills a template with a row.
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

// executing is where text/template says that it was when an error arose.
var executing = regexp.MustCompile(`^[0-9:]+ executing "[^"]*" at `)

// plain leaves out of an error what it calls the template, and where it was in it in terms of its own.
func plain(err error, name string) string {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "template: "), name+":")
	return executing.ReplaceAllString(text, "")
}

// limited holds so much, and refuses the rest.
type limited struct{ strings.Builder }

func (w *limited) Write(p []byte) (int, error) {
	if w.Len()+len(p) > maxText {
		return 0, errTooMuchText
	}
	return w.Builder.Write(p)
}

// columnsOf returns which columns a template certainly reads, so that a wrong name is
// found while there is no row yet. What stands where the dot is another is not looked at.
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
