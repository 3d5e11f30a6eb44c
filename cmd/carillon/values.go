package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// maxBits is the most bits of a Redis string, and so the highest seq.
const maxBits = 1<<32 - 1

// faults gathers what is wrong with the configuration.
type faults []string

func (f *faults) add(flag, format string, args ...any) {
	*f = append(*f, flag+": "+fmt.Sprintf(format, args...))
}

func (f *faults) err() error {
	switch len(*f) {
	case 0:
		return nil
	case 1:
		return errors.New((*f)[0])
	}
	return fmt.Errorf("%d settings are wrong:\n  %s", len(*f), strings.Join(*f, "\n  "))
}

func (f *faults) address(flag, s string) string {
	_, port, err := net.SplitHostPort(s)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		f.add(flag, "%q is not HOST:PORT, such as 127.0.0.1:8080", s)
	}
	return s
}

func (f *faults) prefix(flag, s string) string {
	if s == "" || strings.ContainsAny(s, "{} \t\n") || len(s) > 64 {
		f.add(flag, "%q must be 1 to 64 bytes without braces and spaces: a brace would decide where keys of a cluster lie", s)
	}
	return s
}

func (f *faults) database(flag, s string) string {
	if s != "" && !strings.HasPrefix(s, "postgres://") && !strings.HasPrefix(s, "postgresql://") {
		f.add(flag, "must begin with postgres://, or be empty for SQLite")
	}
	return s
}

func (f *faults) keys(flag, s string) [][]byte {
	var keys [][]byte
	for i, text := range split(s) {
		key, err := hex.DecodeString(text)
		if err != nil || len(key) != keyBytes {
			f.add(flag, "key %d must be %d hex digits (openssl rand -hex %d)", i+1, 2*keyBytes, keyBytes)
			continue
		}
		keys = append(keys, key)
	}
	return keys
}

func (f *faults) publicURL(flag, s string) *url.URL {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		f.add(flag, "%q is not http(s)://HOST[:PORT] without a path", s)
		return nil
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}
}

func (f *faults) number(flag, s string, low, high int64) int64 {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	if err != nil || n < low || n > high {
		f.add(flag, "%q is not a number from %d to %d", s, low, high)
	}
	return n
}

func (f *faults) span(flag, s string, low time.Duration) time.Duration {
	d, err := parseSpan(s)
	if err != nil || d < low {
		f.add(flag, "%q is not a time of at least %s, such as 72h or 30d", s, low)
	}
	return d
}

// retention is how long toasts wait. Shorter than an hour it would take away what is
// still to pop up, and of more than a week nobody wants to be told; Redis holds all of it.
func (f *faults) retention(flag, s string) time.Duration {
	d, err := parseSpan(s)
	if err != nil || d < notifier.MaxToastAge || d > 7*24*time.Hour {
		f.add(flag, "%q is not a time from 1h to 7d", s)
	}
	return d
}

func (f *faults) level(flag, s string) slog.Level {
	switch level := slog.Level(0); strings.ToLower(s) {
	case "debug", "info", "warn", "error":
		_ = level.UnmarshalText([]byte(s)) // one of the four
		return level
	default:
		f.add(flag, "%q is not debug, info, warn or error", s)
		return slog.LevelInfo
	}
}

// parseSpan reads a duration, and whole days as 30d.
func parseSpan(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	return time.ParseDuration(s)
}
