// Code generated from the OpenAPI document by scripts/clienttypes. DO NOT EDIT.

export interface Topic {
  /** The scope of the topic. The empty scope is a scope of its own. */
  scope?: string;
  /** The type of the topic. */
  type: string;
}

export interface Target {
  /** Names of audiences: the notice is an announcement to them. */
  audiences?: Array<string>;
  /** A role: the recipients are its members. */
  role?: string;
  /** Several roles, up to 50: the recipients are their members, each once. */
  roles?: Array<string>;
  /** A topic: the recipients are its subscribers, themselves or through a role. */
  topic?: Topic;
  /** Names of users: up to 10,000, and up to 100,000 in all notices of a batch together. */
  users?: Array<string>;
}

export interface Actor {
  /** Identifies the actor in your application; up to 200 bytes. */
  id?: string;
  /** The https address of a picture on one of the hosts of --image-hosts. */
  image?: string;
  /** 1 to 60 characters. */
  name: string;
}

export interface Image {
  /** What the picture shows, in 1 to 120 characters. */
  alt: string;
  /** The https address of the picture, on one of the hosts of --image-hosts. */
  url: string;
}

export interface Action {
  /** 1 to 24 characters. */
  label: string;
  /** Where it leads, with the rules of link. */
  link: string;
  /** Default: plain. */
  style?: "plain" | "primary";
}

export interface More {
  /** For one actor besides the latest. Default: other. */
  one?: string;
  /** For several: 1 to 200 characters, with {actor} for the latest actor and {others} for the number of the others. */
  other: string;
}

export interface Take {
  /** required: whoever has it reports it as done. none: taking it is enough. Default: required. */
  done?: "required" | "none";
  /** Who gets it as well if nobody has taken it within that time: users, role, roles or topic. Default: nobody. */
  else?: Target;
  /** Until when somebody has to take it, such as 30m. It must be shorter than the life of the notice. Default: any time. */
  within?: string;
}

export interface Notice {
  /** Up to two buttons. Following one marks the notice as read. */
  actions?: Array<Action>;
  /** Who did it. Rows show their picture or initials. Announcements have none. */
  actor?: Actor;
  /** Text, up to 4,000 characters; lines end with LF. */
  body?: string;
  /** A JSON object for your application: at most 2 KiB and 32 levels. Returned unchanged with each row; never shown, searched or logged. */
  data?: unknown;
  /** Announcements only: when it closes (RFC 3339). */
  ends_at?: string;
  /** The lifetime of the notice, such as 30m, 72h or 7d; at least one second. Default: set by its type. */
  expires_in?: string;
  /** A picture, shown below the text. */
  image?: Image;
  /** Announcements only: also shown to users who join an audience after it opened. */
  late_joiners?: boolean;
  /** A path of the application, or an https address of an allowed host. By the key of an app: a path below its base URL, which the link is completed with, or an address on its pages. */
  link?: string;
  /** With it, notices of the same type and subject share a row until it is read, which shows these words instead of the title once there are several actors. Announcements have none. */
  more?: More;
  /** Announcements only: stays on every page until the reader has read it. */
  pinned?: boolean;
  /** The part of the application that the notice belongs to, such as a warehouse. Polls can ask for one scope. [A-Za-z0-9_.-]{0,64} */
  scope?: string;
  /** When to send it (RFC 3339), until when it can be edited or retracted. Its recipients are determined and its lifetime counts from then. An announcement opens then. Default: at once; so is a time up to a minute ago. */
  send_at?: string;
  /** Announcements only: when it opens (RFC 3339). Default: at once. */
  starts_at?: string;
  /** The thing that the notice is about. Type and subject form the key of an inbox entry, in a namespace of its own for each app: a notice with the same key replaces the entry and moves it to the top, unread. Up to 200 printable ASCII characters without spaces. */
  subject?: string;
  /** With it, the notice is a task: one of its recipients takes it, and the others see who has it. Not for announcements, and not together with more. */
  take?: Take;
  /** The recipients: exactly one of users, role, roles, topic and audiences. */
  target: Target;
  /** One line, up to 200 characters. */
  title: string;
  /** Also shows the notice as a toast, for a few seconds on open pages. */
  toast?: boolean;
  /** The type of the notice. A new type is created on its first use. Default: the topic's type for a notice to a topic; announcement for a notice to audiences; message for any other. [a-z0-9][a-z0-9_.-]{0,62} */
  type?: string;
}

export interface Accepted {
  /** The ID of the notice. */
  id: number;
  /** accepted: the notice is stored and will be delivered. scheduled: it will be sent at send_at. Its address shows its progress. */
  state: "accepted" | "scheduled";
  /** The address of the notice. */
  url: string;
}

