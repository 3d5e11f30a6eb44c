// Package keys builds every Redis key and channel of Carillon. No other package builds
// keys: renaming a key requires a data migration, and the golden list in the tests makes such
// a change visible.
//
// Users are spread over partitions by seq. A partition is the hash tag of all keys of its
// users and of its own bookkeeping, so that one script can change an inbox, its counter,
// its expiry and its marks together, on one node or on a cluster.
package keys

import (
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// Partitions is the number of partitions, a power of two. Changing it would move every user's
// data.
const Partitions = 64

// Space is a set of keys under one prefix. Each test has its own.
type Space struct{ prefix string }

// New returns the space of a prefix such as `carillon:`. The prefix must not contain a
// brace, which would start the hash tag.
func New(prefix string) Space { return Space{prefix} }

// Partition returns the partition of a user. Numbers below 1, which no user has, also get
// one, so that a lookup finds nothing instead of failing.
func Partition(seq int64) int { return int(seq & (Partitions - 1)) }

func tag(p int) string {
	const digits = "0123456789"
	return "{p" + digits[p/10:p/10+1] + digits[p%10:p%10+1] + "}"
}

func (s Space) user(kind string, seq int64) string {
	return s.prefix + kind + ":notification:" + tag(Partition(seq)) + ":user_id:" + strconv.FormatInt(seq, 10)
}

func (s Space) partition(kind string, p int) string {
	return s.prefix + kind + ":notification:" + tag(p)
}

// List returns the key of a user's inbox: LIST of entry keys with state, newest first.
// Exists while the inbox is in Redis. Written by inbox.
func (s Space) List(seq int64) string { return s.user("list", seq) }

// Hash returns the key of the bodies of an inbox: HASH, entry key with state →
// `ID AT EXPIRY JSON`. Lives as long as List. Written by inbox.
func (s Space) Hash(seq int64) string { return s.user("hash", seq) }

// State returns the key of the numbers of an inbox: HASH of unread, ver, opened, and if set
// floor, kept, archived, whole, late and first. If it is missing, the inbox is cold. Written by inbox.
func (s Space) State(seq int64) string { return s.user("state", seq) }

// Gone returns the key of the notices that left an inbox: ZSET of notice ids by time (ms),
// for 7 days, at most 500. The fraction of the score encodes how the notice left (see
// notifier.Left), which distinguishes retracted notices from notices that an undo may restore.
// Written by inbox.
func (s Space) Gone(seq int64) string { return s.user("gone", seq) }

// Archive returns the key of a user's archived entries: HASH, entry key → `ID AT EXPIRY
// ARCHIVED`, the last in ms. The contents are in SQL. An entry leaves after 30 days; the
// maximum number of entries is the same as in the inbox. Written by inbox.
func (s Space) Archive(seq int64) string { return s.user("archive", seq) }

// Deleted returns the key of the entries that a user has deleted, from which Undo restores them:
// HASH, entry key → `ID AT EXPIRY`, and `ARCHIVED` after that if it was deleted from the archive. It
// lives for 10 minutes after the last deletion, with at most 700 entries. Written by inbox.
func (s Space) Deleted(seq int64) string { return s.user("deleted", seq) }

// Expiry returns the key of the upcoming expiries in a partition: ZSET by time (ms) of
// `SEQ|KEY` for each entry that lives for at most 7 days, and of `SEQ|` for all other
// entries of a user, with the earliest of their times or an earlier one. Written by inbox,
// read by sweep.
func (s Space) Expiry(p int) string { return s.partition("expiry", p) }

// Dirty returns the key of the dirty marks of a partition, the users whose state is not yet in
// SQL: ZSET of seq by ver. Written by inbox.
func (s Space) Dirty(p int) string { return s.partition("dirty", p) }

// Late returns the key of the late marks of a partition, the users with notices that SQL has as notices but not yet in
// the user's inbox: ZSET of seq by the acceptance of the oldest of them (ms). Written by inbox.
func (s Space) Late(p int) string { return s.partition("late", p) }

// Counts returns the key of the counts, in one partition, of notices with more than one
// recipient: HASH, `N:d` delivered and `N:r` read. Written by inbox.
func (s Space) Counts(p int) string { return s.partition("counts", p) }

// Idle returns the key of the users of a partition whose inboxes are in Redis: ZSET of seq by
// last use (ms), and of 0 by a number that rises whenever an inbox leaves Redis. A clean
// inbox leaves Redis after a long idle time. Written by inbox.
func (s Space) Idle(p int) string { return s.partition("idle", p) }

// Flushed returns the key of the highest version of a partition that is in SQL: STRING. If it
// is missing, Redis came back empty; if SQL has a higher one, Redis came back older. Written by
// inbox and guard.
func (s Space) Flushed(p int) string { return s.partition("flushed", p) }

// Toasts returns the key of the unacknowledged toasts of a partition: STREAM, read by the
// group `toasts`. A toast leaves it when it is acknowledged, or by age. Written by toast.
func (s Space) Toasts(p int) string { return s.prefix + "stream:toast:" + tag(p) }

// PendingToasts returns the key of the toasts that wait for a user: ZSET of ids in Toasts by
// the time when they were raised (ms). Written by toast.
func (s Space) PendingToasts(seq int64) string {
	return s.prefix + "pending:toast:" + tag(Partition(seq)) + ":user_id:" + strconv.FormatInt(seq, 10)
}

// Looking returns the key that marks a user as viewing a page: STRING, for 90 s. Written by channels.
func (s Space) Looking(seq int64) string {
	return s.prefix + "looking:user_id:" + strconv.FormatInt(seq, 10)
}

// RaisedToasts returns the key of the toasts already raised in a partition, so that a
// repeated raise adds none: ZSET of `NOTICE|SEQ` and `+TOKEN|SEQ` by time (ms). Written by
// toast.
func (s Space) RaisedToasts(p int) string { return s.prefix + "raised:toast:" + tag(p) }

// ToastRequest returns the key of a repeatable request for a toast without an inbox entry:
// STRING, for a day. digest covers the caller and their idempotency key. Written by
// notices.
func (s Space) ToastRequest(digest string) string { return s.prefix + "request:toast:" + digest }

// Intake returns the key of the queue of earlier versions: STREAM, read by the group `carillon`.
// Package delivery moves its entries into SQL and deletes it.
func (s Space) Intake() string { return s.prefix + "stream:intake" }

// audience returns a key of an audience. The audience number is the hash tag, so that a
// script can change an index, its version and the bitmaps of one audience together.
func (s Space) audience(kind string, a notifier.Audience) string {
	return s.prefix + kind + ":{" + strconv.Itoa(int(a)) + "}"
}

// Bits returns the key of the readers of an announcement in one audience: bitmap, bit = seq.
// Bit 0 is always set, so that the key exists. Lives until the announcement has closed and
// SQL has its count. Written by announcement.
func (s Space) Bits(a notifier.Audience, id int64) string {
	return s.audience("notice", a) + ":" + strconv.FormatInt(id, 10)
}

// Open returns the key of the open announcements of an audience: ZSET of id by start (ms).
// The member 0 is always present, to distinguish an empty index from a lost one. Written by
// announcement.
func (s Space) Open(a notifier.Audience) string { return s.audience("announcements", a) }

// Scheduled returns the key of the upcoming announcements of an audience, in the form of Open.
func (s Space) Scheduled(a notifier.Audience) string { return s.audience("scheduled", a) }

// Windows returns the key of the data that the index needs for each open or upcoming
// announcement: HASH, id → `START END TOP REVISION-SUM`, where TOP is -1 until it is settled;
// `revision` → the state of SQL from which the index was built. Lives as long as Open.
// Written by announcement.
func (s Space) Windows(a notifier.Audience) string { return s.audience("windows", a) }

// AVer returns the key of the version of an audience's index: STRING, ms. Written by
// announcement.
func (s Space) AVer(a notifier.Audience) string { return s.audience("aver", a) }

// Marked returns the key of the users of an audience who changed their bits in the last
// minute: ZSET of seq by the version of the change (ms). After a minute the version of the
// index is used instead: versions are only compared, and the numbers are the same. Written
// by announcement.
func (s Space) Marked(a notifier.Audience) string { return s.audience("marked", a) }

// DirtyBits returns the key of the bitmap segments of an audience that are not yet in SQL:
// ZSET of `ID:SEGMENT` by time of the last change (µs), of 0 by the latest time in SQL,
// and of ID by the revision, as a negative number, of the last edit that marked the
// announcement as unread for all users. Written by announcement.
func (s Space) DirtyBits(a notifier.Audience) string { return s.audience("dirty:announcements", a) }

// LiveAudience returns the Pub/Sub channel on which an audience's announcements open, change
// and close. Published by announcement, received by live on every instance.
func (s Space) LiveAudience(a notifier.Audience) string {
	return s.prefix + "live:audience:" + strconv.Itoa(int(a))
}

// LiveUser returns the Pub/Sub channel of a user's changes. Published by inbox, announcement
// and toast, received by live on every instance to which the user is connected.
func (s Space) LiveUser(seq int64) string {
	return s.prefix + "live:user_id:" + strconv.FormatInt(seq, 10)
}

// SubscriberIndex returns the key of the topics that have a set of subscribers: SET of
// `TYPE:SCOPE`, and of 0, to distinguish an empty index from a lost one. SQL is authoritative.
// Written by topic.
func (s Space) SubscriberIndex() string { return s.prefix + "subscribers" }

// Subscribers returns the key of a topic's subscribers: SET of `user:SEQ` and `role:NAME`,
// and of 0. Lives as long as the topic has subscribers. Written by topic.
func (s Space) Subscribers(t notifier.Topic) string {
	return s.prefix + "subscribers:" + t.Type + ":" + t.Scope
}

// SubscriberRevision returns the key of the revision of SQL from which the subscriber sets
// were built: STRING. Written by topic.
func (s Space) SubscriberRevision() string { return s.prefix + "revision:subscribers" }

// SubscribersVersion returns the key of the revision of SQL that a topic's set reflects:
// STRING, in the slot of the set. It outlives the set by an hour, so that the set is not
// rebuilt from an older revision. Written by topic.
func (s Space) SubscribersVersion(t notifier.Topic) string {
	return s.prefix + "revision:{" + s.Subscribers(t) + "}"
}

// SubscribersDraft returns the key of a subscriber set under construction, in the slot of the
// final set: SET, lives for a minute. Written by topic.
func (s Space) SubscribersDraft(t notifier.Topic, token string) string {
	return s.prefix + "draft:{" + s.Subscribers(t) + "}:" + token
}

// AllSubscribers returns a pattern that matches every key returned by Subscribers.
func (s Space) AllSubscribers() string {
	escape := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`)
	return escape.Replace(s.prefix) + "subscribers:*"
}

// TopicOf returns the topic of a key returned by Subscribers; ok is false for other keys.
func (s Space) TopicOf(key string) (t notifier.Topic, ok bool) {
	rest, ok := strings.CutPrefix(key, s.prefix+"subscribers:")
	if !ok {
		return t, false
	}
	t.Type, t.Scope, ok = strings.Cut(rest, ":")
	return t, ok && t.Type != ""
}

// Changed returns the key that invalidates copies of a user from before a change: STRING, a new random
// text after each change, for a minute. Written by internal/session.
func (s Space) Changed(seq int64) string {
	return s.prefix + "changed:user_id:" + strconv.FormatInt(seq, 10)
}

// Session returns the key of a cached session: STRING, lives for at most 60 s. SQL is
// authoritative. Written by internal/session.
func (s Space) Session(id string) string { return s.prefix + "session:" + id }

// Limit returns the key of the failed sign-ins of one kind: account, address or device. ZSET
// of account, address or device by the end of its window (ms) * 1024 + failures; lives as
// long as the last window. All kinds share a slot, so that one script counts an attempt.
// Written by internal/session.
func (s Space) Limit(kind string) string { return s.prefix + "limit:{signin}:" + kind }

// Lease returns the key of a lease: STRING with the token of the instance that holds it,
// for a few seconds. Leases only save work; correctness does not depend on them.
func (s Space) Lease(name string) string { return s.prefix + "lease:" + name }
