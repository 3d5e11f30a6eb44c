// Package mail sends mails to a mail server: it keeps connections open, reports the result of each mail, and
// distinguishes faults of the server from faults of an address.
package mail

import (
	"net/mail"
	"strings"
	"unicode"

	"github.com/carillonhq/carillon/notifier"
)

// ErrAddress means that a text is not one mail address.
var ErrAddress = notifier.ErrEmail

// ParseAddress parses one mail address; see notifier.ParseEmail.
func ParseAddress(text string) (string, error) { return notifier.ParseEmail(text) }

// split returns the parts of an address before and after its last @.
func split(address string) (local, host string) {
	i := strings.LastIndexByte(address, '@')
	return address[:max(i, 0)], address[i+1:]
}

// ParseSender parses --mail-from, which may have a display name before the address:
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
