package notifier

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// The lengths that a draft keeps to: characters, but for names and subjects,
// which are bytes.
const (
	MaxTitle   = 200
	MaxBody    = 4000
	MaxLink    = 2000
	MaxSubject = 200
	MaxName    = 200
)

// DefaultKeep is how long a notice is kept when nothing else is configured.
const DefaultKeep = 180 * 24 * time.Hour

// Limits is what one installation allows in a draft.
type Limits struct {
	LinkHosts []string      // hosts, or host:port, that an https link may name; none: relative links only
	Keep      time.Duration // the longest life of a notice, and that of one without expiry; 0: DefaultKeep
	Audiences []Audience    // those there are; none: any
	Toast     time.Duration // the longest life of a toast that leaves no row; 0: DefaultToastLife
	Expiry    Expiry        // how long a notice of a type lives that says nothing about it; nil: Keep
	Now       time.Time     // what the window of an announcement is measured by; zero: it is not looked at
}

// Expiry answers how long notices of a type live that say nothing about it; 0: as
// long as any.
type Expiry func(typ string) time.Duration

var (
	typePattern  = regexp.MustCompile(`\A[a-z0-9][a-z0-9_.-]{0,62}\z`)
	scopePattern = regexp.MustCompile(`\A[A-Za-z0-9_.-]{0,64}\z`)
)

// ValidType says whether a notice can be of this type.
func ValidType(t string) bool { return typePattern.MatchString(t) }

// Validate brings the draft into its normal form and checks every rule of the
// design. Normal means: CRLF in the body is LF, spaces around single-line
// fields are gone (not around names: they tell names apart), users and audiences
// named twice are named once, a notice to a topic that names no type is of the
// topic's type and scope, an absent expiry is that of its type or l.Keep, and the window
// of an announcement has a beginning and an end. The error is an
// *InvalidError with every fault, in the order of the form; the draft is then
// not to be sent.
//
// What passes can be stored and published: its key holds no space and no
// state, its text no character that forges a line.
func (d *Draft) Validate(l Limits) error {
	var bad InvalidError
	d.normalise()
	d.Target.check(l.Audiences, &bad)
	switch {
	case d.Type == "":
		bad.Add("type", CodeRequired, nil)
	case !ValidType(d.Type):
		bad.Add("type", CodeBadType, nil)
	}
	if !scopePattern.MatchString(d.Scope) {
		bad.Add("scope", CodeBadScope, nil)
	}
	checkSubject(d.Subject, &bad)
	checkTitle(d.Title, &bad)
	checkText("body", d.Body, MaxBody, "\n", &bad)
	checkLink(d.Link, l.LinkHosts, &bad)
	if l.Keep <= 0 {
		l.Keep = DefaultKeep
	}
	given := d.ExpiresIn
	d.checkExpiry(l, &bad)
	d.checkWindow(given, l, &bad)
	return bad.OrNil()
}

func (d *Draft) normalise() {
	for _, field := range []*string{&d.Type, &d.Scope, &d.Subject, &d.Title, &d.Link} {
		*field = strings.Trim(*field, " ")
	}
	d.Body = strings.ReplaceAll(d.Body, "\r\n", "\n")
	d.Target.Users = foldNames(d.Target.Users)
	if len(d.Target.Audiences) > 0 {
		d.Target.Audiences = slices.Compact(slices.Sorted(slices.Values(d.Target.Audiences)))
		if d.Type == "" {
			d.Type = TypeAnnouncement
		}
	}
	if d.Target.Topic != (Topic{}) && d.Type == "" {
		d.Type, d.Scope = d.Target.Topic.Type, d.Target.Topic.Scope
	}
}

func (d *Draft) checkExpiry(l Limits, bad *InvalidError) {
	keep := l.Keep
	if d.ExpiresIn == 0 && l.Expiry != nil && len(d.Target.Audiences) == 0 {
		d.ExpiresIn = min(l.Expiry(d.Type), keep)
	}
	switch {
	case d.ExpiresIn < 0:
		bad.Add("expires_in", CodeExpiresPast, nil)
	case d.ExpiresIn > keep:
		bad.Add("expires_in", CodeExpiresLate, lateParams(keep))
	case d.ExpiresIn == 0:
		d.ExpiresIn = keep
	}
}

// checkSubject keeps a subject from reading as the state that a stored key
// carries, or as the key of a notice without a subject.
func checkSubject(s string, bad *InvalidError) {
	outside := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case s == "":
	case strings.ContainsFunc(s, outside):
		bad.Add("subject", CodeBadSubject, nil)
	case len(s) > MaxSubject:
		bad.Add("subject", CodeTooLong, map[string]any{"Max": MaxSubject, "Count": len(s)})
	// The colon before it is the one that joins it to the type.
	case strings.Contains(":"+s, ":has_read:"), strings.HasPrefix(s, "notice_id:"):
		bad.Add("subject", CodeSubjectReserved, nil)
	}
}
