package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/store"
)

type doctorCmd struct{}

// doctorWait bounds the whole of it: what does not answer by then is ill.
const doctorWait = time.Minute

// finding is what one check found. A failure says what to do.
type finding struct {
	Check  string `json:"check"`
	Status status `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"`
}

type status string

const (
	good    status = "ok"
	notable status = "note"
	ill     status = "FAIL"
)

// examination gathers findings as it goes and prints them at once, so that a
// check which hangs is seen to.
type examination struct {
	c     *console
	fails int
	err   error
}

// Run examines everything the server depends on. It changes nothing but the
// database's schema, as every command does; what it writes to SQL as a trial it
// takes away at once.
func (doctorCmd) Run(ctx context.Context, cfg config, c *console) error {
	ctx, cancel := context.WithTimeout(ctx, doctorWait)
	defer cancel()
	e := &examination{c: c}
	rdb, reason := redisBeside(ctx, cfg)
	asked := e.redis(ctx, cfg, rdb, reason)
	err := e.sql(ctx, cfg, func(db *store.Store) { e.work(ctx, cfg, db, rdb, asked) })
	e.keys(cfg)
	e.proxy(ctx, cfg)
	e.err = errors.Join(e.err, err, rdb.Close())
	if e.err != nil {
		return e.err
	}
	if e.fails > 0 {
		return errors.New(plural(e.fails, "check") + " failed")
	}
	return nil
}

func (e *examination) report(f finding) {
	if f.Status == ill {
		e.fails++
	}
	format := "%-4s  %-12s %s"
	args := []any{f.Status, f.Check, f.Found}
	if f.Advice != "" {
		format += "\n                   → %s"
		args = append(args, f.Advice)
	}
	e.err = errors.Join(e.err, e.c.result(f, format, args...))
}

func (e *examination) ok(check, format string, args ...any) {
	e.report(finding{check, good, fmt.Sprintf(format, args...), ""})
}

func (e *examination) note(check, found, advice string) {
	e.report(finding{check, notable, found, advice})
}

func (e *examination) fail(check, found, advice string) {
	e.report(finding{check, ill, found, advice})
}

// clock compares another clock with ours; asked is when we asked, and half of
// the time it took is the way there.
func (e *examination) clock(whose string, theirs, asked, answered time.Time) {
	const tolerable = 2 * time.Second
	off := theirs.Sub(asked.Add(answered.Sub(asked) / 2)).Round(time.Millisecond)
	if off.Abs() > tolerable {
		e.fail("clock", fmt.Sprintf("%s is %v off ours", whose, off), "set both by NTP: the order of notices, expiry and sessions go by them")
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
