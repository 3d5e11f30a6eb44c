package notifier

// CodeTooManyMutes is the code of a FieldError on the field type: the user has
// muted Max types already.
const CodeTooManyMutes = "too_many_mutes"

// The codes of FieldError that belong to types, subscriptions and keys.
const (
	CodeNotMutable    = "not_mutable"    // type: it may not be muted
	CodeOneSubscriber = "one_subscriber" // user: a user and a role, where one of them is wanted
	CodeTooManySubs   = "too_many_subs"  // type: the user subscribes to Max topics already
	CodeUnknownUser   = "unknown_user"   // Name: the directory lacks it
	CodeBadKeyScope   = "bad_key_scope"  // Name: neither send, read nor admin
	CodeNotEditable   = "not_editable"   // any field: it stays as it was sent
)

// The codes of FieldError that only a toast without a row can earn. It comes by the API
// alone, so no catalogue has them.
const (
	CodeToastAudience = "toast_audience" // to: audiences, whom an announcement is for
	CodeToastLate     = "toast_late"     // expires_in: longer than toasts wait, Max
	CodeToastUsers    = "toast_users"    // to: Count users, where Max are told at once
)

// The codes of FieldError that a draft can earn. The catalogues hold a message
// `error.CODE` for each, so a code is never renamed; its Params are named here.
const (
	CodeRequired        = "required"         // any field: it is empty
	CodeTooLong         = "too_long"         // Max, Count: the length allowed and the one it has
	CodeBadText         = "bad_text"         // Char: broken UTF-8, control, line separator or bidi override
	CodeBadType         = "bad_type"         // type: not [a-z0-9][a-z0-9_.-]{0,62}
	CodeBadScope        = "bad_scope"        // scope: not [A-Za-z0-9_.-]{0,64}
	CodeBadSubject      = "bad_subject"      // subject: not printable ASCII without spaces
	CodeSubjectReserved = "subject_reserved" // subject: holds `:has_read:` or begins with `notice_id:`
	CodeBadLink         = "bad_link"         // link: neither a path from `/` nor an https address
	CodeLinkHost        = "link_host"        // Host: an https link to a host that is not allowed
	CodeExpiresPast     = "expires_past"     // expires_in: negative
	CodeExpiresLate     = "expires_late"     // Max, Days: expires_in is longer than notices are kept
	CodeOneTarget       = "one_target"       // target: more than one of users, a role, a topic and audiences
	CodeBadTopic        = "bad_topic"        // to: no topic has such a type and scope
	CodeBadName         = "bad_name"         // Name: not a user's or role's name: empty, too long, or with control characters
	CodeUnknownUsers    = "unknown_users"    // Names (joined by ", ", the first few), Count: the directory lacks them
	CodeUnknownRole     = "unknown_role"     // Name: the directory lacks it
	CodeUnknownAudience = "unknown_audience" // Name: no audience is called so, or has this number
	CodeEndsPast        = "ends_past"        // ends_at: the moment has passed
	CodeEndsBefore      = "ends_before"      // ends_at: not after starts_at
	CodeStartsLate      = "starts_late"      // Max, Days: starts_at is further away than notices are kept
	CodeEndsLate        = "ends_late"        // Max, Days: the window is longer than notices are kept
	CodeTooManyOpen     = "too_many_open"    // starts_at: Audience (its number), Max, Titles (joined by ", ", those that end first): so many are open then already
)

// Codes lists every code above, for the test that each has its message.
func Codes() []string {
	return []string{
		CodeRequired, CodeTooLong, CodeBadText, CodeBadType, CodeBadScope, CodeBadSubject, CodeSubjectReserved,
		CodeBadLink, CodeLinkHost, CodeExpiresPast, CodeExpiresLate, CodeOneTarget, CodeBadName,
		CodeUnknownUsers, CodeUnknownRole, CodeUnknownAudience, CodeEndsPast, CodeEndsBefore, CodeStartsLate, CodeEndsLate,
		CodeTooManyOpen, CodeBadTopic,
	}
}
