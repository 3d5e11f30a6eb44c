package api

import (
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// sentences is what each code of a fault says to an application. {Name} stands for
// a parameter.
var sentences = map[string]string{
	notifier.CodeRequired:        "is required",
	notifier.CodeTooLong:         "is too long: it has {Count}, and {Max} are allowed",
	notifier.CodeBadText:         "holds what no text may hold: {Char}",
	notifier.CodeBadType:         "is no type: wanted is [a-z0-9][a-z0-9_.-]{0,62}",
	notifier.CodeBadScope:        "is no scope: wanted is [A-Za-z0-9_.-]{0,64}",
	notifier.CodeBadSubject:      "is no subject: wanted are printable ASCII characters without spaces",
	notifier.CodeSubjectReserved: "is reserved: it must not hold :has_read: nor begin with notice_id:",
	notifier.CodeBadLink:         "is no link: wanted is a path that begins with /, or an https address",
	notifier.CodeLinkHost:        "names a host that links may not name: {Host}",
	notifier.CodeExpiresPast:     "is negative",
	notifier.CodeExpiresLate:     "is longer than notices are kept: {Max}",
	notifier.CodeOneTarget:       "must be one of users, role, topic and audiences",
	notifier.CodeBadTopic:        "is no topic: type and scope are not such as notices have",
	notifier.CodeBadName:         "is no name: {Name}",
	notifier.CodeUnknownUsers:    "names {Count} that there are not: {Names}",
	notifier.CodeUnknownUser:     "names a user that there is not: {Name}",
	notifier.CodeUnknownRole:     "names a role that there is not: {Name}",
	notifier.CodeUnknownAudience: "names an audience that there is not: {Name}",
	notifier.CodeEndsPast:        "has passed",
	notifier.CodeEndsBefore:      "is not after starts_at",
	notifier.CodeStartsLate:      "is further away than notices are kept: {Max}",
	notifier.CodeEndsLate:        "is too late: notices are kept for {Max}",
	notifier.CodeTooManyOpen:     "falls where audience {Audience} has {Max} announcements open already: {Titles}",
	notifier.CodeTooManyMutes:    "is one too many: {Max} types are muted already",
	notifier.CodeNotMutable:      "may not be muted",
	notifier.CodeOneSubscriber:   "must be one of user and role",
	notifier.CodeTooManySubs:     "is one too many: {Max} topics are subscribed to already",
	notifier.CodeBadKeyScope:     "is no scope of a key: {Name}",
	notifier.CodeNotEditable:     "stays as it was sent",

	notifier.CodeToastAudience: "is nothing that pops up alone: announce it, with \"toast\": true, by POST /api/v1/notices",
	notifier.CodeToastLate:     "is longer than what pops up waits here: {Max}",
	notifier.CodeToastUsers:    "is {Count} users, and {Max} are told at once",

	codeBadDuration: "is no duration: wanted is such as 30m or 72h",
	codeTooBrief:    "is too short: wanted is 1s or more",
	codeBadTime:     "is no time: wanted is RFC 3339, such as 2026-01-02T15:04:05Z",
	codeOnlyWindow:  "is for notices to audiences only",
	codeTooMany:     "has {Count}, and {Max} are allowed",
	codeBadKey:      "is no Idempotency-Key: wanted are 1 to 255 visible ASCII characters",
	codeBadSince:    "is no at and no time: wanted is newest of an earlier answer, or RFC 3339",
	codeOneOfThree:  "must have one of keys, upto and subject",
	codeNeedsType:   "is that of a type: name it too",
	codeBadAudience: "is no audience",
	codeBadLocale:   "is no language: wanted is BCP 47, such as ja or pt-BR",
}

// The codes of faults that only an API can find.
const (
	codeBadDuration = "bad_duration"
	codeTooBrief    = "too_brief"
	codeBadTime     = "bad_time"
	codeOnlyWindow  = "only_window"
	codeTooMany     = "too_many"
	codeBadKey      = "bad_idempotency_key"
	codeBadSince    = "bad_since"
	codeOneOfThree  = "one_of_three"
	codeNeedsType   = "needs_type"
	codeBadAudience = "bad_audience" // of the directory, as the next
	codeBadLocale   = "bad_locale"
)

// sentence says what is wrong about a field.
func sentence(code string, params map[string]any) string {
	text, ok := sentences[code]
	if !ok {
		return "is not right (" + code + ")"
	}
	if len(params) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(params))
	for name, value := range params {
		pairs = append(pairs, "{"+name+"}", fmt.Sprint(value))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
