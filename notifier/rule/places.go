package rule

import (
	"regexp"
	"strings"
)

// places says where in the file its settings stand: what reads TOML does not tell.
// It is for messages only, so what is written in an unusual way has no place.
type places struct {
	top   map[string]int // settings before the first rule, and tables, by line
	rules []place
	other bool // the table that is read is not a rule
}

// place is where a rule stands.
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
	within := "" // the quotes of a text that goes over lines
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

// quotesAfter returns the quotes that are open behind a line: none, or three of a
// kind. At its beginning those of within were.
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
		return "" // such a text ends with its line
	}
	return within
}
