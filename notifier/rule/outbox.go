package rule

import (
	"cmp"
	"regexp"
	"strconv"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/notifier"
)

// Outbox is an outbox of the file. One in which Parse found a fault is not read.
type Outbox struct {
	Name       string
	SourceName string // CARILLON_RULE_SOURCE_…
	Source     source.Source
	Table      string // TABLE or SCHEMA.TABLE
	App        string // the app whose rights it has; empty: none
	Fault      string // why it cannot be read; empty: it can
}

// Outboxes returns the outboxes in the order of the file, including those with a fault.
func (s *Set) Outboxes() []Outbox { return s.outboxes }

// defaultTable is the table of an outbox that names none.
const defaultTable = "carillon_outbox"

// boxPattern excludes names that would need quoting.
var boxPattern = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?\z`)

// ValidTable reports whether a text is the name of a table, or of a schema and a table.
func ValidTable(name string) bool { return boxPattern.MatchString(name) }

// boxTable is where an outbox is; two outboxes cannot share one.
type boxTable struct{ source, table string }

func (p *parser) outbox(i int, table map[string]any) Outbox {
	t := &fields{table: table, left: sortedKeys(table), at: p.places.of(kindOutbox, i)}
	b := Outbox{Name: t.text("name")}
	switch {
	case b.Name == "":
		b.Name = "outbox " + strconv.Itoa(i+1)
		t.fault("name", "missing")
	case !namePattern.MatchString(b.Name):
		t.fault("name", "use at most 63 characters of a-z, 0-9, _, . and -")
	case p.boxes[b.Name]:
		t.fault("name", "an earlier outbox has this name")
	}
	p.boxes[b.Name] = true
	b.SourceName = t.required("source")
	b.Source = p.source(b.SourceName, t)
	b.Table = cmp.Or(t.text("table"), defaultTable)
	at := boxTable{b.SourceName, b.Table}
	switch {
	case !ValidTable(b.Table):
		t.fault("table", "use the name of a table, or SCHEMA.TABLE, of letters, digits and _")
	case p.tables[at]:
		t.fault("table", "an earlier outbox reads this table")
	}
	p.tables[at] = true
	if b.App = t.text("app"); b.App != "" && !notifier.ValidName(b.App) {
		t.fault("app", "not a valid name of an app")
	}
	p.end(t, kindOutbox, b.Name)
	b.Fault = t.first()
	return b
}
