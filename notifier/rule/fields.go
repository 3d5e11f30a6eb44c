package rule

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// fields reads the settings of one rule and collects their faults.
type fields struct {
	table  map[string]any
	left   []string // settings not yet read; those left at the end are unknown
	at     place
	prefix string // of their names in faults, for those in a table
	faults []Fault
}

func (t *fields) fault(field, text string) {
	line := t.at.line
	if of, known := t.at.fields[field]; known {
		line = of
	}
	t.faults = append(t.faults, Fault{Line: line, Field: t.prefix + field, Text: text})
}

// first summarizes why the rule cannot run; empty if it can.
func (t *fields) first() string {
	if len(t.faults) == 0 {
		return ""
	}
	f := t.faults[0]
	f.Rule = ""
	if len(t.faults) > 1 {
		f.Text += fmt.Sprintf(" (and %d more)", len(t.faults)-1)
	}
	return f.String()
}

func (t *fields) take(field string) (any, bool) {
	t.left = slices.DeleteFunc(t.left, func(key string) bool { return key == field })
	v, given := t.table[field]
	return v, given
}

func (t *fields) text(field string) string {
	v, given := t.take(field)
	s, ok := v.(string)
	if given && !ok {
		t.fault(field, "must be a text in quotes")
	}
	return s
}

func (t *fields) required(field string) string {
	s := t.text(field)
	if _, given := t.table[field]; !given {
		t.fault(field, "missing")
	} else if _, isText := t.table[field].(string); isText && strings.TrimSpace(s) == "" {
		t.fault(field, "empty")
	}
	return s
}

func (t *fields) list(field string) []string {
	v, given := t.take(field)
	if !given {
		return nil
	}
	items, ok := v.([]any)
	texts := make([]string, 0, len(items))
	for _, item := range items {
		s, isText := item.(string)
		ok = ok && isText
		texts = append(texts, s)
	}
	if !ok || len(texts) == 0 {
		t.fault(field, `must be a list of names, such as ["alice", "bob"]`)
		return nil
	}
	return texts
}

func (t *fields) yes(field string) bool {
	v, given := t.take(field)
	b, ok := v.(bool)
	if given && !ok {
		t.fault(field, "must be true or false")
	}
	return b
}

func (t *fields) number(field string, absent, least, most int) int {
	v, given := t.take(field)
	if !given {
		return absent
	}
	n, ok := v.(int64)
	if !ok || n < int64(least) || n > int64(most) {
		t.fault(field, fmt.Sprintf("must be a number from %d to %d", least, most))
		return absent
	}
	return int(n)
}

// span parses a duration such as "90s" or "30d". With most 0 there is no upper limit.
func (t *fields) span(field string, absent, least, most time.Duration) time.Duration {
	v, given := t.take(field)
	if !given {
		return absent
	}
	s, _ := v.(string)
	d, err := notifier.ParseSpan(s)
	if most == 0 {
		most = math.MaxInt64
	}
	switch {
	case err != nil || d < 0:
		t.fault(field, `must be a duration in quotes, such as "90s", "15m", "72h" or "30d"`)
	case d < least:
		t.fault(field, "must be "+printSpan(least)+" or more")
	case d > most:
		t.fault(field, "must be "+printSpan(most)+" or less")
	default:
		return d
	}
	return absent
}

// printSpan omits zero units: 10m, not 10m0s.
func printSpan(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}

func (t *fields) template(field string, needed bool) *template.Template {
	read := t.text
	if needed {
		read = t.required
	}
	parsed, err := parseTemplate(t.prefix+field, read(field))
	if err != nil {
		t.fault(field, err.Error())
	}
	return parsed
}

func (t *fields) schedule() schedule {
	every, isEvery := t.table["every"]
	cron, isCron := t.take("cron")
	switch {
	case isEvery && isCron:
		t.fault("cron", "set either every or cron, not both")
	case isCron:
		s, err := parseCron(t.text("cron"))
		if err != nil {
			t.fault("cron", fmt.Sprintf("%v: %v", cron, err))
		}
		return s
	case !isEvery:
		t.fault("every", `missing: write every = "5m", or cron = "*/5 * * * *"`)
	}
	return schedule{text: fmt.Sprintf("every %v", every), every: t.span("every", 0, minEvery, 0)}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
