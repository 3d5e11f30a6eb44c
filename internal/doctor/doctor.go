// Package doctor checks Redis, SQL, the clocks, the keys, the proxy, the mail server and the push key of a
// configuration, and gives advice on each fault.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

// wait limits the whole examination. A part that has not responded by then has failed.
const wait = 90 * time.Second

// Finding is the result of one check. A failure has advice.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

// Status is whether the operator has to act.
type Status string

// The statuses of findings.
const (
	OK   Status = "ok"
	Note Status = "note"
	Fail Status = "FAIL"
)

// String returns the finding as one line, and the advice on a second.
func (f Finding) String() string {
	line := fmt.Sprintf("%-4s  %-12s %s", f.Status, f.Check, f.Found)
	if f.Advice != "" {
		line += "\n                   → " + f.Advice
	}
	return line
}

// Config selects what to examine.
type Config struct {
	Settings *config.Config
	// Redis returns a client of the Redis that the server uses, which the caller closes, and an
	// error if it cannot be reached.
	Redis func(ctx context.Context) (redis.UniversalClient, error)
	// Store opens and migrates the database. The examination closes it.
	Store func(ctx context.Context) (*store.Store, error)
	// VAPID signs a token for push services with the key of this installation, and returns the key's public
	// half. The error is ErrNoVAPID if no server has generated the key yet.
	VAPID func(ctx context.Context, db *store.Store) (public string, err error)
	// KeySets fetches the keys of each app that has a JWKS.
	KeySets func(ctx context.Context, db *store.Store) ([]app.KeySet, error)
	// Silence is how long a test stream through the proxy is silent, as between two heartbeats; at most 30 s; 0: not
	// tested.
	Silence time.Duration
	// Report is called with each finding immediately, so that the operator sees which check
	// hangs.
	Report func(Finding) error
	Log    *slog.Logger
}

// examination is one run over all checks.
type examination struct {
	report func(Finding) error
	log    *slog.Logger
	fails  int
	err    error // of reporting
}

// Examine checks everything that a server depends on, and returns how many checks failed. It
// changes only the schema of the database, like every command; a trial change in SQL is removed
// immediately.
func Examine(ctx context.Context, c Config) (fails int, err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	e := &examination{report: c.Report, log: c.Log}
	for _, sentence := range c.Settings.Misspelt() {
		e.fail("settings", sentence, "correct its name, or remove it")
	}
	rdb, reason := c.Redis(ctx)
	reachable := e.redis(ctx, c.Settings, rdb, reason)
	db, err := c.Store(ctx)
	err = e.sql(ctx, c.Settings, db, err, func() {
		e.work(ctx, c.Settings, db, rdb, reachable)
		e.push(ctx, c.Settings, func(ctx context.Context) (string, error) { return c.VAPID(ctx, db) })
		e.keySets(ctx, func(ctx context.Context) ([]app.KeySet, error) { return c.KeySets(ctx, db) })
	})
	e.keys(c.Settings)
	e.proxy(ctx, c.Settings, c.Silence)
	e.identity(ctx, c.Settings)
	e.provider(ctx, c.Settings)
	e.mail(ctx, c.Settings)
	return e.fails, errors.Join(e.err, err, rdb.Close())
}

func (e *examination) add(f Finding) {
	if f.Status == Fail {
		e.fails++
	}
	e.err = errors.Join(e.err, e.report(f))
}

func (e *examination) ok(check, format string, args ...any) {
	e.add(Finding{check, OK, fmt.Sprintf(format, args...), ""})
}

func (e *examination) note(check, found, advice string) {
	e.add(Finding{check, Note, found, advice})
}

func (e *examination) fail(check, found, advice string) {
	e.add(Finding{check, Fail, found, advice})
}

// trouble reports a failure by its cause, the error of the other side, and the cure.
func (e *examination) trouble(check string, err error, why trouble.Trouble, otherwise string) {
	if why == (trouble.Trouble{}) {
		e.fail(check, err.Error(), otherwise)
		return
	}
	e.fail(check, fmt.Sprintf("%s (%s)", why.Found, trouble.Detail(err)), why.Cure)
}

// clock compares another clock with the clock of this machine. It assumes that the way to the other clock
// takes half of the round trip.
func (e *examination) clock(whose string, theirs, asked, answered time.Time) {
	const tolerable = 2 * time.Second
	off := theirs.Sub(asked.Add(answered.Sub(asked) / 2)).Round(time.Millisecond)
	if off.Abs() > tolerable {
		e.fail("clock", fmt.Sprintf("%s is %v off ours", whose, off), "synchronise both by NTP: the order of notices, expiry and sessions depend on them")
		return
	}
	e.ok("clock", "%s is %v off ours", whose, off)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
