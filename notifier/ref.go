package notifier

import "strconv"

// Kind is the kind of thing that a Ref identifies.
type Kind string

// The kinds. The first group sends notices, owns idempotency keys and acts in the audit log; the
// second is only acted on.
const (
	KindUser    Kind = "user"
	KindKey     Kind = "key"     // an API key, by name: a new key with the same name counts as the same sender
	KindRule    Kind = "rule"    // a rule of the rules file, by name
	KindOutbox  Kind = "outbox"  // an outbox of the rules file, by name
	KindCommand Kind = "command" // a command of the command line
	KindHook    Kind = "hook"    // a webhook, by name

	KindNotice     Kind = "notice"
	KindRole       Kind = "role"
	KindType       Kind = "type"
	KindDeadLetter Kind = "dead_letter"
	KindFile       Kind = "file"
	KindApp        Kind = "app" // a host application, by name
)

// deletedUserID is the id of all deleted users.
const deletedUserID = "0"

// Ref identifies one thing by its kind and its id within that kind. Refs are compared as a whole,
// and SQL stores both parts: a user may have the name `key shop`, and a Ref to that user still
// differs from a Ref to the key shop.
//
// The id of a user is their number, which is never reused: a new user does not inherit anything
// from a deleted user with the same name. Name is the user's name if it is available, for display
// and search; it is not part of the identity.
type Ref struct {
	Kind Kind
	ID   string
	Name string
}

// UserRef identifies a user.
func UserRef(u User) Ref {
	return Ref{Kind: KindUser, ID: strconv.FormatInt(u.Seq, 10), Name: u.Name}
}

// UserNamed identifies a user by name only. The audit log looks up the number.
func UserNamed(name string) Ref { return Ref{Kind: KindUser, Name: name} }

// DeletedUser represents a user whose data has been removed.
func DeletedUser() Ref { return Ref{Kind: KindUser, ID: deletedUserID} }

// KeyRef identifies all API keys with this name.
func KeyRef(name string) Ref { return Ref{Kind: KindKey, ID: name} }

// RuleRef identifies the rule with this name.
func RuleRef(name string) Ref { return Ref{Kind: KindRule, ID: name} }

// OutboxRef identifies the outbox with this name.
func OutboxRef(name string) Ref { return Ref{Kind: KindOutbox, ID: name} }

// CommandRef identifies a command by the words typed to run it.
func CommandRef(command string) Ref { return Ref{Kind: KindCommand, ID: command} }

// NoticeRef identifies a notice or an announcement.
func NoticeRef(id int64) Ref { return Ref{Kind: KindNotice, ID: strconv.FormatInt(id, 10)} }

// RoleRef identifies the role with this name.
func RoleRef(name string) Ref { return Ref{Kind: KindRole, ID: name} }

// TypeRef identifies a notice type.
func TypeRef(slug string) Ref { return Ref{Kind: KindType, ID: slug} }

// DeadLetterRef identifies a dead letter.
func DeadLetterRef(id int64) Ref { return Ref{Kind: KindDeadLetter, ID: strconv.FormatInt(id, 10)} }

// FileRef identifies a file that a command read.
func FileRef(path string) Ref { return Ref{Kind: KindFile, ID: path} }

// AppRef identifies the host application with this name.
func AppRef(name string) Ref { return Ref{Kind: KindApp, ID: name} }

// HookRef identifies the webhook with this name.
func HookRef(name string) Ref { return Ref{Kind: KindHook, ID: name} }

// IsZero reports whether the ref identifies nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

// Is reports whether both refs identify the same thing. A deleted user differs from every user,
// including another deleted user.
func (r Ref) Is(other Ref) bool {
	return r.Kind == other.Kind && r.ID == other.ID && r.ID != "" && !r.deleted()
}

func (r Ref) deleted() bool { return r.Kind == KindUser && r.ID == deletedUserID }

// Token returns the ref as a text that is unique, because kinds contain no spaces.
func (r Ref) Token() string { return string(r.Kind) + " " + r.ID }

// String returns the ref for display. Two different refs may look the same; compare them
// with Is.
func (r Ref) String() string {
	switch {
	case r.Kind == KindUser && (r.Name != "" || r.deleted()):
		return r.Name
	case r.Kind == KindCommand, r.Kind == KindFile, r.ID == "":
		return r.ID
	case r.Kind == KindDeadLetter:
		return "dead letter " + r.ID
	}
	return string(r.Kind) + " " + r.ID
}

// MarshalText returns String. The digest of a form contains this text, so changing it would break the
// recognition of forms that are sent again after an upgrade.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
