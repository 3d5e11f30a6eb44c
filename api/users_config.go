package api

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Inbox is what applications see of inboxes and change in them; see notifier/inbox.
// The badges answered are the inbox's half. A user who is gone is notifier.ErrNotFound.
type Inbox interface {
	Poll(ctx context.Context, seq int64, q notifier.PollQuery) (notifier.Poll, error)
	// ReadKeys turns these entries to read: all of them, or none and
	// notifier.ErrNotFound when one is not in this inbox.
	ReadKeys(ctx context.Context, seq int64, keys []string) (notifier.Badge, error)
	// ReadSubject turns whatever is about the subject to read, of any type.
	ReadSubject(ctx context.Context, seq int64, subject string) (notifier.Badge, error)
	// ReadUpto turns to read what is not newer than an at in decimal, or than the
	// entry of a key: notifier.ErrNotFound when it is not in this inbox.
	ReadUpto(ctx context.Context, seq int64, upto string) (notifier.Badge, error)
	// Badges answers for each user, in order: version 0 where nobody has that number.
	Badges(ctx context.Context, seqs []int64) ([]notifier.Badge, error)
}

// Board counts the announcements that readers have not read, the other half of
// their badges, in order; see notifier/announcement.
type Board interface {
	Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error)
}

// Directory knows users and who subscribes to what; see store. What is not there
// is notifier.ErrNotFound.
type Directory interface {
	UserByName(ctx context.Context, name string) (notifier.User, error)
	// PutUser makes the user or changes what is given. A fault of a field is a
	// *notifier.InvalidError.
	PutUser(ctx context.Context, p PutUser) (u notifier.User, created bool, err error)
	// DeleteUser deletes the user, and everything of him everywhere. Called again after
	// a failure it goes on with what is left.
	DeleteUser(ctx context.Context, name string) error
	Subscriptions(ctx context.Context, q notifier.SubscriptionQuery) ([]notifier.Subscription, error)
}

// PutUser is a user as an application wants him. What is nil stays as it is; of a
// new user it is as the directory makes it.
type PutUser struct {
	Name     string
	Audience *notifier.Audience
	Locale   *string   // empty: as the browser asks
	Roles    *[]string // all of them; those that do not exist are made
}

// Topics subscribes and unsubscribes; see notifier/topic. A user or role that does
// not exist is a *notifier.InvalidError.
type Topics interface {
	// Subscribe is false when he did already.
	Subscribe(ctx context.Context, s notifier.Subscription) (added bool, err error)
	// Unsubscribe is false when he did not.
	Unsubscribe(ctx context.Context, s notifier.Subscription) (removed bool, err error)
}