export interface Counts {
  /** Number of recipients whose inbox has received the notice. Left out if it is unknown, for example while Redis is unavailable. */
  delivered?: number;
  /** Number of recipients who have read the notice. Left out if it is unknown. */
  read?: number;
  /** Number of recipients. Left out until it is determined. */
  targeted?: number;
}

export interface NoticeState {
  /** The buttons. Their links are addresses on the pages of the app, if it sent the notice. */
  actions?: Array<Action>;
  /** Who did it. */
  actor?: Actor;
  /** The name of the app whose key sent it; left out for any other sender, and for what was sent before apps had namespaces. */
  app?: string;
  /** Text; lines end with LF. */
  body: string;
  /** The numbers of recipients: in total, with the notice in their inbox, and having read it. */
  counts: Counts;
  /** When the notice was accepted. */
  created_at: string;
  /** The data of the application. */
  data?: unknown;
  /** Tasks only: when it was reported as done. */
  done_at?: string;
  /** Announcements only: when it closes. */
  ends_at?: string;
  /** When the notice leaves every inbox. */
  expires_at: string;
  /** The ID of the notice. */
  id: number;
  /** The picture. */
  image?: Image;
  /** The key of its inbox entries: type and subject, after the number of the app that sent it, if one did. */
  key: string;
  /** Announcements only: also shown to users who join an audience after it opened. */
  late_joiners?: boolean;
  /** A path or an address; may be empty. A link of an app is an address on its pages. */
  link: string;
  /** The title for several actors. */
  more?: More;
  /** Announcements only: stays on every page until the reader has read it. */
  pinned?: boolean;
  /** How often the notice was edited. */
  revision: number;
  /** The part of the application that the notice belongs to. */
  scope: string;
  /** When it is to be sent, or was, if that was scheduled. */
  send_at?: string;
  /** The sender, to be shown: key NAME for a key, rule NAME for a rule, outbox NAME for an outbox, the name of a user, or a command. Empty for a deleted user. */
  sender: string;
  /** Identifies the sender within its kind: the name of a key or a rule, the number of a user, or the command. 0 for a deleted user. */
  sender_id: string;
  /** The kind of the sender. A user named key shop is still of the kind user. */
  sender_kind: "user" | "key" | "rule" | "outbox" | "command";
  /** Announcements only: when it opens. */
  starts_at?: string;
  /** The progress of the delivery. scheduled becomes accepted at send_at; accepted and sending become sent; retracting becomes retracted. */
  state: "scheduled" | "accepted" | "sending" | "sent" | "retracting" | "retracted";
  /** The thing that the notice is about. */
  subject: string;
  /** Tasks only: when they took it. */
  taken_at?: string;
  /** Tasks only: the name of the user who has it, or has done it. Left out while nobody has it, and once they were deleted. */
  taken_by?: string;
  /** The recipients that it was sent to. */
  target: Target;
  /** One line. */
  title: string;
  /** Whether it was also shown as a toast. */
  toast: boolean;
  /** The type of the notice. */
  type: string;
}

export interface Why {
  /** target and role: by which part of the target they got it, or are not among its recipients. muted: they have muted its type. expired, deleted, retracted: they have it no longer. mail, device: they have it unread, and no mail or push was sent about it. */
  code: "target" | "role" | "muted" | "expired" | "deleted" | "retracted" | "mail" | "device";
  /** Whether the user has the notice: in the inbox, archived or snoozed. Of an announcement: whether they see it. */
  got: boolean;
  /** One sentence in English, with times in the zone of the user. */
  why: string;
}

export interface Receiver {
  /** Whether they are in their quiet hours now, or paused. */
  asleep: boolean;
  /** The name of the user. */
  user: string;
  /** How it would reach them. Pushes and mails are sent if the notice is still unread when they are due. */
  ways: Array<"inbox" | "announcement" | "toast" | "push" | "mail">;
}

export interface Rehearsal {
  /** How many of all recipients are in their quiet hours now, or paused. */
  asleep: number;
  /** Who would get the notice, at most 1,000. */
  people: Array<Receiver>;
}

export interface FieldError {
  /** What is wrong with the field, for programs. */
  code?: string;
  /** Where the error occurred, e.g. 'body.items[3].tags' or 'path.thing-id' */
  location?: string;
  /** Error message text */
  message?: string;
  /** The value at the given location */
  value?: unknown;
}

export interface Problem {
  /** What is wrong, for programs: it tells apart what has the same status. */
  code: string;
  /** A human-readable explanation specific to this occurrence of the problem. */
  detail?: string;
  /** Optional list of individual error details */
  errors?: Array<FieldError>;
  /** A URI reference that identifies the specific occurrence of the problem. */
  instance?: string;
  /** Of an answer to a question that has ended: the ID of the choice that is its outcome. */
  outcome?: string;
  /** HTTP status code */
  status?: number;
  /** A short, human-readable summary of the problem type. This value should not change between occurrences of the error. */
  title?: string;
  /** A URI reference to human-readable documentation for the error. */
  type?: string;
}

