# Code generated from the OpenAPI document by scripts/clienttypes. DO NOT EDIT.

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class Topic(TypedDict):
    # The scope of the topic. The empty scope is a scope of its own.
    scope: NotRequired[str]
    # The type of the topic.
    type: str


class Target(TypedDict):
    # Names of audiences: the notice is an announcement to them.
    audiences: NotRequired[list[str]]
    # A role: the recipients are its members.
    role: NotRequired[str]
    # Several roles, up to 50: the recipients are their members, each once.
    roles: NotRequired[list[str]]
    # A topic: the recipients are its subscribers, themselves or through a role.
    topic: NotRequired[Topic]
    # Names of users: up to 10,000, and up to 100,000 in all notices of a batch together.
    users: NotRequired[list[str]]


class Actor(TypedDict):
    # Identifies the actor in your application; up to 200 bytes.
    id: NotRequired[str]
    # The https address of a picture on one of the hosts of --image-hosts.
    image: NotRequired[str]
    # 1 to 60 characters.
    name: str


class Image(TypedDict):
    # What the picture shows, in 1 to 120 characters.
    alt: str
    # The https address of the picture, on one of the hosts of --image-hosts.
    url: str


class Action(TypedDict):
    # 1 to 24 characters.
    label: str
    # Where it leads, with the rules of link.
    link: str
    # Default: plain.
    style: NotRequired[Literal["plain", "primary"]]


class More(TypedDict):
    # For one actor besides the latest. Default: other.
    one: NotRequired[str]
    # For several: 1 to 200 characters, with {actor} for the latest actor and {others} for the number of the others.
    other: str


Take = TypedDict(
    "Take",
    {
        "done": NotRequired[Literal["required", "none"]],
        "else": NotRequired[Target],
        "within": NotRequired[str],
    },
)


class Notice(TypedDict):
    # Up to two buttons. Following one marks the notice as read.
    actions: NotRequired[list[Action]]
    # Who did it. Rows show their picture or initials. Announcements have none.
    actor: NotRequired[Actor]
    # Text, up to 4,000 characters; lines end with LF.
    body: NotRequired[str]
    # A JSON object for your application: at most 2 KiB and 32 levels. Returned unchanged with each row; never shown, searched or logged.
    data: NotRequired[Any]
    # Announcements only: when it closes (RFC 3339).
    ends_at: NotRequired[str]
    # The lifetime of the notice, such as 30m, 72h or 7d; at least one second. Default: set by its type.
    expires_in: NotRequired[str]
    # A picture, shown below the text.
    image: NotRequired[Image]
    # Announcements only: also shown to users who join an audience after it opened.
    late_joiners: NotRequired[bool]
    # A path of the application, or an https address of an allowed host. By the key of an app: a path below its base URL, which the link is completed with, or an address on its pages.
    link: NotRequired[str]
    # With it, notices of the same type and subject share a row until it is read, which shows these words instead of the title once there are several actors. Announcements have none.
    more: NotRequired[More]
    # Announcements only: stays on every page until the reader has read it.
    pinned: NotRequired[bool]
    # The part of the application that the notice belongs to, such as a warehouse. Polls can ask for one scope. [A-Za-z0-9_.-]{0,64}
    scope: NotRequired[str]
    # When to send it (RFC 3339), until when it can be edited or retracted. Its recipients are determined and its lifetime counts from then. An announcement opens then. Default: at once; so is a time up to a minute ago.
    send_at: NotRequired[str]
    # Announcements only: when it opens (RFC 3339). Default: at once.
    starts_at: NotRequired[str]
    # The thing that the notice is about. Type and subject form the key of an inbox entry, in a namespace of its own for each app: a notice with the same key replaces the entry and moves it to the top, unread. Up to 200 printable ASCII characters without spaces.
    subject: NotRequired[str]
    # With it, the notice is a task: one of its recipients takes it, and the others see who has it. Not for announcements, and not together with more.
    take: NotRequired[Take]
    # The recipients: exactly one of users, role, roles, topic and audiences.
    target: Target
    # One line, up to 200 characters.
    title: str
    # Also shows the notice as a toast, for a few seconds on open pages.
    toast: NotRequired[bool]
    # The type of the notice. A new type is created on its first use. Default: the topic's type for a notice to a topic; announcement for a notice to audiences; message for any other. [a-z0-9][a-z0-9_.-]{0,62}
    type: NotRequired[str]


class Accepted(TypedDict):
    # The ID of the notice.
    id: int
    # accepted: the notice is stored and will be delivered. scheduled: it will be sent at send_at. Its address shows its progress.
    state: Literal["accepted", "scheduled"]
    # The address of the notice.
    url: str


