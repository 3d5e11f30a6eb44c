// Package address checks addresses that contain a password before they are used.
package address

import (
	"errors"
	"net/url"
	"strings"
)

// The errors of Check. They contain no part of the address, which may be a part of the password.
var (
	ErrReserved   = errors.New("has a special character outside of its place; in a user or password write @ as %40, / as %2F, ? as %3F and # as %23")
	ErrUnreadable = errors.New("is not a valid URL: the port must be a number, and special characters in a user or password must be escaped, such as %40 for @")
)

// Check reports whether the user and password of a URL end before its host. A /, ? or # in a password ends the host for
// every parser: the rest of the password would be looked up in the DNS, or printed as the name of a database.
func Check(raw string) error {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return ErrUnreadable
	}
	tail := ""
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		tail = rest[end:]
	}
	path, query, _ := strings.Cut(tail, "?")
	if strings.ContainsAny(path, "@#") || strings.Contains(query, "#") {
		return ErrReserved
	}
	for pair := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(pair, "="); strings.Contains(name, "@") {
			return ErrReserved
		}
	}
	if _, err := url.Parse(raw); err != nil {
		return ErrUnreadable
	}
	return nil
}
