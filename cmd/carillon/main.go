// Command carillon is the notification centre: the server and its administrative commands.
// `carillon --help` lists them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/redis/go-redis/v9/logging"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/snippets"
)

func main() {
	logging.Disable() // go-redis also returns these messages as errors
	if zone, err := config.Local(config.Process); err == nil {
		time.Local = zone // for rules and for times in the log; commands check it themselves
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second Ctrl-C ends the process immediately.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program except for its process. ctx ends with the signal that stops the program.
// The result is the exit status: 0 for success, 1 for a failure, 2 for wrong usage.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{args: args, stdin: stdin, stdout: stdout, stderr: stderr, lookup: config.Process, names: config.ProcessNames}
	return p.run(ctx)
}

// The exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// program is one invocation of carillon. Tests pass their own arguments, environment and streams.
type program struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	lookup         config.Lookup   // the environment
	names          func() []string // of its variables
}

// cli is the command line. Each setting can also be given in the environment; see config.Environment.
type cli struct {
	config.Flags `group:"settings"`

	JSON bool `name:"json" help:"Print each result as one line of JSON."`

	Serve    serveCmd      `cmd:"" help:"Run the server."`
	User     userCmd       `cmd:"" help:"Manage the directory of users."`
	Send     sendCmd       `cmd:"" help:"Send a notice."`
	Announce announceCmd   `cmd:"" help:"Publish an announcement to one or more audiences."`
	Key      keyCmd        `cmd:"" help:"Manage the keys of applications."`
	App      appCmd        `cmd:"" help:"Manage the applications whose users have inboxes here."`
	Hook     hookCmd       `cmd:"" help:"Manage webhooks: addresses of programs that receive events."`
	Board    boardCmd      `cmd:"" help:"Manage the links of boards: the tasks of a role, for a screen on a wall."`
	Receipt  receiptCmd    `cmd:"" help:"Verify the receipts of questions."`
	MCP      mcpCmd        `cmd:"" name:"mcp" help:"Let an agent send notices and ask people, by the Model Context Protocol."`
	Rules    rulesCmd      `cmd:"" help:"Check the rules that watch business databases, and the outboxes of applications."`
	Outbox   outboxCmd     `cmd:"" help:"Print the table of an outbox, from which Carillon reads the notices of an application."`
	Export   exportCmd     `cmd:"" help:"Print all stored data of a user, as JSON."`
	Backup   backupCmd     `cmd:"" help:"Copy the SQLite database to a file while the server runs."`
	Restore  restoreCmd    `cmd:"" help:"Replace the SQLite database by a backup."`
	Migrate  migrateCmd    `cmd:"" help:"Bring the database up to date."`
	Config   configCmd     `cmd:"" help:"Print the settings in force and where each comes from, without secrets."`
	Doctor   doctorCmd     `cmd:"" help:"Check Redis, SQL, clocks, keys and proxy, and say what to do."`
	Health   healthCmd     `cmd:"" help:"Ask the running server whether it is ready, as a container's health check."`
	OpenAPI  openapiCmd    `cmd:"" name:"openapi" help:"Print the OpenAPI document of the API."`
	Manual   manualCmd     `cmd:"" help:"Print the manual page, for man."`
	Complete completionCmd `cmd:"" name:"completion" help:"Print what completes commands in a shell."`
	Licences licencesCmd   `cmd:"" help:"Print the licences of the third-party code in this program."`
	Version  versionCmd    `cmd:"" help:"Print the version."`
}

// usageError is a mistake in the arguments or the configuration. The exit status is 2.
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
		source, why := trouble.Of(err)
		fmt.Fprintf(p.stderr, "carillon: %s\n", trouble.Explain(source, why, err))
		return exitFailed
	}
}

func (p *program) try(ctx context.Context) error {
	var c cli
	env := &config.Environment{Lookup: p.lookup}
	helped := false
	parser, err := kong.New(&c,
		kong.Name("carillon"),
		kong.Description("A notification centre: inbox, bell and notices for any web application."),
		kong.Writers(p.stdout, p.stderr),
		kong.Exit(func(int) { helped = true }),
		kong.Resolvers(env),
		kong.Vars{"snippets": strings.Join(snippets.Slugs(), ",")},
		kong.PostBuild(hideSettings),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: maxHelpWidth}),
	)
	if err != nil {
		return fmt.Errorf("build the command line: %w", err)
	}
	if slices.ContainsFunc(p.args, func(arg string) bool { return !utf8.ValidString(arg) }) {
		return usageError{errors.New("an argument is not UTF-8")} // kong would silently replace the bytes by \ufffd
	}
	if words, ok := helpWords(p.args); ok {
		return p.help(parser, words)
	}
	if len(p.args) == 0 {
		_, _ = parser.Parse([]string{"--help"}) // it prints to stdout, and the error below is the result
		return usageError{errors.New("name a command")}
	}
	call, err := parser.Parse(p.args)
	if helped {
		return nil
	}
	if err != nil {
		return parseError(parser, p.args, err)
	}
	cfg, err := c.Flags.Config(env)
	if command, _, _ := strings.Cut(call.Command(), " "); err != nil && !slices.Contains([]string{"version", "manual", "completion"}, command) {
		return usageError{err}
	}
	cfg.Names = p.names()
	cfg.Program = version()
	call.BindTo(ctx, (*context.Context)(nil))
	return call.Run(cfg, c.Flags.Settings(env), call.Model, &console{
		stdin: p.stdin, stdout: p.stdout, stderr: p.stderr, json: c.JSON,
		log: newLog(cfg, p.stderr),
	})
}

func newLog(cfg config.Config, to io.Writer) *slog.Logger {
	o := &slog.HandlerOptions{Level: cfg.LogLevel}
	if cfg.LogJSON {
		return slog.New(slog.NewJSONHandler(to, o))
	}
	return slog.New(slog.NewTextHandler(to, o))
}
