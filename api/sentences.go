package api

import "github.com/carillonhq/carillon/notifier"

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
	codeOneOfFive   = "one_of_five"
	codeNeedsType   = "needs_type"
	codeIDsOrAll    = "ids_or_all"
	codeBadToast    = "bad_toast"
	codeUnknownApp  = "unknown_app"
	codeOnce        = "repeated"
	codeNoDryRun    = "no_dry_run"
	codeBadCursor   = "bad_cursor"
	codeBadSender   = "bad_sender"
	codeBadAudience = "bad_audience" // from the directory, as is the next
	codeBadLocale   = "bad_locale"
)

// sentences are the messages for the codes that only the API reports. notifier has the others.
var sentences = map[string]string{ //nolint:gosec // messages about passwords, none of which is one
	codeBadDuration:  "must be a duration, such as 30m, 72h or 7d",
	codeTooBrief:     "must be at least 1s",
	codeBadTime:      "must be an RFC 3339 time, such as 2026-01-02T15:04:05Z",
	codeOnlyWindow:   "is only possible for notices to audiences",
	codeTooMany:      "exceeds the maximum of {Max}",
	codeBadKey:       "must be 1 to 255 visible ASCII characters",
	codeBadSince:     "must be newest from an earlier answer or an RFC 3339 time",
	codeOneOfThree:   "must have exactly one of keys, upto and subject",
	codeOneOfFive:    "must have exactly one of keys, subject, type, scope and upto; upto may also stand beside type or scope",
	codeNeedsType:    "is only possible together with type",
	codeIDsOrAll:     "must have exactly one of ids and all",
	codeBadToast:     "must be the IDs of toasts, such as 1763800000000-0",
	codeUnknownApp:   "names no app: {Name}",
	codeOnce:         "must not be given more than once",
	codeNoDryRun:     "is only possible in POST /notices, for one notice",
	codeBadCursor:    "must be next of an earlier answer of this call",
	codeBadSender:    "must be KIND:ID as in sender_kind and sender_id, such as key:shop or user:7; KIND is user, key, rule, outbox or command",
	codeBadAudience:  "is not a valid audience",
	"password_wrong": "is not your current password",
	"password_short": "must have at least {Min} bytes",
	"password_long":  "must have at most {Max} bytes",
	codeBadLocale:    "must be a BCP 47 language tag, such as ja or pt-BR",
}

// sentence returns the message for a fault, with its parameters filled in.
func sentence(code string, params map[string]any) string {
	if text, ok := sentences[code]; ok {
		return notifier.Fill(text, params)
	}
	return notifier.FieldError{Code: code, Params: params}.Sentence()
}
