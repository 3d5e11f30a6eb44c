package rule

import (
	"regexp"
	"strings"
)

// places contains the line numbers of the settings in the file, which the TOML decoder does not
// report. They are only used in messages, so settings in an unusual notation may be missing.
type places struct {
	top  map[string]int     // line by name, for settings before the first table and for tables that are no rules or outboxes
	all  map[string][]place // by kind: of the rules and of the outboxes
	last map[string]int     // the fields of the current one
	any  bool               // there was a table before
}

// The kinds of tables.
const (
	kindRule   = "rule"
	kindOutbox = "outbox"
)

// place is the position of a rule or an outbox in the file.
type place struct {
	line   int // of its [[rule]] or [[outbox]]
	fields map[string]int
}

var (
	itemPattern  = regexp.MustCompile(`^\s*\[\[\s*(rule|outbox)\s*\]\]`)
	tablePattern = regexp.MustCompile(`^\s*\[+\s*"?([A-Za-z0-9_-]+)`)
	fieldPattern = regexp.MustCompile(`^\s*["']?([A-Za-z0-9_-]+)["']?\s*=`)
)

func findPlaces(text string) places {
	p := places{top: map[string]int{}, all: map[string][]place{}}
	within := "" // the quotes of an open multi-line string
	for i, line := range strings.Split(text, "\n") {
		if within == "" {
			p.note(i+1, line)
		}
		within = quotesAfter(within, line)
	}
	return p
}

// of returns the position of the rule or outbox with an index.
func (p *places) of(kind string, i int) place {
	if i < len(p.all[kind]) {
		return p.all[kind][i]
	}
	return place{}
}

func (p *places) note(n int, line string) {
	if m := itemPattern.FindStringSubmatch(line); m != nil {
		p.last, p.any = map[string]int{}, true
		p.all[m[1]] = append(p.all[m[1]], place{n, p.last})
		return
	}
	if m := tablePattern.FindStringSubmatch(line); m != nil {
		p.top[m[1]], p.last, p.any = n, nil, true
		return
	}
	m := fieldPattern.FindStringSubmatch(line)
	switch {
	case m == nil:
	case p.last != nil:
		p.last[m[1]] = n
	case !p.any:
		p.top[m[1]] = n
	}
}

// quotesAfter returns the quotes that are open at the end of a line: none, or three of a kind.
// within are the quotes that are open at its beginning.
func quotesAfter(within, line string) string {
	for i := 0; i < len(line); {
		rest := line[i:]
		switch {
		case within == "" && rest[0] == '#':
			return ""
		case within != `'''` && within != `'` && within != "" && rest[0] == '\\':
			i += 2
		case within == "" && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, `'''`)):
			within = rest[:3]
			i += 3
		case within == "" && (rest[0] == '"' || rest[0] == '\''):
			within = rest[:1]
			i++
		case within != "" && strings.HasPrefix(rest, within):
			i += len(within)
			within = ""
		default:
			i++
		}
	}
	if len(within) == 1 {
		return "" // a single-quoted string ends with its line
	}
	return within
}
