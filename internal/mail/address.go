// Package mail sends letters to a mail server: it keeps lines to it, says how each letter fared, and
// tells faults of the server from those of an address.
package mail

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"
)

// MaxAddress is the most bytes of an address: RFC 5321 allows 256 in a path, with its brackets.
const MaxAddress = 254

// ErrAddress means that a text is not one mail address.
var ErrAddress = errors.New("must be one mail address, such as alice@example.com, of at most 254 bytes")

// ParseAddress returns the mail address that a text is. It takes no display names, comments or lists,
// and nothing that could end a line of a header or of SMTP. The error is ErrAddress.
func ParseAddress(text string) (string, error) {
	if len(text) > MaxAddress || strings.ContainsFunc(text, forbidden) {
		return "", ErrAddress
	}
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Name != "" || parsed.Address != text {
		return "", ErrAddress
	}
	local, host := split(text)
	if len(local) > 64 || strings.HasPrefix(local, `"`) || !validHost(host) {
		return "", ErrAddress
	}
	return text, nil
}

// forbidden reports whether a character has no place in an address: spaces and brackets would make
// it two words of SMTP, and the others cannot be seen.
func forbidden(r rune) bool {
	return r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`<>,;:\"()`, r)
}

// validHost reports whether a text can be the name of a mail host; a single word such as localhost can.
func validHost(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsAny(label, "_[]!#$%&'*+/=?^`{|}~") {
			return false
		}
	}
	return true
}

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
