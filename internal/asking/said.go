package asking

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
)

// said returns the cleaned value of a profile header; nil: it is absent, or was dropped. The
// first of several counts.
func said(r *http.Request, header string, clean func(said string) (string, notifier.Mend)) (*string, notifier.Mend) {
	if header == "" {
		return nil, notifier.Unsaid
	}
	values := r.Header.Values(header)
	if len(values) == 0 {
		return nil, notifier.Unsaid
	}
	value, mend := clean(decoded(values[0]))
	switch {
	case mend == notifier.Dropped:
		return nil, mend
	case mend == notifier.Kept && len(values) > 1:
		mend = notifier.Cut
	}
	return &value, mend
}

// decoded returns the text of a header that a proxy has put into ASCII: as an encoded word (RFC 2047, Tailscale),
// an extended value (RFC 8187) or by percent signs. Headers have no encoding of their own; a text that is
// written in none of these ways is returned as it is.
func decoded(value string) string {
	switch {
	case strings.Contains(value, "=?"):
		if text, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
			return text
		}
	case len(value) > 7 && strings.EqualFold(value[:7], "utf-8''"):
		if text, ok := unescaped(value[7:]); ok {
			return text
		}
	case strings.Contains(value, "%"):
		if text, ok := unescaped(value); ok && strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return text // a name such as 100%25 is more likely to be one
		}
	}
	return value
}

func unescaped(value string) (string, bool) {
	text, err := url.PathUnescape(value)
	return text, err == nil && utf8.ValidString(text)
}
