// Code generated from the OpenAPI document by scripts/clienttypes. DO NOT EDIT.

package carillon

// Topic is a JSON object of the API.
type Topic struct {
	// The scope of the topic. The empty scope is a scope of its own.
	Scope string `json:"scope,omitzero"`
	// The type of the topic.
	Type string `json:"type"`
}

// Target is a JSON object of the API.
type Target struct {
	// Names of audiences: the notice is an announcement to them.
	Audiences []string `json:"audiences,omitzero"`
	// A role: the recipients are its members.
	Role string `json:"role,omitzero"`
	// Several roles, up to 50: the recipients are their members, each once.
	Roles []string `json:"roles,omitzero"`
	// A topic: the recipients are its subscribers, themselves or through a role.
	Topic *Topic `json:"topic,omitzero"`
	// Names of users: up to 10,000, and up to 100,000 in all notices of a batch together.
	Users []string `json:"users,omitzero"`
}

// Actor is a JSON object of the API.
type Actor struct {
	// Identifies the actor in your application; up to 200 bytes.
	ID string `json:"id,omitzero"`
	// The https address of a picture on one of the hosts of --image-hosts.
	Image string `json:"image,omitzero"`
	// 1 to 60 characters.
	Name string `json:"name"`
}

// Image is a JSON object of the API.
type Image struct {
	// What the picture shows, in 1 to 120 characters.
	Alt string `json:"alt"`
	// The https address of the picture, on one of the hosts of --image-hosts.
	URL string `json:"url"`
}

// Action is a JSON object of the API.
type Action struct {
	// 1 to 24 characters.
	Label string `json:"label"`
	// Where it leads, with the rules of link.
	Link string `json:"link"`
	// Default: plain.
	Style string `json:"style,omitzero"`
}

// More is a JSON object of the API.
type More struct {
	// For one actor besides the latest. Default: other.
	One string `json:"one,omitzero"`
	// For several: 1 to 200 characters, with {actor} for the latest actor and {others} for the number of the others.
	Other string `json:"other"`
}

// Take is a JSON object of the API.
type Take struct {
	// required: whoever has it reports it as done. none: taking it is enough. Default: required.
	Done string `json:"done,omitzero"`
	// Who gets it as well if nobody has taken it within that time: users, role, roles or topic. Default: nobody.
	Else *Target `json:"else,omitzero"`
	// Until when somebody has to take it, such as 30m. It must be shorter than the life of the notice. Default: any time.
	Within string `json:"within,omitzero"`
}

// Notice is a JSON object of the API.
type Notice struct {
	// Up to two buttons. Following one marks the notice as read.
	Actions []Action `json:"actions,omitzero"`
	// Who did it. Rows show their picture or initials. Announcements have none.
	Actor *Actor `json:"actor,omitzero"`
	// Text, up to 4,000 characters; lines end with LF.
	Body string `json:"body,omitzero"`
	// A JSON object for your application: at most 2 KiB and 32 levels. Returned unchanged with each row; never shown, searched or logged.
	Data any `json:"data,omitzero"`
	// Announcements only: when it closes (RFC 3339).
	EndsAt string `json:"ends_at,omitzero"`
	// The lifetime of the notice, such as 30m, 72h or 7d; at least one second. Default: set by its type.
	ExpiresIn string `json:"expires_in,omitzero"`
	// A picture, shown below the text.
	Image *Image `json:"image,omitzero"`
	// Announcements only: also shown to users who join an audience after it opened.
	LateJoiners bool `json:"late_joiners,omitzero"`
	// A path of the application, or an https address of an allowed host. By the key of an app: a path below its base URL, which the link is completed with, or an address on its pages.
	Link string `json:"link,omitzero"`
	// With it, notices of the same type and subject share a row until it is read, which shows these words instead of the title once there are several actors. Announcements have none.
	More *More `json:"more,omitzero"`
	// Announcements only: stays on every page until the reader has read it.
	Pinned bool `json:"pinned,omitzero"`
	// The part of the application that the notice belongs to, such as a warehouse. Polls can ask for one scope. [A-Za-z0-9_.-]{0,64}
	Scope string `json:"scope,omitzero"`
	// When to send it (RFC 3339), until when it can be edited or retracted. Its recipients are determined and its lifetime counts from then. An announcement opens then. Default: at once; so is a time up to a minute ago.
	SendAt string `json:"send_at,omitzero"`
	// Announcements only: when it opens (RFC 3339). Default: at once.
	StartsAt string `json:"starts_at,omitzero"`
	// The thing that the notice is about. Type and subject form the key of an inbox entry, in a namespace of its own for each app: a notice with the same key replaces the entry and moves it to the top, unread. Up to 200 printable ASCII characters without spaces.
	Subject string `json:"subject,omitzero"`
	// With it, the notice is a task: one of its recipients takes it, and the others see who has it. Not for announcements, and not together with more.
	Take *Take `json:"take,omitzero"`
	// The recipients: exactly one of users, role, roles, topic and audiences.
	Target Target `json:"target"`
	// One line, up to 200 characters.
	Title string `json:"title"`
	// Also shows the notice as a toast, for a few seconds on open pages.
	Toast bool `json:"toast,omitzero"`
	// The type of the notice. A new type is created on its first use. Default: the topic's type for a notice to a topic; announcement for a notice to audiences; message for any other. [a-z0-9][a-z0-9_.-]{0,62}
	Type string `json:"type,omitzero"`
}

