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
	// ReadSubject marks the entries about a subject as read, of any type.
	ReadSubject(ctx context.Context, seq int64, subject string) (notifier.Badge, error)
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

// Announcements returns the announcements' half of the readers' badges, in order; see
// notifier/announcement.
type Announcements interface {
	Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error)
}

// Directory finds users and subscriptions; see store. It returns notifier.ErrNotFound for an
// unknown user.
type Directory interface {
	UserByName(ctx context.Context, name string) (notifier.User, error)
	Subscriptions(ctx context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error)
}

// People changes users for an actor, whom the audit log names; see notifier/person.
type People interface {
	// Put creates a user, or changes the given fields of an existing one. It returns a
	// *notifier.InvalidError for faulty fields.
	Put(ctx context.Context, by notifier.Actor, u notifier.PutUser) (has notifier.User, created bool, err error)
	// Arrive returns the user of a token, who is added or changed as it says.
	Arrive(ctx context.Context, t *notifier.UserToken) (notifier.User, error)
	// Bring adds those of these users that do not exist, for the app that sends to them. It adds all or
	// none.
	Bring(ctx context.Context, by notifier.Actor, app int64, names []string) error
	// SignOut ends all sessions of a user, and refuses the tokens of their app until now. It returns
	// notifier.ErrNotFound for an unknown user.
	SignOut(ctx context.Context, by notifier.Actor, name string) error
	// Delete deletes a user and all their data: at once, or in the background if there is much of
	// it. It may be called again while the deletion continues. It returns notifier.ErrNotFound for
	// an unknown user. progress may be nil.
	Delete(ctx context.Context, by notifier.Actor, name string, progress func(at, last int64)) (notifier.Deleted, error)
}

// Topics adds and removes subscriptions; see notifier/topic. It returns a
// *notifier.InvalidError for an unknown user or role.
type Topics interface {
	// Subscribe returns false if the subscription existed already.
	Subscribe(ctx context.Context, s notifier.Subscription) (added bool, err error)
	// Unsubscribe returns false if there was no such subscription.
	Unsubscribe(ctx context.Context, s notifier.Subscription) (removed bool, err error)
}
