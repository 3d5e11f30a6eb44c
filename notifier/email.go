package notifier

import (
	"net/mail"
	"strings"
)

// MaxEmail is the most bytes of a mail address (RFC 5321, section 4.5.3.1).
const MaxEmail = 254

// ValidEmail reports whether text is one mail address, without a name and in ASCII.
func ValidEmail(text string) bool {
	if len(text) > MaxEmail || strings.Count(text, "@") != 1 {
		return false
	}
	for _, c := range []byte(text) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`<>()[],;:\"`, c) >= 0 {
			return false
		}
	}
	local, domain, _ := strings.Cut(text, "@")
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text && len(local) <= 64 && strings.Trim(domain, ".-") == domain
}
