package notifier

import (
	"regexp"
	"strings"
	"time"
)

// Length limits of a draft: in characters, except that names and subjects are
// measured in bytes.
const (
	MaxTitle   = 200
	MaxBody    = 4000
	MaxLink    = 2000
	MaxSubject = 200
	MaxName    = 200
)

// TypeMessage is the type of a notice or toast to users or roles whose sender sets none.
const TypeMessage = "message"

// DefaultKeep is the default for Limits.Keep.
const DefaultKeep = 180 * 24 * time.Hour

// Limits contains the limits that an installation sets for drafts.
type Limits struct {
	LinkHosts  []string      // hosts, or host:port, that an https link may use; none: relative links only
	Sites      []string      // origins that a link may also use, as returned by App.Sites
	ImageHosts []string      // hosts, or host:port, of pictures, which may also be on hosts below these; none: no pictures
	Keep       time.Duration // the longest life of a notice, and the default; 0: DefaultKeep
	Audiences  []Audience    // the audiences that exist; none: any number is accepted
	Toast      time.Duration // the longest life of a toast without an inbox entry; 0: DefaultToastLife
	Expiry     Expiry        // the default life of a notice, by type; nil: Keep
	Now        time.Time     // the time against which the window of an announcement is checked; zero: no check
}

// Expiry returns the default life of notices of a type; 0: as long as Limits.Keep
// allows.
type Expiry func(typ string) time.Duration

var (
	typePattern  = regexp.MustCompile(`\A[a-z0-9][a-z0-9_.-]{0,62}\z`)
	scopePattern = regexp.MustCompile(`\A[A-Za-z0-9_.-]{0,64}\z`)
)

// ValidType reports whether typ is a well-formed notice type.
func ValidType(typ string) bool { return typePattern.MatchString(typ) }

// ValidScope reports whether a notice can have this scope; it may be empty.
func ValidScope(scope string) bool { return scopePattern.MatchString(scope) }

// Validate normalises the draft and checks it. Normalising means: CRLF in the body
// becomes LF, a tab in the title a space, spaces around single-line fields are trimmed (except in names, where they
// are significant), duplicate users and audiences are dropped, a notice to a topic takes
// the topic's type and scope if it sets no type, an announcement without a type gets
// TypeAnnouncement and any other notice TypeMessage, a missing expiry becomes the type's
// or l.Keep, and the window of an announcement gets a start and an end. The error is an
// *InvalidError with every fault, in the order of the form's fields; a draft with faults
// must not be sent.
//
// A valid draft is safe to store and publish: its key contains no space and no state
// suffix, and its text no character that could forge a line.
func (d *Draft) Validate(l Limits) error {
	var bad InvalidError
	d.Normalise()
	d.Target.check(l.Audiences, &bad)
	d.checkType(&bad)
	if !scopePattern.MatchString(d.Scope) {
		bad.Add("scope", CodeBadScope, nil)
	}
	checkSubject(d.Subject, &bad)
	checkLine("title", d.Title, MaxTitle, &bad)
	checkText("body", d.Body, MaxBody, bodyControls, &bad)
	checkLink("link", d.Link, l, &bad)
	d.Extras.check(l, len(d.Target.Audiences) > 0, &bad)
	if l.Keep <= 0 {
		l.Keep = DefaultKeep
	}
	given := d.ExpiresIn
	d.checkExpiry(l, &bad)
	d.checkAsk(given, l, &bad)
	d.checkTake(&bad)
	d.checkSendAt(l, &bad)
	d.checkWindow(given, l, &bad)
	return bad.OrNil()
}

// Normalise gives equivalent drafts the same form; see Validate. It checks nothing and sets no defaults that
// depend on the installation or the time.
func (d *Draft) Normalise() {
	d.Title = strings.ReplaceAll(d.Title, "\t", " ")
	for _, field := range []*string{&d.Type, &d.Scope, &d.Subject, &d.Title, &d.Link} {
		*field = strings.Trim(*field, " ")
	}
	d.Body = strings.ReplaceAll(d.Body, "\r\n", "\n")
	d.Extras.normalise()
	d.Target.normalise()
	d.SetType()
}

// SetType sets the type of a draft whose sender sets none. Only a topic can leave it empty.
func (d *Draft) SetType() {
	switch {
	case strings.Trim(d.Type, " ") != "":
	case len(d.Target.Audiences) > 0:
		d.Type = TypeAnnouncement
	case d.Target.Topic != Topic{}:
		d.Type, d.Scope = d.Target.Topic.Type, d.Target.Topic.Scope
	default:
		d.Type = TypeMessage
	}
}

// checkType checks a type that is set. Only the type of a topic can be missing.
func (d *Draft) checkType(bad *InvalidError) {
	switch {
	case d.Type == "":
		bad.Add("type", CodeRequired, nil)
	case !ValidType(d.Type):
		bad.Add("type", CodeBadType, nil)
	}
}

// lateStart is the maximum age of SendAt: clocks of senders differ, and requests take time.
const lateStart = time.Minute

// checkSendAt checks when the notice is to be sent, and clears a time in the past. For an
// announcement it is the start of the window.
func (d *Draft) checkSendAt(l Limits, bad *InvalidError) {
	if d.SendAt.IsZero() || l.Now.IsZero() {
		return
	}
	now := l.Now.UTC().Truncate(time.Millisecond)
	d.SendAt = d.SendAt.UTC().Truncate(time.Millisecond)
	announces := len(d.Target.Audiences) > 0
	switch {
	case announces && !d.StartsAt.IsZero() && !d.StartsAt.Equal(d.SendAt):
		bad.Add("send_at", CodeTwoStarts, nil)
	case d.SendAt.Before(now.Add(-lateStart)):
		bad.Add("send_at", CodeSendPast, nil)
	case d.SendAt.After(now.Add(l.Keep)):
		bad.Add("send_at", CodeSendLate, lateParams(l.Keep))
	case !d.SendAt.After(now):
		d.SendAt = time.Time{}
	case announces:
		d.StartsAt = d.SendAt
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

// checkSubject rejects a subject that could be mistaken for the state suffix of a stored
// key, or for the key of a notice without a subject.
func checkSubject(s string, bad *InvalidError) {
	outside := func(r rune) bool { return r <= ' ' || r > '~' }
	switch {
	case s == "":
	case strings.ContainsFunc(s, outside):
		bad.Add("subject", CodeBadSubject, nil)
	case len(s) > MaxSubject:
		bad.Add("subject", CodeTooLong, map[string]any{"Max": MaxSubject, "Count": len(s)})
	// The prepended colon represents the one between the type and the subject.
	case strings.Contains(":"+s, ":has_read:"), strings.HasPrefix(s, reservedSubject):
		bad.Add("subject", CodeSubjectReserved, nil)
	}
}
