package locale

import (
	"errors"
	"strings"
)

// pattern is a text split at its placeholders: text, name, text, name, …, text.
type pattern []string

var errPattern = errors.New("a placeholder must look like {{.Name}}")

// compile splits a text. It rejects logic in a text, so that all languages have the same content.
func compile(text string) (pattern, error) {
	var p pattern
	for {
		before, rest, found := strings.Cut(text, "{{")
		if !found {
			return append(p, before), nil
		}
		name, after, closed := strings.Cut(rest, "}}")
		name, dotted := strings.CutPrefix(name, ".")
		if !closed || !dotted || name == "" || strings.ContainsAny(name, " .|$(") {
			return nil, errPattern
		}
		p = append(p, before, name)
		text = after
	}
}

// fill inserts the values given as name, value, … pairs. A name without a value becomes empty.
func (p pattern) fill(pairs []string) string {
	if len(p) == 1 {
		return p[0]
	}
	var b strings.Builder
	n := 0
	for i, s := range p {
		if i%2 == 0 {
			n += len(s)
		} else {
			n += len(valueOf(s, pairs))
		}
	}
	b.Grow(n)
	for i, s := range p {
		if i%2 == 1 {
			s = valueOf(s, pairs)
		}
		b.WriteString(s)
	}
	return b.String()
}

// script is the pattern as the browser's modules expect it, with {Name} for a value.
func (p pattern) script() string {
	pairs := make([]string, 0, len(p))
	for i := 1; i < len(p); i += 2 {
		pairs = append(pairs, p[i], "{"+p[i]+"}")
	}
	return p.fill(pairs)
}

func valueOf(name string, pairs []string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1]
		}
	}
	return ""
}
