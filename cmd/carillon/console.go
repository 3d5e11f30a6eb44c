package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// console is what a command reads from and reports to.
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

// note tells a person something that is not a result.
func (c *console) note(format string, args ...any) {
	fmt.Fprintf(c.stderr, format+"\n", args...)
}

// terminal says whether a person watches stderr.
func (c *console) terminal() bool {
	f, ok := c.stderr.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// number writes n with a comma between thousands.
func number(n int64) string { return message.NewPrinter(language.English).Sprintf("%d", n) }
