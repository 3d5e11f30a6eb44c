// Package mail sends letters to a mail server: it keeps lines to it, says how each letter fared, and
// tells faults of the server from those of an address.
package mail

import (
	"net/mail"
	"strings"
	"unicode"

	"github.com/carillonhq/carillon/notifier"
)

// ErrAddress means that a text is not one mail address.
var ErrAddress = notifier.ErrEmail

// ParseAddress returns the mail address that a text is; see notifier.ParseEmail.
func ParseAddress(text string) (string, error) { return notifier.ParseEmail(text) }

// split returns the parts of an address before and after its last @.
func split(address string) (local, host string) {
	i := strings.LastIndexByte(address, '@')
	return address[:max(i, 0)], address[i+1:]
}

// ParseSender returns the address in --mail-from, which may have a name for people before it:
// Carillon <carillon@example.com>.
func ParseSender(text string) (name, address string, err error) {
	if strings.ContainsFunc(text, unicode.IsControl) || !strings.Contains(text, "@") {
		return "", "", ErrAddress
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil {
		return "", "", ErrAddress
	}
	address, err = ParseAddress(parsed.Address)
	return parsed.Name, address, err
}
