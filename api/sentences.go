package api

import (
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// sentences maps each code of a fault to its message for applications. {Name} stands for a
// parameter.
var sentences = map[string]string{
	notifier.CodeRequired:        "is required",
	notifier.CodeTooLong:         "is too long: it has {Count} characters, and at most {Max} are allowed",
	notifier.CodeBadText:         "contains an unsupported character ({Char})",
	notifier.CodeBadType:         "must be a type: [a-z0-9][a-z0-9_.-]{0,62}",
	notifier.CodeBadScope:        "must be a scope: [A-Za-z0-9_.-]{0,64}",
	notifier.CodeBadSubject:      "must consist of printable ASCII characters without spaces",
	notifier.CodeSubjectReserved: "is reserved: it must not contain :has_read: or begin with notice_id:",
	notifier.CodeBadLink:         "must be a path that begins with / or an https address",
	notifier.CodeLinkHost:        "points to a host that is not allowed: {Host}",
	notifier.CodeExpiresPast:     "must not be negative",
	notifier.CodeExpiresLate:     "is too long: notices are kept for at most {Max}",
	notifier.CodeOneTarget:       "must have exactly one of users, role, topic and audiences",
	notifier.CodeBadTopic:        "is not a valid topic: its type or scope is malformed",
	notifier.CodeBadName:         "invalid name: {Name}",
	notifier.CodeTooManyNames:    "has more than {Max} names, which is the maximum",
	notifier.CodeUnknownUsers:    "{Count} unknown users: {Names}",
	notifier.CodeUnknownUser:     "unknown user: {Name}",
	notifier.CodeUnknownRole:     "unknown role: {Name}",
	notifier.CodeUnknownAudience: "unknown audience: {Name}",
	notifier.CodeEndsPast:        "is in the past",
	notifier.CodeEndsBefore:      "must be after starts_at",
	notifier.CodeStartsLate:      "is too far in the future: notices are kept for at most {Max}",
	notifier.CodeEndsLate:        "is too late: notices are kept for at most {Max}",
	notifier.CodeTooManyOpen:     "audience {Audience} already has {Max} announcements open at that time, which is the maximum: {Titles}",
	notifier.CodeTooManyMutes:    "at most {Max} types can be muted",
	notifier.CodeNotMutable:      "cannot be muted",
	notifier.CodeOneSubscriber:   "exactly one of user and role is required",
	notifier.CodeTooManySubs:     "the user already subscribes to {Max} topics, which is the maximum",
	notifier.CodeBadKeyScope:     "is not a scope of a key: {Name}",
	notifier.CodeNotEditable:     "cannot be changed after sending",

	notifier.CodeToastAudience: "a toast cannot go to audiences: send an announcement, with \"toast\": true, by POST /api/v1/notices",
	notifier.CodeToastLate:     "is too long: toasts are kept for at most {Max}",
	notifier.CodeToastUsers:    "has {Count} users: a toast can go to at most {Max}",

	codeBadDuration: "must be a duration, such as 30m or 72h",
	codeTooBrief:    "must be at least 1s",
	codeBadTime:     "must be an RFC 3339 time, such as 2026-01-02T15:04:05Z",
	codeOnlyWindow:  "is only possible for notices to audiences",
	codeTooMany:     "exceeds the maximum of {Max}",
	codeBadKey:      "must be 1 to 255 visible ASCII characters",
	codeBadSince:    "must be newest from an earlier answer or an RFC 3339 time",
	codeOneOfThree:  "must have exactly one of keys, upto and subject",
	codeNeedsType:   "is only possible together with type",
	codeBadAudience: "is not a valid audience",
	codeBadLocale:   "must be a BCP 47 language tag, such as ja or pt-BR",
}

// The codes of faults that only the API reports.
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
	codeBadAudience = "bad_audience" // from the directory, as is the next
	codeBadLocale   = "bad_locale"
)

// sentence returns the message for a fault, with its parameters filled in.
func sentence(code string, params map[string]any) string {
	text, ok := sentences[code]
	if !ok {
		return "is invalid (" + code + ")"
	}
	if len(params) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(params))
	for name, value := range params {
		if name == "Char" && value == "U+0009" {
			value = "tab, U+0009" // the one that people enter without noticing
		}
		pairs = append(pairs, "{"+name+"}", fmt.Sprint(value))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
