package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// The exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// program is one call of carillon. Tests hand in their own arguments,
// environment and streams.
type program struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	lookup         func(string) (string, bool) // the environment
}

// cli is the command line. Every flag has a twin in the environment; see environment.
type cli struct {
	flags `group:"Settings (each also as CARILLON_ADDR, CARILLON_REDIS_URL, …; secrets also from a file, CARILLON_…_FILE)"`

	JSON bool `name:"json" help:"Print each result as one line of JSON."`

	Serve    serveCmd    `cmd:"" help:"Run the server."`
	User     userCmd     `cmd:"" help:"Manage the directory of users."`
	Send     sendCmd     `cmd:"" help:"Send a notice."`
	Announce announceCmd `cmd:"" help:"Announce something to whole audiences."`
	Key      keyCmd      `cmd:"" help:"Manage the keys of applications."`
	Rules    rulesCmd    `cmd:"" help:"Look after the rules that watch business databases."`
	Export   exportCmd   `cmd:"" help:"Print everything that is kept of a user, as JSON."`
	Migrate  migrateCmd  `cmd:"" help:"Bring the database up to date."`
	Doctor   doctorCmd   `cmd:"" help:"Check Redis, SQL, clocks, keys and proxy, and say what to do."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// usageError is a fault of the call, not of the work: status 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func (p *program) run(ctx context.Context) int {
	err := p.try(ctx)
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &usage):
		fmt.Fprintf(p.stderr, "carillon: %v\n", err)
		return exitUsage
	default:
		fmt.Fprintf(p.stderr, "carillon: %v\n", err)
		return exitFailed
	}
}

func (p *program) try(ctx context.Context) error {
	var c cli
	env := &environment{lookup: p.lookup}
	helped := false
	parser, err := kong.New(&c,
		kong.Name("carillon"),
		kong.Description("A notification centre: inbox, bell and notices for any web application."),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(int) { helped = true }),
		kong.Resolvers(env),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
	)
	if err != nil {
		return fmt.Errorf("build the command line: %w", err)
	}
	if slices.ContainsFunc(p.args, func(arg string) bool { return !utf8.ValidString(arg) }) {
		return usageError{errors.New("an argument is not UTF-8")} // kong would quietly put \ufffd in its place
	}
	call, err := parser.Parse(p.args)
	if helped {
		return nil
	}
	if err != nil {
		return usageError{fmt.Errorf("%w (see carillon --help)", err)}
	}
	cfg, err := c.flags.config(env.faults)
	if err != nil && call.Command() != "version" {
		return usageError{err}
	}
	cfg.lookup = p.lookup
	call.BindTo(ctx, (*context.Context)(nil))
	return call.Run(cfg, &console{
		stdin: p.stdin, stdout: p.stdout, stderr: p.stderr, json: c.JSON,
		log: slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: cfg.LogLevel})),
	})
}
