package api

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Inbox polls inboxes and marks their entries as read; see notifier/inbox. The badges it
// returns are the inbox's half. It returns notifier.ErrNotFound for a deleted user.
type Inbox interface {
	Poll(ctx context.Context, seq int64, q notifier.PollQuery) (notifier.Poll, error)
	// ReadKeys marks these entries as read. If one of them is not in the inbox, it marks none
	// and returns notifier.ErrNotFound.
	ReadKeys(ctx context.Context, seq int64, keys []string) (notifier.Badge, error)
	// ReadSubject marks the entries about a subject as read, of any type: those of an app and of none, or all if
	// app is 0.
	ReadSubject(ctx context.Context, seq int64, subject string, app int64) (notifier.Badge, error)
	// ReadUpto marks as read all entries that are not newer than an `at` in decimal, or than
	// the entry with a key. It returns notifier.ErrNotFound if the inbox has no such key.
	ReadUpto(ctx context.Context, seq int64, upto string) (notifier.Badge, error)
	// Open marks everything as read that was not kept unread, and returns the first page.
	Open(ctx context.Context, seq int64) (notifier.Page, error)
	Look(ctx context.Context, seq int64, q notifier.Query) (notifier.Page, error)
	// MarkUnread keeps entries unread, and Take deletes them. Both skip keys that are not there;
	// without any they return notifier.ErrNotFound.
	MarkUnread(ctx context.Context, seq int64, keys ...string) ([]string, notifier.Badge, error)
	Take(ctx context.Context, seq int64, keys ...string) ([]notifier.Entry, notifier.Badge, error)
	// Restore undoes Take within 10 minutes. It returns notifier.ErrConflict if only newer notices or
	// the room are in the way.
	Restore(ctx context.Context, seq int64, keys ...string) (notifier.Badge, error)
	// Badges returns one badge for each user, in order. Its version is 0 for an unknown user.
	Badges(ctx context.Context, seqs []int64) ([]notifier.Badge, error)
}

// Announcements lists and changes announcements; see notifier/announcement. The badges it returns are
// the announcements' half. An announcement that is not open, or that the reader does not see, is
// notifier.ErrNotFound.
type Announcements interface {
	// Badges returns the badges of the readers, in order.
	Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error)
	List(ctx context.Context, r notifier.Reader) (notifier.OpenAnnouncements, error)
	MarkRead(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error)
	MarkUnread(ctx context.Context, r notifier.Reader, id int64) (notifier.Badge, error)
	// ReadAll returns the IDs it changed from unread to read.
	ReadAll(ctx context.Context, r notifier.Reader) ([]int64, notifier.Badge, error)
}

// Directory finds users and subscriptions; see store. It returns notifier.ErrNotFound for an
// unknown user.
type Directory interface {
	UserByName(ctx context.Context, name string) (notifier.User, error)
	Subscriptions(ctx context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error)
	MailOf(ctx context.Context, seq int64) (notifier.Mailbox, error)
	// Mutes lists the types that a user has muted.
	Mutes(ctx context.Context, seq int64) ([]string, error)
	// AppNamed returns the app with this name, valid or revoked, or notifier.ErrNotFound.
	AppNamed(ctx context.Context, name string) (notifier.App, error)
}

// People changes users for an actor, whom the audit log names; see notifier/person.
type People interface {
	// Put creates a user, or changes the given fields of an existing one. It returns a
	// *notifier.InvalidError for faulty fields.
	Put(ctx context.Context, by notifier.Actor, u notifier.PutUser) (has notifier.User, created bool, err error)
	// Bring adds those of these users that do not exist, for the app that sends to them. It adds all or
	// none.
	Bring(ctx context.Context, by notifier.Actor, app int64, names []string) error
	// SignOut ends all sessions of a user, and refuses the tokens of their app until now. It returns
	// notifier.ErrNotFound for an unknown user.
	SignOut(ctx context.Context, by notifier.Actor, name string) error
	// Preferences and SetPreferences return notifier.ErrNotFound for an unknown user. SetPreferences
	// replaces what set names, all or none, or returns a *notifier.InvalidError.
	Preferences(ctx context.Context, name string) (notifier.Preferences, error)
	SetPreferences(ctx context.Context, by notifier.Actor, name string, set notifier.PutPreferences) (notifier.Preferences, error)
	// Bounced records that mail to a user came back. It returns notifier.ErrNotFound for an unknown user
	// and for one without an address.
	Bounced(ctx context.Context, by notifier.Actor, name string, permanent bool) error
	// SeeZone notes the time zone of a user's browser, and returns the user with it.
	SeeZone(ctx context.Context, u notifier.User, zone string) notifier.User
	SetSettings(ctx context.Context, seq int64, set notifier.PutSettings) (notifier.Settings, error)
	// SetMute mutes or unmutes a type of notice. A type that cannot be muted is a
	// *notifier.InvalidError.
	SetMute(ctx context.Context, seq int64, typ string, muted bool) error
	// Active records whether a page of the session is visible.
	Active(ctx context.Context, seq int64, session string, visible bool) error
	// Ack records that a page has shown these toasts. It returns notifier.ErrNotFound if the user has
	// none of them waiting.
	Ack(ctx context.Context, seq int64, ids []string) error
	// Delete deletes a user and all their data: at once, or in the background if there is much of
	// it. It may be called again while the deletion continues. It returns notifier.ErrNotFound for
	// an unknown user. progress may be nil.
	Delete(ctx context.Context, by notifier.Actor, name string, progress func(at, last int64)) (notifier.Deleted, error)
}

// Topics knows the types of notices, and adds and removes subscriptions; see notifier/topic. It
// returns a *notifier.InvalidError for an unknown user or role.
type Topics interface {
	Types() []notifier.NoticeType
	Type(slug string) (notifier.NoticeType, bool)
	// SaveType creates or replaces a type. Faults are a *notifier.InvalidError.
	SaveType(ctx context.Context, by notifier.Actor, t notifier.NoticeType) error
	// Name returns the name of a type in a language.
	Name(typ, lang string) string
	// SubscribeSelf subscribes or unsubscribes a user on their own, or returns notifier.ErrForbidden.
	SubscribeSelf(ctx context.Context, u notifier.User, topic notifier.Topic, on bool) error
	// Subscribe returns false if the subscription existed already.
	Subscribe(ctx context.Context, by notifier.Actor, s notifier.Subscription) (added bool, err error)
	// Unsubscribe returns false if there was no such subscription.
	Unsubscribe(ctx context.Context, by notifier.Actor, s notifier.Subscription) (removed bool, err error)
}
