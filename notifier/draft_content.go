package notifier

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// checkLine checks a required line of text.
func checkLine(field, s string, limit int, bad *InvalidError) {
	before := len(bad.Fields)
	checkText(field, s, limit, allIsolates, bad)
	// A line of only spaces and joiners would be displayed as an empty one.
	if len(bad.Fields) == before && !strings.ContainsFunc(s, visible) {
		bad.Add(field, CodeRequired, nil)
	}
}

// bodyControls are the control characters that a body may contain.
const bodyControls = "\n\t" + allIsolates

// checkText checks the length and the characters of a field. allowed lists the control
// characters that this field may contain. Isolates among them must be closed in it.
func checkText(field, s string, limit int, allowed string, bad *InvalidError) {
	if r, found := badRune(s, allowed); found {
		bad.Add(field, CodeBadText, map[string]any{"Char": r})
		return
	}
	if open, ok := openIsolates(s); open > 0 || !ok {
		bad.Add(field, CodeOpenIsolate, nil)
		return
	}
	if n := utf8.RuneCountInString(s); n > limit {
		bad.Add(field, CodeTooLong, map[string]any{"Max": limit, "Count": n})
	}
}

// badRune finds the first character that is not allowed in any text, and names it as
// U+XXXX, or as UTF-8 if the text is not valid UTF-8. Not allowed are control characters
// except those in allowed, line and paragraph separators, and characters that override or isolate
// the text direction.
func badRune(s, allowed string) (name string, found bool) {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size <= 1 {
				return "UTF-8", true
			}
		}
		if forbidden(r) && !strings.ContainsRune(allowed, r) {
			return fmt.Sprintf("U+%04X", r), true
		}
	}
	return "", false
}

func forbidden(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return false
}

func visible(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S)
}

// ValidLink reports whether a notice may have this link: a path on this host, https to one of the hosts, or an
// address on one of the sites.
func ValidLink(link string, l Limits) bool {
	var bad InvalidError
	checkLink("link", link, l, &bad)
	return link != "" && len(bad.Fields) == 0
}

// checkLink allows in this field a path on this host, https to one of the hosts, or an address on one of the sites. It parses the
// link as the most lenient browser would, which treats a backslash as a slash and ignores
// tabs and line breaks anywhere.
func checkLink(field, s string, l Limits, bad *InvalidError) {
	if s == "" {
		return
	}
	before := len(bad.Fields)
	checkText(field, s, MaxLink, "", bad)
	if len(bad.Fields) > before {
		return
	}
	if strings.ContainsRune(s, '\\') || strings.ContainsFunc(s, unicode.IsSpace) {
		bad.Add(field, CodeBadLink, nil)
		return
	}
	u, err := url.Parse(s)
	switch {
	case err != nil, !cleanPath(u):
		bad.Add(field, CodeBadLink, nil)
	case strings.HasPrefix(s, "/"):
		if strings.HasPrefix(s, "//") || u.Scheme != "" || u.Host != "" {
			bad.Add(field, CodeBadLink, nil)
		}
	case u.Opaque != "", u.User != nil, u.Host == "":
		bad.Add(field, CodeBadLink, nil)
	case onSite(u, l.Sites):
	case u.Scheme != "https":
		bad.Add(field, CodeBadLink, nil)
	case !allowedHost(u, l.LinkHosts):
		bad.Add(field, CodeLinkHost, map[string]any{"Host": u.Host})
	}
}

// cleanPath reports whether the path stays the same when a proxy or browser decodes or
// resolves it. Examples that do not: `/%2fevil.example`, `/%5cevil.example`,
// `/..//evil.example`.
func cleanPath(u *url.URL) bool {
	if strings.HasPrefix(u.Path, "//") || strings.ContainsRune(u.Path, '\\') {
		return false
	}
	if _, found := badRune(u.Path, ""); found {
		return false
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

func onSite(u *url.URL, sites []string) bool {
	origin, ok := Origin(u.Scheme + "://" + u.Host)
	return ok && slices.Contains(sites, origin)
}

func allowedHost(u *url.URL, hosts []string) bool {
	host := strings.ToLower(u.Host)
	if u.Port() == "443" {
		host = strings.ToLower(u.Hostname())
	}
	return slices.ContainsFunc(hosts, func(h string) bool { return h != "" && strings.EqualFold(h, host) })
}

// DefaultToastLife is how long a toast without an inbox entry waits for its user by
// default. A shorter Limits.Toast takes precedence.
const DefaultToastLife = time.Hour

// ValidateToast is Validate for a toast without an inbox entry. Such a toast has no subject,
// cannot go to audiences, and lives for at most l.Toast.
func (d *Draft) ValidateToast(l Limits) error {
	var bad InvalidError
	audiences := len(d.Target.Audiences) > 0
	d.Normalise()
	if audiences {
		bad.Add("to", CodeToastAudience, nil)
	} else {
		d.Target.check(nil, &bad)
	}
	d.checkType(&bad)
	checkLine("title", d.Title, MaxTitle, &bad)
	checkText("body", d.Body, MaxBody, bodyControls, &bad)
	checkLink("link", d.Link, l, &bad)
	d.Extras.check(l, false, &bad)
	if l.Toast <= 0 {
		l.Toast = DefaultToastLife
	}
	switch {
	case d.ExpiresIn < 0:
		bad.Add("expires_in", CodeExpiresPast, nil)
	case d.ExpiresIn > l.Toast:
		bad.Add("expires_in", CodeToastLate, map[string]any{"Max": l.Toast.String()})
	case d.ExpiresIn == 0:
		d.ExpiresIn = min(DefaultToastLife, l.Toast)
	}
	return bad.OrNil()
}

// checkWindow sets a missing start and end of an announcement's window, rounds both to
// the millisecond, and checks them. given is the expiry that the sender set; it is the
// length of a window without an end. Other notices have no window.
func (d *Draft) checkWindow(given time.Duration, l Limits, bad *InvalidError) {
	if len(d.Target.Audiences) == 0 {
		d.Window = Window{}
		return
	}
	if l.Now.IsZero() {
		return
	}
	now := l.Now.UTC().Truncate(time.Millisecond)
	if d.StartsAt.IsZero() {
		d.StartsAt = now
	}
	d.StartsAt = d.StartsAt.UTC().Truncate(time.Millisecond)
	ends := "ends_at"
	if d.EndsAt.IsZero() {
		ends = "starts_at" // the end follows from the start
		length := l.Keep
		if given > 0 {
			length = min(given, l.Keep) // a longer expiry is reported by checkExpiry
		}
		d.EndsAt = d.StartsAt.Add(length)
	}
	d.EndsAt = d.EndsAt.UTC().Truncate(time.Millisecond)
	switch {
	case d.StartsAt.After(now.Add(l.Keep)):
		bad.Add("starts_at", CodeStartsLate, lateParams(l.Keep))
	case !d.EndsAt.After(now):
		bad.Add(ends, CodeEndsPast, nil)
	case !d.EndsAt.After(d.StartsAt):
		bad.Add("ends_at", CodeEndsBefore, nil)
	case d.EndsAt.After(d.StartsAt.Add(l.Keep)):
		bad.Add("ends_at", CodeEndsLate, lateParams(l.Keep))
	}
}

func lateParams(keep time.Duration) map[string]any {
	return map[string]any{"Max": keep.String(), "Days": int64(keep / (24 * time.Hour))}
}