class Counts(TypedDict):
    # Number of recipients whose inbox has received the notice. Left out if it is unknown, for example while Redis is unavailable.
    delivered: NotRequired[int]
    # Number of recipients who have read the notice. Left out if it is unknown.
    read: NotRequired[int]
    # Number of recipients. Left out until it is determined.
    targeted: NotRequired[int]


class NoticeState(TypedDict):
    # The buttons. Their links are addresses on the pages of the app, if it sent the notice.
    actions: NotRequired[list[Action]]
    # Who did it.
    actor: NotRequired[Actor]
    # The name of the app whose key sent it; left out for any other sender, and for what was sent before apps had namespaces.
    app: NotRequired[str]
    # Text; lines end with LF.
    body: str
    # The numbers of recipients: in total, with the notice in their inbox, and having read it.
    counts: Counts
    # When the notice was accepted.
    created_at: str
    # The data of the application.
    data: NotRequired[Any]
    # Tasks only: when it was reported as done.
    done_at: NotRequired[str]
    # Announcements only: when it closes.
    ends_at: NotRequired[str]
    # When the notice leaves every inbox.
    expires_at: str
    # The ID of the notice.
    id: int
    # The picture.
    image: NotRequired[Image]
    # The key of its inbox entries: type and subject, after the number of the app that sent it, if one did.
    key: str
    # Announcements only: also shown to users who join an audience after it opened.
    late_joiners: NotRequired[bool]
    # A path or an address; may be empty. A link of an app is an address on its pages.
    link: str
    # The title for several actors.
    more: NotRequired[More]
    # Announcements only: stays on every page until the reader has read it.
    pinned: NotRequired[bool]
    # How often the notice was edited.
    revision: int
    # The part of the application that the notice belongs to.
    scope: str
    # When it is to be sent, or was, if that was scheduled.
    send_at: NotRequired[str]
    # The sender, to be shown: key NAME for a key, rule NAME for a rule, outbox NAME for an outbox, the name of a user, or a command. Empty for a deleted user.
    sender: str
    # Identifies the sender within its kind: the name of a key or a rule, the number of a user, or the command. 0 for a deleted user.
    sender_id: str
    # The kind of the sender. A user named key shop is still of the kind user.
    sender_kind: Literal["user", "key", "rule", "outbox", "command"]
    # Announcements only: when it opens.
    starts_at: NotRequired[str]
    # The progress of the delivery. scheduled becomes accepted at send_at; accepted and sending become sent; retracting becomes retracted.
    state: Literal["scheduled", "accepted", "sending", "sent", "retracting", "retracted"]
    # The thing that the notice is about.
    subject: str
    # Tasks only: when they took it.
    taken_at: NotRequired[str]
    # Tasks only: the name of the user who has it, or has done it. Left out while nobody has it, and once they were deleted.
    taken_by: NotRequired[str]
    # The recipients that it was sent to.
    target: Target
    # One line.
    title: str
    # Whether it was also shown as a toast.
    toast: bool
    # The type of the notice.
    type: str


class Why(TypedDict):
    # target and role: by which part of the target they got it, or are not among its recipients. muted: they have muted its type. expired, deleted, retracted: they have it no longer. mail, device: they have it unread, and no mail or push was sent about it.
    code: Literal["target", "role", "muted", "expired", "deleted", "retracted", "mail", "device"]
    # Whether the user has the notice: in the inbox, archived or snoozed. Of an announcement: whether they see it.
    got: bool
    # One sentence in English, with times in the zone of the user.
    why: str


class Receiver(TypedDict):
    # Whether they are in their quiet hours now, or paused.
    asleep: bool
    # The name of the user.
    user: str
    # How it would reach them. Pushes and mails are sent if the notice is still unread when they are due.
    ways: list[Literal["inbox", "announcement", "toast", "push", "mail"]]


class Rehearsal(TypedDict):
    # How many of all recipients are in their quiet hours now, or paused.
    asleep: int
    # Who would get the notice, at most 1,000.
    people: list[Receiver]


class FieldError(TypedDict):
    # What is wrong with the field, for programs.
    code: NotRequired[str]
    # Where the error occurred, e.g. 'body.items[3].tags' or 'path.thing-id'
    location: NotRequired[str]
    # Error message text
    message: NotRequired[str]
    # The value at the given location
    value: NotRequired[Any]


class Problem(TypedDict):
    # What is wrong, for programs: it tells apart what has the same status.
    code: str
    # A human-readable explanation specific to this occurrence of the problem.
    detail: NotRequired[str]
    # Optional list of individual error details
    errors: NotRequired[list[FieldError]]
    # A URI reference that identifies the specific occurrence of the problem.
    instance: NotRequired[str]
    # Of an answer to a question that has ended: the ID of the choice that is its outcome.
    outcome: NotRequired[str]
    # HTTP status code
    status: NotRequired[int]
    # A short, human-readable summary of the problem type. This value should not change between occurrences of the error.
    title: NotRequired[str]
    # A URI reference to human-readable documentation for the error.
    type: NotRequired[str]


