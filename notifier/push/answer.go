package push

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxReason is the maximum length of a reason, in bytes.
const maxReason = 200

var (
	// ofKey matches the reasons for a 400 that concern the key or the token: Apple's VapidPkHashMismatch, and
	// Google's UnauthorizedRegistration.
	ofKey = regexp.MustCompile(`(?i)vapid|jwt|unauthori[sz]ed|authori[sz]ation|credential|sender ?id`)
	// secrets matches what may be an address or a token.
	secrets = regexp.MustCompile(`(?i)[a-z]+://\S+|[a-z0-9_+/=:.~%-]{32,}`)
	// title matches the title of a page, where Google's older front end gives its reason.
	title = regexp.MustCompile(`(?i)<title>([^<]*)</title>`)
)

// judge interprets the response of a push service.
func judge(res *http.Response, text []byte, now time.Time) Outcome {
	out := Outcome{Status: res.StatusCode, Verdict: Refused, Reason: reasonOf(res.Header, text)}
	switch code := res.StatusCode; {
	case code >= 200 && code < 300:
		return Outcome{Status: code, Verdict: Accepted}
	case code == http.StatusNotFound || code == http.StatusGone:
		out.Verdict = Gone
	case code == http.StatusUnauthorized || code == http.StatusForbidden, code == http.StatusBadRequest && ofKey.MatchString(out.Reason):
		out.Verdict = Denied
	case code == http.StatusTooManyRequests || code == http.StatusNotAcceptable || code >= 500: // 406: Microsoft's throttling
		out.Verdict, out.After = Later, retryAfter(cmp.Or(res.Header.Get("Retry-After"), res.Header.Get("X-WNS-Continue-After")), now)
	}
	return out
}

// reasonOf returns the reason in a response: a field of JSON, the title of a page, or the header that Microsoft uses. It
// removes possible secrets, such as the endpoint of a device.
func reasonOf(header http.Header, text []byte) string {
	said := string(text)
	var fields map[string]any
	if json.Unmarshal(text, &fields) == nil {
		said = ""
		for _, name := range []string{"reason", "message", "error"} {
			if value, ok := fields[name].(string); ok && said == "" {
				said = value
			}
		}
		if errno, ok := fields["errno"].(float64); ok {
			said = strings.TrimSpace(said + " (errno " + strconv.Itoa(int(errno)) + ")")
		}
	}
	if page := title.FindStringSubmatch(said); page != nil {
		said = page[1]
	}
	said = cmp.Or(strings.TrimSpace(said), header.Get("X-WNS-Error-Description"))
	said = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return ' '
	}, said)
	said = secrets.ReplaceAllString(strings.Join(strings.Fields(said), " "), "…")
	if len(said) > maxReason {
		said = strings.ToValidUTF8(said[:maxReason-len("…")], "") + "…"
	}
	return said
}

// retryAfter parses seconds or a date, and limits the time. It returns 0 for anything else.
func retryAfter(text string, now time.Time) (wait time.Duration) {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetry)
}
