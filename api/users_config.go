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
	// Badges returns one badge for each user, in order. Its version is 0 for an unknown user.
	Badges(ctx context.Context, seqs []int64) ([]notifier.Badge, error)
}

// Board returns the announcements' half of the readers' badges, in order; see
// notifier/announcement.
type Board interface {
	Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error)
}

// Directory stores users and subscriptions; see store. It returns notifier.ErrNotFound for
// an unknown user.
type Directory interface {
	UserByName(ctx context.Context, name string) (notifier.User, error)
	// PutUser creates a user, or changes the given fields of an existing one. It returns a
	// *notifier.InvalidError for faulty fields.
	PutUser(ctx context.Context, p notifier.PutUser) (u notifier.User, created bool, err error)
	// DeleteUser deletes a user and all their data: at once, or in the background if there is
	// much of it. It may be called again while the deletion continues.
	DeleteUser(ctx context.Context, name string) (Deleted, error)
	Subscriptions(ctx context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error)
}

// Deleted is a user who can no longer be found.
type Deleted struct {
	Seq   int64
	Begun bool // by this call, not by an earlier one
	Done  bool // all data is deleted; otherwise the deletion continues in the background
}

// Topics adds and removes subscriptions; see notifier/topic. It returns a
// *notifier.InvalidError for an unknown user or role.
type Topics interface {
	// Subscribe returns false if the subscription existed already.
	Subscribe(ctx context.Context, s notifier.Subscription) (added bool, err error)
	// Unsubscribe returns false if there was no such subscription.
	Unsubscribe(ctx context.Context, s notifier.Subscription) (removed bool, err error)
}