class Result(TypedDict):
    # The reason for refusing the notice.
    error: NotRequired[Problem]
    # The ID of an accepted notice.
    id: NotRequired[int]
    # accepted or scheduled for an accepted notice; otherwise left out.
    state: NotRequired[Literal["accepted", "scheduled"]]
    # The address of an accepted notice.
    url: NotRequired[str]


class Choice(TypedDict):
    # Whether an answer has a comment of up to 500 characters. Default: none.
    comment: NotRequired[Literal["none", "optional", "required"]]
    # Identifies the choice. [a-z0-9_-]{1,32}
    id: str
    # 1 to 24 characters.
    label: str
    # Default: plain.
    style: NotRequired[Literal["plain", "primary", "danger"]]


class Question(TypedDict):
    # Up to two buttons. Following one marks the notice as read.
    actions: NotRequired[list[Action]]
    # Who did it. Rows show their picture or initials. Announcements have none.
    actor: NotRequired[Actor]
    # How many equal answers decide: 1, the default, is first come; 2 is four eyes; "all" collects everybody's.
    answers: NotRequired[int | Literal["all"]]
    # Text, up to 4,000 characters; lines end with LF.
    body: NotRequired[str]
    # Two to four choices.
    choices: list[Choice]
    # A JSON object for your application: at most 2 KiB and 32 levels. Returned unchanged with each row; never shown, searched or logged.
    data: NotRequired[Any]
    # How long there is to answer, such as 30m, 72h or 7d. Default: the lifetime of its type. The rows stay longer.
    expires_in: NotRequired[str]
    # A picture, shown below the text.
    image: NotRequired[Image]
    # A link, as for POST /notices.
    link: NotRequired[str]
    # With it, notices of the same type and subject share a row until it is read, which shows these words instead of the title once there are several actors. Announcements have none.
    more: NotRequired[More]
    # The ID of the choice that is the outcome when time is up; null, the default: there is none.
    otherwise: NotRequired[str | None]
    # The part of the application that it belongs to. [A-Za-z0-9_.-]{0,64}
    scope: NotRequired[str]
    # When to ask (RFC 3339). Default: at once.
    send_at: NotRequired[str]
    # The thing that the question is about. A later notice with the same type and subject takes the place of its rows, and then nobody can answer it.
    subject: NotRequired[str]
    # Who is asked: exactly one of users, role, roles and topic.
    target: Target
    # The question: one line, up to 200 characters.
    title: str
    # Also shows it as a toast.
    toast: NotRequired[bool]
    # The type of the notice, as for POST /notices.
    type: NotRequired[str]


class Answer(TypedDict):
    # When they answered.
    at: str
    # The ID of their choice.
    choice: str
    # Their comment; may be empty.
    comment: str
    # What they are called.
    name: NotRequired[str]
    # The name of the user; null if they were deleted.
    user: str | None


class Ask(TypedDict):
    # All answers, in order. Lists have the first 37, which are all if a choice decides.
    answers: list[Answer]
    # What there is to choose.
    choices: list[Choice]
    # When it ends without an answer.
    expires_at: str
    # The ID of the question and of its notice.
    id: int
    # The ID of the choice that was made; null if there is none.
    outcome: str | None
    # Once it is answered or expired: a JWS that proves it. GET /receipts/jwks.json has the keys. Lists leave it out.
    receipt: NotRequired[str]
    # Only an open question changes.
    state: Literal["open", "answered", "expired", "withdrawn"]


class UserChange(TypedDict):
    # The name of the user's audience.
    audience: NotRequired[str]
    # Where the user gets mail; null: nowhere.
    email: NotRequired[str | None]
    # The user's language (BCP 47). Empty: the browser's language.
    locale: NotRequired[str]
    # The names of all of the user's roles.
    roles: NotRequired[list[str]]


class User(TypedDict):
    # The name of the user's audience.
    audience: str
    # What the user is called. Empty: their app has not said.
    display: str
    # Where the user gets mail; null: nowhere.
    email: str | None
    # The user's language (BCP 47). Empty: the browser's language.
    locale: str
    # The user's name in your application.
    name: str
    # The names of the user's roles.
    roles: list[str]


class Badge(TypedDict):
    # Number of open announcements that the user has not read.
    announcements: int
    # The version of announcements.
    aver: int
    # Number of unread notices in the inbox.
    inbox: int
    # The sum of inbox and announcements.
    unread: int
    # The version of inbox, which only rises.
    ver: int