// Accepted is a JSON object of the API.
type Accepted struct {
	// The ID of the notice.
	ID int64 `json:"id"`
	// accepted: the notice is stored and will be delivered. scheduled: it will be sent at send_at. Its address shows its progress.
	State string `json:"state"`
	// The address of the notice.
	URL string `json:"url"`
}

// Counts is a JSON object of the API.
type Counts struct {
	// Number of recipients whose inbox has received the notice. Left out if it is unknown, for example while Redis is unavailable.
	Delivered int64 `json:"delivered,omitzero"`
	// Number of recipients who have read the notice. Left out if it is unknown.
	Read int64 `json:"read,omitzero"`
	// Number of recipients. Left out until it is determined.
	Targeted int64 `json:"targeted,omitzero"`
}

// NoticeState is a JSON object of the API.
type NoticeState struct {
	// The buttons. Their links are addresses on the pages of the app, if it sent the notice.
	Actions []Action `json:"actions,omitzero"`
	// Who did it.
	Actor *Actor `json:"actor,omitzero"`
	// The name of the app whose key sent it; left out for any other sender, and for what was sent before apps had namespaces.
	App string `json:"app,omitzero"`
	// Text; lines end with LF.
	Body string `json:"body"`
	// The numbers of recipients: in total, with the notice in their inbox, and having read it.
	Counts Counts `json:"counts"`
	// When the notice was accepted.
	CreatedAt string `json:"created_at"`
	// The data of the application.
	Data any `json:"data,omitzero"`
	// Tasks only: when it was reported as done.
	DoneAt string `json:"done_at,omitzero"`
	// Announcements only: when it closes.
	EndsAt string `json:"ends_at,omitzero"`
	// When the notice leaves every inbox.
	ExpiresAt string `json:"expires_at"`
	// The ID of the notice.
	ID int64 `json:"id"`
	// The picture.
	Image *Image `json:"image,omitzero"`
	// The key of its inbox entries: type and subject, after the number of the app that sent it, if one did.
	Key string `json:"key"`
	// Announcements only: also shown to users who join an audience after it opened.
	LateJoiners bool `json:"late_joiners,omitzero"`
	// A path or an address; may be empty. A link of an app is an address on its pages.
	Link string `json:"link"`
	// The title for several actors.
	More *More `json:"more,omitzero"`
	// Announcements only: stays on every page until the reader has read it.
	Pinned bool `json:"pinned,omitzero"`
	// How often the notice was edited.
	Revision int64 `json:"revision"`
	// The part of the application that the notice belongs to.
	Scope string `json:"scope"`
	// When it is to be sent, or was, if that was scheduled.
	SendAt string `json:"send_at,omitzero"`
	// The sender, to be shown: key NAME for a key, rule NAME for a rule, outbox NAME for an outbox, the name of a user, or a command. Empty for a deleted user.
	Sender string `json:"sender"`
	// Identifies the sender within its kind: the name of a key or a rule, the number of a user, or the command. 0 for a deleted user.
	SenderID string `json:"sender_id"`
	// The kind of the sender. A user named key shop is still of the kind user.
	SenderKind string `json:"sender_kind"`
	// Announcements only: when it opens.
	StartsAt string `json:"starts_at,omitzero"`
	// The progress of the delivery. scheduled becomes accepted at send_at; accepted and sending become sent; retracting becomes retracted.
	State string `json:"state"`
	// The thing that the notice is about.
	Subject string `json:"subject"`
	// Tasks only: when they took it.
	TakenAt string `json:"taken_at,omitzero"`
	// Tasks only: the name of the user who has it, or has done it. Left out while nobody has it, and once they were deleted.
	TakenBy string `json:"taken_by,omitzero"`
	// The recipients that it was sent to.
	Target Target `json:"target"`
	// One line.
	Title string `json:"title"`
	// Whether it was also shown as a toast.
	Toast bool `json:"toast"`
	// The type of the notice.
	Type string `json:"type"`
}

