package notifier

import (
	"errors"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// MaxEmail is the maximum length of a mail address in bytes: RFC 5321 (section 4.5.3.1) allows 256 in a path, with
// its brackets.
const MaxEmail = 254

// ErrEmail means that a text is not exactly one mail address.
var ErrEmail = errors.New("must be one mail address, such as alice@example.com, of at most 254 bytes")

// ParseEmail parses one mail address and returns it in the form in which Carillon stores and uses it: without
// surrounding blanks, and with the domain in ASCII (bücher.example becomes xn--bcher-kva.example). The
// local part may be UTF-8, which only servers with SMTPUTF8 accept. Names, comments, quotes, lists and
// everything that could end a line of a header or of SMTP are rejected. The error is ErrEmail.
func ParseEmail(text string) (string, error) {
	text = strings.TrimSpace(text)
	if len(text) > 4*MaxEmail || strings.Count(text, "@") != 1 || !utf8.ValidString(text) || strings.ContainsFunc(text, notInEmail) {
		return "", ErrEmail
	}
	local, domain, _ := strings.Cut(text, "@")
	domain, err := asciiDomain(domain)
	if err != nil || len(local) > 64 || !validMailHost(domain) {
		return "", ErrEmail
	}
	address := local + "@" + domain
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Name != "" || parsed.Address != address || len(address) > MaxEmail {
		return "", ErrEmail
	}
	return address, nil
}

// asciiDomain returns a domain in the form used by DNS. A domain in ASCII is returned unchanged.
func asciiDomain(domain string) (string, error) {
	if !strings.ContainsFunc(domain, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return domain, nil
	}
	return idna.Lookup.ToASCII(domain)
}

// notInEmail reports whether an address cannot contain the character: spaces and brackets would split it
// into two words of SMTP, and the others are invisible.
func notInEmail(r rune) bool {
	return r == unicode.ReplacementChar || unicode.IsSpace(r) || !unicode.IsPrint(r) || strings.ContainsRune(`<>,;:\"()[]`, r)
}

// validMailHost reports whether the text can be the name of a mail host; single words such as localhost are valid.
func validMailHost(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsAny(label, "_!#$%&'*+/=?^`{|}~") {
			return false
		}
	}
	return true
}