export interface Result {
  /** The reason for refusing the notice. */
  error?: Problem;
  /** The ID of an accepted notice. */
  id?: number;
  /** accepted or scheduled for an accepted notice; otherwise left out. */
  state?: "accepted" | "scheduled";
  /** The address of an accepted notice. */
  url?: string;
}

export interface Choice {
  /** Whether an answer has a comment of up to 500 characters. Default: none. */
  comment?: "none" | "optional" | "required";
  /** Identifies the choice. [a-z0-9_-]{1,32} */
  id: string;
  /** 1 to 24 characters. */
  label: string;
  /** Default: plain. */
  style?: "plain" | "primary" | "danger";
}

export interface Question {
  /** Up to two buttons. Following one marks the notice as read. */
  actions?: Array<Action>;
  /** Who did it. Rows show their picture or initials. Announcements have none. */
  actor?: Actor;
  /** How many equal answers decide: 1, the default, is first come; 2 is four eyes; "all" collects everybody's. */
  answers?: number | "all";
  /** Text, up to 4,000 characters; lines end with LF. */
  body?: string;
  /** Two to four choices. */
  choices: Array<Choice>;
  /** A JSON object for your application: at most 2 KiB and 32 levels. Returned unchanged with each row; never shown, searched or logged. */
  data?: unknown;
  /** How long there is to answer, such as 30m, 72h or 7d. Default: the lifetime of its type. The rows stay longer. */
  expires_in?: string;
  /** A picture, shown below the text. */
  image?: Image;
  /** A link, as for POST /notices. */
  link?: string;
  /** With it, notices of the same type and subject share a row until it is read, which shows these words instead of the title once there are several actors. Announcements have none. */
  more?: More;
  /** The ID of the choice that is the outcome when time is up; null, the default: there is none. */
  otherwise?: string | null;
  /** The part of the application that it belongs to. [A-Za-z0-9_.-]{0,64} */
  scope?: string;
  /** When to ask (RFC 3339). Default: at once. */
  send_at?: string;
  /** The thing that the question is about. A later notice with the same type and subject takes the place of its rows, and then nobody can answer it. */
  subject?: string;
  /** Who is asked: exactly one of users, role, roles and topic. */
  target: Target;
  /** The question: one line, up to 200 characters. */
  title: string;
  /** Also shows it as a toast. */
  toast?: boolean;
  /** The type of the notice, as for POST /notices. */
  type?: string;
}

export interface Answer {
  /** When they answered. */
  at: string;
  /** The ID of their choice. */
  choice: string;
  /** Their comment; may be empty. */
  comment: string;
  /** What they are called. */
  name?: string;
  /** The name of the user; null if they were deleted. */
  user: string | null;
}

export interface Ask {
  /** All answers, in order. Lists have the first 37, which are all if a choice decides. */
  answers: Array<Answer>;
  /** What there is to choose. */
  choices: Array<Choice>;
  /** When it ends without an answer. */
  expires_at: string;
  /** The ID of the question and of its notice. */
  id: number;
  /** The ID of the choice that was made; null if there is none. */
  outcome: string | null;
  /** Once it is answered or expired: a JWS that proves it. GET /receipts/jwks.json has the keys. Lists leave it out. */
  receipt?: string;
  /** Only an open question changes. */
  state: "open" | "answered" | "expired" | "withdrawn";
}

export interface UserChange {
  /** The name of the user's audience. */
  audience?: string;
  /** Where the user gets mail; null: nowhere. */
  email?: string | null;
  /** The user's language (BCP 47). Empty: the browser's language. */
  locale?: string;
  /** The names of all of the user's roles. */
  roles?: Array<string>;
}

export interface User {
  /** The name of the user's audience. */
  audience: string;
  /** What the user is called. Empty: their app has not said. */
  display: string;
  /** Where the user gets mail; null: nowhere. */
  email: string | null;
  /** The user's language (BCP 47). Empty: the browser's language. */
  locale: string;
  /** The user's name in your application. */
  name: string;
  /** The names of the user's roles. */
  roles: Array<string>;
}

export interface Badge {
  /** Number of open announcements that the user has not read. */
  announcements: number;
  /** The version of announcements. */
  aver: number;
  /** Number of unread notices in the inbox. */
  inbox: number;
  /** The sum of inbox and announcements. */
  unread: number;
  /** The version of inbox, which only rises. */
  ver: number;
}