// Why is a JSON object of the API.
type Why struct {
	// target and role: by which part of the target they got it, or are not among its recipients. muted: they have muted its type. expired, deleted, retracted: they have it no longer. mail, device: they have it unread, and no mail or push was sent about it.
	Code string `json:"code"`
	// Whether the user has the notice: in the inbox, archived or snoozed. Of an announcement: whether they see it.
	Got bool `json:"got"`
	// One sentence in English, with times in the zone of the user.
	Why string `json:"why"`
}

// Receiver is a JSON object of the API.
type Receiver struct {
	// Whether they are in their quiet hours now, or paused.
	Asleep bool `json:"asleep"`
	// The name of the user.
	User string `json:"user"`
	// How it would reach them. Pushes and mails are sent if the notice is still unread when they are due.
	Ways []string `json:"ways"`
}

// Rehearsal is a JSON object of the API.
type Rehearsal struct {
	// How many of all recipients are in their quiet hours now, or paused.
	Asleep int64 `json:"asleep"`
	// Who would get the notice, at most 1,000.
	People []Receiver `json:"people"`
}

// FieldError is a JSON object of the API.
type FieldError struct {
	// What is wrong with the field, for programs.
	Code string `json:"code,omitzero"`
	// Where the error occurred, e.g. 'body.items[3].tags' or 'path.thing-id'
	Location string `json:"location,omitzero"`
	// Error message text
	Message string `json:"message,omitzero"`
	// The value at the given location
	Value any `json:"value,omitzero"`
}

// Problem is a JSON object of the API.
type Problem struct {
	// What is wrong, for programs: it tells apart what has the same status.
	Code string `json:"code"`
	// A human-readable explanation specific to this occurrence of the problem.
	Detail string `json:"detail,omitzero"`
	// Optional list of individual error details
	Errors []FieldError `json:"errors,omitzero"`
	// A URI reference that identifies the specific occurrence of the problem.
	Instance string `json:"instance,omitzero"`
	// Of an answer to a question that has ended: the ID of the choice that is its outcome.
	Outcome string `json:"outcome,omitzero"`
	// HTTP status code
	Status int64 `json:"status,omitzero"`
	// A short, human-readable summary of the problem type. This value should not change between occurrences of the error.
	Title string `json:"title,omitzero"`
	// A URI reference to human-readable documentation for the error.
	Type string `json:"type,omitzero"`
}

// Result is a JSON object of the API.
type Result struct {
	// The reason for refusing the notice.
	Error *Problem `json:"error,omitzero"`
	// The ID of an accepted notice.
	ID int64 `json:"id,omitzero"`
	// accepted or scheduled for an accepted notice; otherwise left out.
	State string `json:"state,omitzero"`
	// The address of an accepted notice.
	URL string `json:"url,omitzero"`
}

// Choice is a JSON object of the API.
type Choice struct {
	// Whether an answer has a comment of up to 500 characters. Default: none.
	Comment string `json:"comment,omitzero"`
	// Identifies the choice. [a-z0-9_-]{1,32}
	ID string `json:"id"`
	// 1 to 24 characters.
	Label string `json:"label"`
	// Default: plain.
	Style string `json:"style,omitzero"`
}

