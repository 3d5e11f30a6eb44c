// Package outbox reads the outboxes of applications: tables in their own databases, into which they insert notices in their
// own transactions. A row is a notice from the moment in which that transaction commits, and not without it: neither a
// crash of the application nor one of this process loses or doubles a notice.
//
// One process at a time reads an outbox, by a lock in the application's database. It sends the rows in the order of their
// ids, and then deletes them. There is no high-water mark: whatever row is there is read, because a transaction with a lower id may
// commit later than one with a higher id.
package outbox

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/notifier"
)

const (
	maxRows    = 500              // rows read and sent at once
	maxPayload = 512 << 10        // bytes of a payload
	maxRead    = 16 << 20         // bytes of payloads read at once
	maxError   = 1000             // characters of an error in its row
	callWait   = 10 * time.Second // limit of a call to the database of the application
)

// Box is an outbox of the rules file.
type Box struct {
	Name   string
	Source source.Source
	Table  string // TABLE or SCHEMA.TABLE
	App    string // the app whose rights it has; empty: none
}

// From is what the notice of a row needs besides its payload.
type From struct {
	Sender notifier.Ref
	App    int64  // 0: none
	Once   string // makes the row recognizable
}

// Decoded is a decoded payload.
type Decoded struct {
	Request notifier.Request
	Place   func(field string) string // the path within the payload of a field of the draft
}

// Config configures Outboxes.
type Config struct {
	Boxes []Box
	// Decode decodes a payload. Its error is for the author of the payload.
	Decode func(payload []byte, from From) (Decoded, error)
	// Send returns one result per request, in order; a repeated request returns the same notice. Users who do not
	// exist are added for an app.
	Send func(ctx context.Context, by notifier.Actor, app int64, all []notifier.Request) []notifier.Result
	// App returns the app with a name, which is not revoked.
	App   func(ctx context.Context, name string) (notifier.App, error)
	Every time.Duration // between two reads without a notification, and between two attempts; 0: 1 s
	Log   *slog.Logger  // nil: slog.Default()
}

// Outboxes reads the outboxes of an installation.
type Outboxes struct {
	c Config

	mu    sync.Mutex
	stats map[string]Stats // by name
}

// Stats describes an outbox, as this process sees it.
type Stats struct {
	Sent    int64 // rows that became notices
	Faulty  int64 // rows that got an error
	Reading bool  // this process reads it
	Away    bool  // its database cannot be used
	Waiting bool  // its rows wait, because Carillon cannot accept them
}

// New returns the outboxes, which are read by Run.
func New(c Config) *Outboxes {
	if c.Every == 0 {
		c.Every = time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	o := &Outboxes{c: c, stats: map[string]Stats{}}
	for _, b := range c.Boxes {
		o.stats[b.Name] = Stats{}
	}
	return o
}

// Run reads all outboxes until ctx ends. Each is read while this process has its lock; an outbox that cannot be read is
// tried again.
func (o *Outboxes) Run(ctx context.Context) error {
	var reading sync.WaitGroup
	for _, b := range o.c.Boxes {
		r := &reader{o: o, box: b, sender: notifier.OutboxRef(b.Name), log: o.c.Log.With("stage", "outbox", "outbox", b.Name)}
		reading.Go(func() { r.run(ctx) })
	}
	reading.Wait()
	return nil
}

// Stats returns the state of each outbox by name.
func (o *Outboxes) Stats() map[string]Stats {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.stats)
}

// count changes the state of an outbox.
func (o *Outboxes) count(name string, change func(*Stats)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.stats[name]
	change(&s)
	o.stats[name] = s
}
