//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// recordScript runs do and returns the words of the EVALSHA that Redis received, so that the
// bound runs exactly the same script with the current keys and arguments.
func recordScript(ctx context.Context, socket string, do func() error) ([]string, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("record a script: %w", err)
	}
	defer func() { _ = c.Close() }()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return nil, fmt.Errorf("record a script: %w", err)
	}
	if _, err := c.Write([]byte("MONITOR\r\n")); err != nil {
		return nil, fmt.Errorf("record a script: %w", err)
	}
	in := bufio.NewReader(c)
	if _, err := in.ReadString('\n'); err != nil { // +OK: MONITOR sees all commands from here on
		return nil, fmt.Errorf("record a script: %w", err)
	}
	if err := do(); err != nil {
		return nil, err
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("record a script: no EVALSHA seen: %w", err)
		}
		words, err := monitorWords(line)
		if err != nil {
			return nil, err
		}
		if len(words) > 0 && strings.EqualFold(words[0], "evalsha") {
			return words, nil
		}
	}
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// monitorWords splits a line of MONITOR (`TIME [DB CLIENT] "word" "word"`) into its words.
// Redis quotes as Go does.
func monitorWords(line string) ([]string, error) {
	_, rest, _ := strings.Cut(line, "] ")
	var words []string
	for _, q := range quoted.FindAllString(rest, -1) {
		w, err := strconv.Unquote(q)
		if err != nil {
			return nil, fmt.Errorf("read %q of MONITOR: %w", q, err)
		}
		words = append(words, w)
	}
	return words, nil
}
