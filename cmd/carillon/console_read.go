package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"golang.org/x/term"
)

// maxPassword bounds what is read; how long a password may be is decided where
// it is hashed.
const maxPassword = 4096

// password reads a password: the whole of stdin but for its last line break,
// or, where somebody types, one line that is not shown.
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

func noDial(reason error) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return nil, reason }
}
