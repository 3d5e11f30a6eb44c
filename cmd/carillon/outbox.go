package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/notifier/outbox"
	"github.com/carillonhq/carillon/notifier/rule"
)

type outboxCmd struct {
	Schema outboxSchemaCmd `cmd:"" help:"Print the table of an outbox, for the database of an application. It can be applied again."`
}

type outboxSchemaCmd struct {
	Dialect source.Dialect `required:"" enum:"postgres,mysql,sqlite" placeholder:"NAME" help:"postgres, mysql (also for MariaDB) or sqlite."`
	Table   string         `default:"carillon_outbox" help:"The name of the table."`
}

// Run prints the statements that create the table.
func (o outboxSchemaCmd) Run(c *console) error {
	if !rule.ValidTable(o.Table) {
		return usageError{fmt.Errorf("--table: %q is not the name of a table, or SCHEMA.TABLE, of letters, digits and _", o.Table)}
	}
	_, err := io.WriteString(c.stdout, outbox.Schema(o.Dialect, o.Table))
	return err
}

// checkedOutbox is an outbox as `rules check` prints it.
type checkedOutbox struct {
	Outbox  string `json:"outbox"`
	Source  string `json:"source"`
	Table   string `json:"table"`
	App     string `json:"app,omitempty"`
	Waiting int64  `json:"waiting"`
	Faulty  int64  `json:"faulty"`
	Error   string `json:"error,omitempty"`
}

func printOutbox(c *console, b rule.Outbox, s outbox.State, failed error) error {
	line := checkedOutbox{Outbox: b.Name, Source: b.SourceName, Table: b.Table, App: b.App, Waiting: s.Waiting, Faulty: s.Faulty}
	var text strings.Builder
	fmt.Fprintf(&text, "outbox %s, %s of %s", b.Name, b.Table, b.SourceName)
	if b.App != "" {
		text.WriteString(", for the app " + b.App)
	}
	if failed != nil {
		line.Error = failed.Error()
		fmt.Fprintf(&text, "\n  error     %v", failed)
	} else {
		fmt.Fprintf(&text, ": %s to send, %d with an error", plural(int(s.Waiting), "row"), s.Faulty)
	}
	return c.result(line, "%s", text.String())
}
