package rule

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/notifier"
)

const (
	minEvery       = time.Second
	maxTimeout     = 10 * time.Minute
	defaultTimeout = 10 * time.Second
	mostRows       = 100_000
	defaultRows    = 1000
)

// namePattern excludes characters that would need quoting in a lease, a log line or an address.
var namePattern = regexp.MustCompile(`\A[a-z0-9][a-z0-9_.-]{0,62}\z`)

// Parse parses a rules file. The error is a *FaultsError with all faults. The set is returned together
// with it, unless the text is not TOML; rules with a fault stay in the set but never run. lookup reads
// environment variables, which contain the addresses of the sources.
func Parse(text []byte, lookup func(string) (string, bool)) (*Set, error) {
	var file map[string]any
	if _, err := toml.Decode(string(text), &file); err != nil {
		return nil, &FaultsError{[]Fault{syntaxFault(err)}}
	}
	p := parser{
		lookup: lookup, places: findPlaces(string(text)), names: map[string]bool{}, sources: map[string]source.Source{},
		boxes: map[string]bool{}, tables: map[boxTable]bool{},
	}
	for _, key := range sortedKeys(file) {
		if key != kindRule && key != kindOutbox {
			p.faults = append(p.faults, Fault{Line: p.places.top[key], Field: key, Text: "unknown setting outside a rule; a rule begins with [[rule]]"})
		}
	}
	set := &Set{}
	for i, table := range p.items(file, kindRule) {
		set.rules = append(set.rules, p.rule(i, table))
	}
	for i, table := range p.items(file, kindOutbox) {
		set.outboxes = append(set.outboxes, p.outbox(i, table))
	}
	if len(p.faults) > 0 {
		slices.SortStableFunc(p.faults, func(a, b Fault) int { return a.Line - b.Line })
		return set, &FaultsError{p.faults}
	}
	return set, nil
}

// items returns the tables of a kind.
func (p *parser) items(file map[string]any, kind string) []map[string]any {
	tables, ok := file[kind].([]map[string]any)
	if _, given := file[kind]; given && !ok {
		p.faults = append(p.faults, Fault{Line: p.places.top[kind], Field: kind, Text: "write [[" + kind + "]] and put its settings below it"})
	}
	return tables
}

func syntaxFault(err error) Fault {
	var at toml.ParseError
	if errors.As(err, &at) {
		return Fault{Line: at.Position.Line, Text: at.Message}
	}
	return Fault{Text: err.Error()}
}

// parser collects the faults of one file.
type parser struct {
	lookup  func(string) (string, bool)
	places  places
	names   map[string]bool
	sources map[string]source.Source
	boxes   map[string]bool // names of outboxes
	tables  map[boxTable]bool
	faults  []Fault
}

// end adds the faults of a rule or an outbox, which also has those of its unknown settings.
func (p *parser) end(t *fields, kind, name string) {
	for _, key := range t.left {
		t.fault(key, "unknown setting")
	}
	for _, f := range t.faults {
		f.Kind, f.Rule = kind, name
		p.faults = append(p.faults, f)
	}
}

func (p *parser) rule(i int, table map[string]any) *Rule {
	t := &fields{table: table, left: sortedKeys(table), at: p.places.of(kindRule, i)}
	r := &Rule{Name: t.text("name")}
	switch {
	case r.Name == "":
		r.Name = "rule " + strconv.Itoa(i+1)
		t.fault("name", "missing")
	case !namePattern.MatchString(r.Name):
		t.fault("name", "use at most 63 characters of a-z, 0-9, _, . and -")
	case p.names[r.Name]:
		t.fault("name", "an earlier rule has this name")
	}
	p.names[r.Name] = true
	r.schedule = t.schedule()
	r.Source = t.required("source")
	r.source = p.source(r.Source, t)
	r.Query = t.required("query")
	r.Timeout = t.span("timeout", defaultTimeout, time.Second/10, maxTimeout)
	r.MaxRows = t.number("max_rows", defaultRows, 1, mostRows)
	r.addressed(t)
	r.typed(t)
	r.texts.subject = t.template("subject", true)
	r.texts.title = t.template("title", true)
	r.texts.body = t.template("body", false)
	r.texts.link = t.template("link", false)
	r.extras = t.extras()
	r.expiresIn = t.span("expires_in", 0, 0, 0)
	r.Remind = t.span("remind", 0, 0, 0)
	r.taken(t)
	r.Withdraw = t.yes("withdraw") || r.take != nil // nobody takes what is no longer there
	r.toast = t.yes("toast")
	p.end(t, kindRule, r.Name)
	r.Fault = t.first()
	return r
}

// typed reads the type of the findings. Only those to the subscribers of a topic need one.
func (r *Rule) typed(t *fields) {
	if r.role == "" && len(r.users) == 0 {
		r.Type = t.required("type")
	} else {
		r.Type = cmp.Or(t.text("type"), notifier.TypeMessage)
	}
	if r.Type != "" && !notifier.ValidType(r.Type) {
		t.fault("type", "use at most 63 characters of a-z, 0-9, _, . and -")
	}
}

// addressed reads the recipients of the findings: a role or users, else the subscribers of a topic.
func (r *Rule) addressed(t *fields) {
	r.scope, r.scopeColumn = t.text("scope"), t.text("scope_column")
	if !validTopic(notifier.Topic{Type: "x", Scope: r.scope}) {
		t.fault("scope", "use at most 64 letters, digits, _, . and -")
	}
	if r.scope != "" && r.scopeColumn != "" {
		t.fault("scope_column", "set either scope or scope_column, not both")
	}
	r.role, r.users = t.role("role"), t.names("users", "user")
	if r.role != "" && len(r.users) > 0 {
		t.fault("users", "set either role or users, not both")
	}
}
