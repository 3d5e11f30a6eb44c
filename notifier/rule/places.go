package rule

import (
	"regexp"
	"strings"
)

// places contains the line numbers of the settings in the file, which the TOML decoder does not
// report. They are only used in messages, so settings in an unusual notation may be missing.
type places struct {
	top   map[string]int // line by name, for settings before the first rule and for tables
	rules []place
	other bool // the current table is not a rule
}

// place is the position of a rule in the file.
type place struct {
	line   int // of its [[rule]]
	fields map[string]int
}

var (
	rulePattern  = regexp.MustCompile(`^\s*\[\[\s*rule\s*\]\]`)
	tablePattern = regexp.MustCompile(`^\s*\[+\s*"?([A-Za-z0-9_-]+)`)
	fieldPattern = regexp.MustCompile(`^\s*["']?([A-Za-z0-9_-]+)["']?\s*=`)
)

func findPlaces(text string) places {
	p := places{top: map[string]int{}}
	within := "" // the quotes of an open multi-line string
	for i, line := range strings.Split(text, "\n") {
		if within == "" {
			p.note(i+1, line)
		}
		within = quotesAfter(within, line)
	}
	return p
}

func (p *places) rule(i int) place {
	if i < len(p.rules) {
		return p.rules[i]
	}
	return place{}
}

func (p *places) note(n int, line string) {
	if rulePattern.MatchString(line) {
		p.rules, p.other = append(p.rules, place{n, map[string]int{}}), false
		return
	}
	if m := tablePattern.FindStringSubmatch(line); m != nil {
		p.top[m[1]], p.other = n, true
		return
	}
	m := fieldPattern.FindStringSubmatch(line)
	switch {
	case m == nil, p.other:
	case len(p.rules) == 0:
		p.top[m[1]] = n
	default:
		p.rules[len(p.rules)-1].fields[m[1]] = n
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
