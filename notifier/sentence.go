package notifier

import (
	"fmt"
	"strings"
)

// sentences maps each fault code to a text that follows the name of the field. {Name} is replaced by a
// parameter. The text after a | is used for a Count of 1.
var sentences = map[string]string{
	CodeRequired:         "is required",
	CodeTooLong:          "is too long: it has {Count} characters, and at most {Max} are allowed",
	CodeBadText:          "contains an unsupported character ({Char})",
	CodeOpenIsolate:      "has an isolate (U+2066 to U+2068) without its end (U+2069), or an end without its isolate",
	CodeBlankEdge:        "must not begin or end with a blank",
	CodeUnseen:           "contains a character that cannot be seen ({Char})",
	CodeBadType:          "must be a type: [a-z0-9][a-z0-9_.-]{0,62}",
	CodeBadChoice:        "must be one of: {Allowed}",
	CodeBadScope:         "must be a scope: [A-Za-z0-9_.-]{0,64}",
	CodeBadSubject:       "must consist of printable ASCII characters without spaces",
	CodeSubjectReserved:  "is reserved: it must not contain :has_read: or begin with notice_id:",
	CodeBadLink:          "must be a path that begins with / or an https address",
	CodeLinkHost:         "points to a host that is not allowed: {Host}",
	CodeBadImage:         "must be an https address of a picture",
	CodeImageHost:        "is on a host that is not allowed by --image-hosts: {Host}",
	CodeTooManyActions:   "has more than {Max} actions, which is the maximum",
	CodeNoActor:          "is not possible for announcements, which have no actor",
	CodeNoMore:           "is not possible for announcements, which do not share rows",
	CodeBadBraces:        "may contain {actor} and {others}, and no other braces",
	CodeNeedsActor:       "contains {actor}, but the notice has no actor",
	CodeBadData:          "must be a JSON object",
	CodeDeepData:         "must not be nested more than {Max} levels deep",
	CodeExpiresPast:      "must not be negative",
	CodeExpiresLate:      "is too long: notices are kept for at most {Max}",
	CodeOneTarget:        "must have exactly one of users, role, roles, topic and audiences",
	CodeBadTopic:         "is not a valid topic: its type or scope is malformed",
	CodeBadName:          "invalid name: {Name}",
	CodeTooManyNames:     "has more than {Max} names, which is the maximum",
	CodeTooManyRoles:     "has more than {Max} roles, which is the maximum",
	CodeUnknownUsers:     "{Count} unknown users: {Names}|unknown user: {Names}",
	CodeUnknownUser:      "unknown user: {Name}",
	CodeUnknownRole:      "unknown role: {Name}",
	CodeUnknownAudience:  "unknown audience: {Name}",
	CodeEndsPast:         "is in the past",
	CodeEndsBefore:       "must be after starts_at",
	CodeStartsLate:       "is too far in the future: notices are kept for at most {Max}",
	CodeEndsLate:         "is too late: notices are kept for at most {Max}",
	CodeSendPast:         "is in the past",
	CodeSendLate:         "is too far in the future: notices are kept for at most {Max}",
	CodeTwoStarts:        "must not be given together with another starts_at",
	CodeTooManyOpen:      "audience {Audience} already has {Max} announcements open at that time, which is the maximum: {Titles}",
	CodeSnoozePast:       "must be in the future",
	CodeSnoozeLate:       "must be at most {Days} days from now",
	CodeTooManySnoozed:   "{Max} notices are snoozed already, which is the maximum",
	CodeTooManyMutes:     "at most {Max} types can be muted",
	CodeTooManyDrafts:    "at most {Max} drafts are kept",
	CodeTooManyTemplates: "at most {Max} templates are kept",
	CodeTooManyKeys:      "has more than {Max} keys, which is the maximum",
	CodeNotMutable:       "cannot be muted",
	CodeOneSubscriber:    "exactly one of user and role is required",
	CodeTooManySubs:      "the user already subscribes to {Max} topics, which is the maximum",
	CodeBadKeyScope:      "is not a scope of a key: {Name}",
	CodeBadPlace:         "must be an https address, or http on this machine: {Name}",
	CodeBadOrigin:        "is not an origin, such as https://shop.example.com: {Name}",
	CodeTooManyItems:     "has more than {Max} entries, which is the maximum",
	CodeStaffRole:        "must not contain staff: tokens never give that role",
	CodeBadLife:          "must be between 1 minute and 24 hours",
	CodeBadJWKS:          "must be an https address",
	CodeIssuerNeeded:     "is required with jwks",
	CodeBadAppKey:        "must be a public key in PEM form: P-256, Ed25519, or RSA with 2,048 to 8,192 bits",
	CodeNotEditable:      "cannot be changed after sending",

	CodeChoices:       "must have {Min} to {Max} choices",
	CodeBadChoiceID:   "must be an id: [a-z0-9_-]{1,32}",
	CodeSameChoice:    "is the id of another choice, too",
	CodeUnknownChoice: "must be one of the choices: {Allowed}",
	CodeBadAnswers:    "must be a number from 1 to {Max}, or \"all\"",
	CodeFewPeople:     "needs more people than are asked, who are {Count}",
	CodeManyPeople:    "can be \"all\" for at most {Max} people, and these are {Count}",
	CodeOtherwiseAll:  "is not possible with answers \"all\", which has no outcome",
	CodeNoComment:     "is not possible with this choice",
	CodeAskAudience:   "cannot be audiences: ask users, a role or a topic",
	CodeAskMore:       "is not possible for a question, which has a row of its own",
	CodeTakeAsk:       "is not possible for a question, which people answer",
	CodeTakeMore:      "is not possible for a task, which has a row of its own",
	CodeTakeAudience:  "is not possible for audiences: name users, roles or a topic",
	CodeTakeLate:      "must be shorter than the life of the notice, which is {Max}",
	CodeAskFixed:      "of a question is fixed: withdraw it and ask anew",

	CodeBadWhen:      "must be off, daily, or a duration of at most 24h, such as 30m; push cannot be daily",
	CodeBadMinute:    "must be a time from 00:00 to 23:59",
	CodeEmptyQuiet:   "must end at another time than it begins",
	CodeHalfQuiet:    "must have both from and to",
	CodeBadZone:      "must be an IANA time zone, such as Europe/Berlin",
	CodeTooManyTypes: "has more than {Max} types, which is the maximum",
	CodeLockedType:   "must stay on: type {Type} cannot be muted",
	CodeBadEmail:     "must be one mail address, such as bob@example.com",

	CodeBadHookURL:    "must be an https address with a host, without a user and without a fragment, of at most 1,000 bytes",
	CodePlainHook:     "must be https: http is possible only to addresses that --outbound-allow names",
	CodePrivateHook:   "leads to an address that is not public: the operator allows such networks by --outbound-allow",
	CodeBadEvent:      "is not an event: {Name}; the events are {Allowed}",
	CodeHookNameTaken: "is the name of another webhook",
	CodeTooManyHooks:  "is one more than the {Max} webhooks that are possible",

	CodeToastAudience: "a toast cannot go to audiences: send an announcement, with \"toast\": true, by POST /api/v1/notices",
	CodeToastLate:     "is too long: toasts are kept for at most {Max}",
	CodeToastUsers:    "has {Count} users: a toast can go to at most {Max}",
}

// Sentence describes the fault in English, for authors of programs and rules. It follows the name of the
// field, which it does not repeat. Pages and commands refer to forms and flags, and have their own texts
// in the catalogues.
func (e FieldError) Sentence() string {
	text, ok := sentences[e.Code]
	if !ok {
		return "is invalid (" + e.Code + ")"
	}
	return Fill(text, e.Params)
}

// Fill returns a text with each {Name} replaced by the parameter with that name. If the text contains a |, the
// part after it is used for a Count of 1, otherwise the part before it.
func Fill(text string, params map[string]any) string {
	many, one, plural := strings.Cut(text, "|")
	if text = many; plural && params["Count"] == 1 {
		text = one
	}
	if len(params) == 0 {
		return text
	}
	pairs := make([]string, 0, 2*len(params))
	for name, value := range params {
		if name == "Char" && value == "U+0009" {
			value = "tab, U+0009" // the control character most often entered by accident
		}
		pairs = append(pairs, "{"+name+"}", fmt.Sprint(value))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
