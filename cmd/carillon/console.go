package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/instance"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

// console holds the input and the outputs of a command.
type console struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	json           bool
	log            *slog.Logger
}

// result prints one result: a line of text, or v as a line of JSON.
func (c *console) result(v any, format string, args ...any) error {
	var err error
	if c.json {
		err = json.NewEncoder(c.stdout).Encode(v)
	} else {
		_, err = fmt.Fprintf(c.stdout, format+"\n", args...)
	}
	if err != nil {
		return fmt.Errorf("print the result: %w", err)
	}
	return nil
}

// note prints a message to stderr that is not part of the result.
func (c *console) note(format string, args ...any) {
	fmt.Fprintf(c.stderr, format+"\n", args...)
}

// terminal reports whether stderr is a terminal.
func (c *console) terminal() bool {
	f, ok := c.stderr.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// maxPassword limits the bytes read. The maximum length of a password is checked where it is hashed.
const maxPassword = 4096

// password reads a password: one line without echo if stdin is a terminal, else all of stdin
// without its last line break.
func (c *console) password() (string, error) {
	if f, ok := c.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		fmt.Fprint(c.stderr, "Password: ")
		text, err := term.ReadPassword(int(f.Fd()))
		fmt.Fprintln(c.stderr)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		return string(text), nil
	}
	text, err := io.ReadAll(io.LimitReader(c.stdin, maxPassword))
	if err != nil {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}

// progress shows the progress of a long command: a bar on a terminal, else a line at each tenth.
type progress struct {
	c     *console
	what  string
	total int
	bar   *progressbar.ProgressBar
	tenth int
}

func newProgress(c *console, what string, total int) *progress {
	p := &progress{c: c, what: what, total: total}
	if c.terminal() {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(c.stderr),
			progressbar.OptionSetDescription(what),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

func (p *progress) at(done int) {
	if p.bar != nil {
		_ = p.bar.Set(min(done, p.total)) // failing to draw the bar must not stop the command
		return
	}
	if p.total == 0 {
		return
	}
	if tenth := min(10, 10*done/p.total); tenth > p.tenth {
		p.tenth = tenth
		p.c.note("%s: %d %%", p.what, 10*tenth)
	}
}

func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Finish() // as above
	}
}

// number writes n with a comma between thousands.
func number(n int64) string { return message.NewPrinter(language.English).Sprintf("%d", n) }

// plural writes a count and its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// withStore opens SQL for the duration of one command.
func withStore(ctx context.Context, cfg config.Config, work func(*store.Store) error) error {
	db, err := instance.OpenStore(ctx, cfg)
	if err != nil {
		return err
	}
	return errors.Join(work(db), db.Close())
}

// withPeople opens SQL, and Redis if it can be reached, for a command that changes users.
func (c *console) withPeople(ctx context.Context, cfg config.Config, work func(*person.People) error) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		people, closeRedis := instance.NewPeople(cfg, db, c.log)
		return errors.Join(work(people), closeRedis())
	})
}

// commandLine is the actor of changes made by commands.
func commandLine() notifier.Actor { return notifier.Actor{Ref: notifier.CommandRef("command line")} }