// Question is a JSON object of the API.
type Question struct {
	// Up to two buttons. Following one marks the notice as read.
	Actions []Action `json:"actions,omitzero"`
	// Who did it. Rows show their picture or initials. Announcements have none.
	Actor *Actor `json:"actor,omitzero"`
	// How many equal answers decide: 1, the default, is first come; 2 is four eyes; "all" collects everybody's.
	Answers any `json:"answers,omitzero"`
	// Text, up to 4,000 characters; lines end with LF.
	Body string `json:"body,omitzero"`
	// Two to four choices.
	Choices []Choice `json:"choices"`
	// A JSON object for your application: at most 2 KiB and 32 levels. Returned unchanged with each row; never shown, searched or logged.
	Data any `json:"data,omitzero"`
	// How long there is to answer, such as 30m, 72h or 7d. Default: the lifetime of its type. The rows stay longer.
	ExpiresIn string `json:"expires_in,omitzero"`
	// A picture, shown below the text.
	Image *Image `json:"image,omitzero"`
	// A link, as for POST /notices.
	Link string `json:"link,omitzero"`
	// With it, notices of the same type and subject share a row until it is read, which shows these words instead of the title once there are several actors. Announcements have none.
	More *More `json:"more,omitzero"`
	// The ID of the choice that is the outcome when time is up; null, the default: there is none.
	Otherwise any `json:"otherwise,omitzero"`
	// The part of the application that it belongs to. [A-Za-z0-9_.-]{0,64}
	Scope string `json:"scope,omitzero"`
	// When to ask (RFC 3339). Default: at once.
	SendAt string `json:"send_at,omitzero"`
	// The thing that the question is about. A later notice with the same type and subject takes the place of its rows, and then nobody can answer it.
	Subject string `json:"subject,omitzero"`
	// Who is asked: exactly one of users, role, roles and topic.
	Target Target `json:"target"`
	// The question: one line, up to 200 characters.
	Title string `json:"title"`
	// Also shows it as a toast.
	Toast bool `json:"toast,omitzero"`
	// The type of the notice, as for POST /notices.
	Type string `json:"type,omitzero"`
}

// Answer is a JSON object of the API.
type Answer struct {
	// When they answered.
	At string `json:"at"`
	// The ID of their choice.
	Choice string `json:"choice"`
	// Their comment; may be empty.
	Comment string `json:"comment"`
	// What they are called.
	Name string `json:"name,omitzero"`
	// The name of the user; null if they were deleted.
	User *string `json:"user"`
}

// Ask is a JSON object of the API.
type Ask struct {
	// All answers, in order. Lists have the first 37, which are all if a choice decides.
	Answers []Answer `json:"answers"`
	// What there is to choose.
	Choices []Choice `json:"choices"`
	// When it ends without an answer.
	ExpiresAt string `json:"expires_at"`
	// The ID of the question and of its notice.
	ID int64 `json:"id"`
	// The ID of the choice that was made; null if there is none.
	Outcome *string `json:"outcome"`
	// Once it is answered or expired: a JWS that proves it. GET /receipts/jwks.json has the keys. Lists leave it out.
	Receipt string `json:"receipt,omitzero"`
	// Only an open question changes.
	State string `json:"state"`
}

// UserChange is a JSON object of the API.
type UserChange struct {
	// The name of the user's audience.
	Audience string `json:"audience,omitzero"`
	// Where the user gets mail; null: nowhere.
	Email any `json:"email,omitzero"`
	// The user's language (BCP 47). Empty: the browser's language.
	Locale string `json:"locale,omitzero"`
	// The names of all of the user's roles.
	Roles []string `json:"roles,omitzero"`
}

// User is a JSON object of the API.
type User struct {
	// The name of the user's audience.
	Audience string `json:"audience"`
	// What the user is called. Empty: their app has not said.
	Display string `json:"display"`
	// Where the user gets mail; null: nowhere.
	Email *string `json:"email"`
	// The user's language (BCP 47). Empty: the browser's language.
	Locale string `json:"locale"`
	// The user's name in your application.
	Name string `json:"name"`
	// The names of the user's roles.
	Roles []string `json:"roles"`
}

// Badge is a JSON object of the API.
type Badge struct {
	// Number of open announcements that the user has not read.
	Announcements int64 `json:"announcements"`
	// The version of announcements.
	Aver int64 `json:"aver"`
	// Number of unread notices in the inbox.
	Inbox int64 `json:"inbox"`
	// The sum of inbox and announcements.
	Unread int64 `json:"unread"`
	// The version of inbox, which only rises.
	Ver int64 `json:"ver"`
}
