package notifier

// CodeTooManyMutes is the code of a FieldError on the field type: the user has already
// muted Max types.
const CodeTooManyMutes = "too_many_mutes"

// FieldError codes of types, subscriptions and API keys.
const (
	CodeNotMutable    = "not_mutable"    // type: users cannot mute it
	CodeOneSubscriber = "one_subscriber" // user: both a user and a role are given; exactly one is allowed
	CodeTooManySubs   = "too_many_subs"  // type: the user already subscribes to Max topics
	CodeUnknownUser   = "unknown_user"   // Name: no such user
	CodeBadKeyScope   = "bad_key_scope"  // Name, Known: not one of these
	CodeNotEditable   = "not_editable"   // any field: it cannot be edited after sending
)

// FieldError codes of toasts without an inbox entry. Only the API accepts those, so the
// catalogues have no messages for these codes.
const (
	CodeToastAudience = "toast_audience" // to: audiences are not allowed; an announcement reaches them
	CodeToastLate     = "toast_late"     // expires_in: longer than Max, the time that toasts are kept
	CodeToastUsers    = "toast_users"    // to: Count users, more than the Max allowed in one request
)

// FieldError codes of questions and their answers. Only the API accepts those, so the catalogues have no messages for
// these codes.
const (
	CodeChoices       = "choices"        // choices: fewer than Min or more than Max
	CodeBadChoiceID   = "bad_choice_id"  // id of a choice: not [a-z0-9_-]{1,32}
	CodeSameChoice    = "same_choice"    // id of a choice: another choice has it
	CodeUnknownChoice = "unknown_choice" // choice or otherwise: not one of Allowed
	CodeBadAnswers    = "bad_answers"    // answers: neither a number from 1 to Max nor "all"
	CodeFewPeople     = "few_people"     // answers: more than Count, the recipients
	CodeManyPeople    = "many_people"    // answers: with "all", Count recipients, more than Max
	CodeOtherwiseAll  = "otherwise_all"  // otherwise: with answers "all" there is no outcome
	CodeNoComment     = "no_comment"     // comment: the choice has none
	CodeAskAudience   = "ask_audience"   // to: audiences cannot be asked
	CodeAskMore       = "ask_more"       // more: a question has a row of its own
	CodeTakeMore      = "take_more"      // more: a task has a row of its own
)

// FieldError codes of drafts. The catalogues have a message `error.CODE` for each, so a
// code is never renamed. The comments name the field or the Params.
const (
	CodeRequired        = "required"         // any field: it is empty
	CodeTooLong         = "too_long"         // Max, Count: the limit and the actual length
	CodeBadText         = "bad_text"         // Char: invalid UTF-8, a control character, a line separator or a bidi override
	CodeOpenIsolate     = "open_isolate"     // any text: a bidi isolate (U+2066 to U+2068) without its end (U+2069), or the other way round
	CodeBadType         = "bad_type"         // type: not [a-z0-9][a-z0-9_.-]{0,62}
	CodeBadChoice       = "bad_choice"       // icon or color: not one of Allowed
	CodeBadScope        = "bad_scope"        // scope: not [A-Za-z0-9_.-]{0,64}
	CodeBadSubject      = "bad_subject"      // subject: not printable ASCII without spaces
	CodeSubjectReserved = "subject_reserved" // subject: contains `:has_read:` or starts with `notice_id:`
	CodeBadLink         = "bad_link"         // link: neither a path starting with `/` nor an https URL
	CodeLinkHost        = "link_host"        // Host: not an allowed host for https links
	CodeBadImage        = "bad_image"        // any picture: not an https URL
	CodeImageHost       = "image_host"       // Host: not an allowed host for pictures, nor below one
	CodeAskFixed        = "ask_fixed"        // any field: the words of a question are fixed
	CodeTakeAsk         = "take_ask"         // take: a question is answered, not taken
	CodeTakeAudience    = "take_audience"    // take or take.else: audiences cannot take anything
	CodeTakeLate        = "take_late"        // Max: take.within is not shorter than the life of the notice
	CodeTooManyActions  = "too_many_actions" // actions: more than Max
	CodeNoActor         = "no_actor"         // actor: announcements have none
	CodeNoMore          = "no_more"          // more: announcements have none
	CodeBadBraces       = "bad_braces"       // more: braces other than {actor} and {others}
	CodeNeedsActor      = "needs_actor"      // more: {actor} without an actor
	CodeBadData         = "bad_data"         // data: not a JSON object
	CodeDeepData        = "deep_data"        // data: nested more than Max levels deep
	CodeExpiresPast     = "expires_past"     // expires_in: negative
	CodeExpiresLate     = "expires_late"     // Max, Days: expires_in is longer than notices are kept
	CodeOneTarget       = "one_target"       // target: more than one of users, role, roles, topic and audiences
	CodeBadTopic        = "bad_topic"        // to: the type or scope of the topic is malformed
	CodeBadName         = "bad_name"         // Name: not a valid user or role name: empty, too long, or containing control characters
	CodeTooManyKeys     = "too_many_keys"    // key: more than Max entries named
	CodeTooManyNames    = "too_many_names"   // Max: too many users named
	CodeTooManyRoles    = "too_many_roles"   // Max: too many roles named
	CodeUnknownUsers    = "unknown_users"    // Names (the first few, joined by ", "), Count: no such users
	CodeUnknownRole     = "unknown_role"     // Name: no such role
	CodeUnknownAudience = "unknown_audience" // Name: no audience has this name or number
	CodeEndsPast        = "ends_past"        // ends_at: in the past
	CodeEndsBefore      = "ends_before"      // ends_at: not after starts_at
	CodeStartsLate      = "starts_late"      // Max, Days: starts_at is further in the future than notices are kept
	CodeEndsLate        = "ends_late"        // Max, Days: the window is longer than notices are kept
	CodeSendPast        = "send_past"        // send_at: more than a minute ago
	CodeSendLate        = "send_late"        // Max, Days: send_at is further in the future than notices are kept
	CodeTwoStarts       = "two_starts"       // send_at: of an announcement, and starts_at is another time
	CodeTooManyOpen     = "too_many_open"    // starts_at: Audience (its number), Max, Titles (joined by ", ", the first to end come first): the limit of open announcements is reached at that time
)
