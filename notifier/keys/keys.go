// Package keys builds every Redis key and channel of Carillon. Nothing else
// builds one: a renamed key is a migration of data, and the golden list in the
// tests makes it visible as that.
//
// Users are spread over Partitions partitions by seq; a partition is the hash
// tag of all keys of its users and of its own bookkeeping, so that one script
// can change an inbox, its counter, its expiry and its marks at once, on one
// node or on a cluster.
package keys

import (
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// Partitions is how many partitions users are spread over, a power of two.
// Changing it moves every user's data.
const Partitions = 64

// Space is a set of keys under one prefix; tests have one each.
type Space struct{ prefix string }

// New returns the space of a prefix such as `carillon:`. The prefix must hold
// no brace: it would become the hash tag.
func New(prefix string) Space { return Space{prefix} }

// Partition is the partition of a user. A number that no user has (they count
// from 1) has one too, so that it finds nothing instead of breaking anything.
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

// List is the inbox of a user: LIST of entry keys with state, newest first.
// Lives as long as the inbox is in Redis. Written by inbox.
func (s Space) List(seq int64) string { return s.user("list", seq) }

// Hash is the bodies of an inbox: HASH, entry key with state → `ID AT EXPIRY JSON`.
// Lives as List. Written by inbox.
func (s Space) Hash(seq int64) string { return s.user("hash", seq) }

// State is the numbers of an inbox: HASH of unread, ver and opened. Missing
// means the inbox is cold: not in Redis. Written by inbox.
func (s Space) State(seq int64) string { return s.user("state", seq) }

// Gone is the notices that left an inbox: ZSET of notice ids by time (ms),
// kept 7 days, at most 500; a retracted one stands at half a millisecond, which
// tells it from what may come back by an undo. Written by inbox.
func (s Space) Gone(seq int64) string { return s.user("gone", seq) }

// Expiry is what will expire in a partition: ZSET by time (ms) of `SEQ|KEY` for an
// entry that lives for 7 days at most, and of `SEQ|` for all others of a user, at
// the earliest of their times or before. Written by inbox, read by sweep.
func (s Space) Expiry(p int) string { return s.partition("expiry", p) }

// Dirty is the users of a partition whose state SQL has not seen: ZSET of seq
// by ver. Written by inbox.
func (s Space) Dirty(p int) string { return s.partition("dirty", p) }

// Counts is how far the notices with more than one recipient came in a
// partition: HASH, `N:d` delivered and `N:r` read. Written by inbox.
func (s Space) Counts(p int) string { return s.partition("counts", p) }

// Idle is the users of a partition whose inboxes are in Redis: ZSET of seq by last
// use (ms), and of 0 by a number that rises whenever an inbox leaves Redis. Who is
// clean and idle for long leaves. Written by inbox.
func (s Space) Idle(p int) string { return s.partition("idle", p) }

// Flushed is how far SQL has seen a partition: STRING, the highest version that was
// saved. Redis came back empty where it is missing, and older where SQL has seen
// more. Written by inbox and epoch.
func (s Space) Flushed(p int) string { return s.partition("flushed", p) }

// Toasts is the toasts of a partition that nobody has acknowledged: STREAM, read by the
// group `toasts`. An entry leaves it when it is acknowledged, or by age. Written by toast.
func (s Space) Toasts(p int) string { return s.prefix + "stream:toast:" + tag(p) }

// PendingToasts is the toasts that wait for a user: ZSET of ids in Toasts by the time
// when they were raised (ms). Written by toast.
func (s Space) PendingToasts(seq int64) string {
	return s.prefix + "pending:toast:" + tag(Partition(seq)) + ":user_id:" + strconv.FormatInt(seq, 10)
}

// RaisedToasts is which toasts were raised in a partition, so that repeating it raises
// none: ZSET of `NOTICE|SEQ` and `+TOKEN|SEQ` by time (ms). Written by toast.
func (s Space) RaisedToasts(p int) string { return s.prefix + "raised:toast:" + tag(p) }

// ToastRequest is a request for a toast without a row that may be repeated: STRING,
// lives for a day. digest is of who asks and of his key. Written by pipeline.
func (s Space) ToastRequest(digest string) string { return s.prefix + "request:toast:" + digest }

// Intake is the accepted notices on their way: STREAM, read by the group `carillon`.
// An entry leaves it once it is done. Written by intake.
func (s Space) Intake() string { return s.prefix + "stream:intake" }

// audience is a key of an audience. Its number is the hash tag: a script changes
// an index, its version and the bitmaps of one audience at once.
func (s Space) audience(kind string, a notifier.Audience) string {
	return s.prefix + kind + ":{" + strconv.Itoa(int(a)) + "}"
}

// Bits is who in an audience has read an announcement: bitmap, bit = seq. Bit 0 is
// always set, so that the key exists. Lives until the announcement is over and SQL
// has its count. Written by announcement.
func (s Space) Bits(a notifier.Audience, id int64) string {
	return s.audience("notice", a) + ":" + strconv.FormatInt(id, 10)
}

// Open is the open announcements of an audience: ZSET of id by start (ms). The
// member 0 is always there, so that none differs from lost. Written by announcement.
func (s Space) Open(a notifier.Audience) string { return s.audience("announcements", a) }

// Scheduled is the coming announcements of an audience, in the form of Open.
func (s Space) Scheduled(a notifier.Audience) string { return s.audience("scheduled", a) }

// Windows is what an index has to know of each announcement, open or coming: HASH,
// id → `START END TOP REVISION-SUM`, TOP -1 as long as it is not settled; `revision` → the state of SQL that it is made of.
// Lives as Open. Written by announcement.
func (s Space) Windows(a notifier.Audience) string { return s.audience("windows", a) }

// AVer is the version of an audience's index: STRING, ms. Written by announcement.
func (s Space) AVer(a notifier.Audience) string { return s.audience("aver", a) }

// Marked is who in an audience has changed his bits in the last minute: ZSET of
// seq by the version of the change (ms). Later the version of the index will do: it
// is only compared, and the numbers are the same. Written by announcement.
func (s Space) Marked(a notifier.Audience) string { return s.audience("marked", a) }

// DirtyBits is the pieces of an audience's bitmaps that SQL has not seen: ZSET of
// `ID:SEGMENT` by time of the last change (µs), and 0 by the latest time that SQL has
// seen. Written by announcement.
func (s Space) DirtyBits(a notifier.Audience) string { return s.audience("dirty:announcements", a) }

// LiveAudience is the Pub/Sub channel of what opens, changes and closes in an
// audience. Published by announcement, heard by live on every instance.
func (s Space) LiveAudience(a notifier.Audience) string {
	return s.prefix + "live:audience:" + strconv.Itoa(int(a))
}

// LiveUser is the Pub/Sub channel of a user's changes. Published by inbox and
// announcement, heard by live on every instance where the user is connected.
func (s Space) LiveUser(seq int64) string {
	return s.prefix + "live:user_id:" + strconv.FormatInt(seq, 10)
}

// SubscriberIndex is the topics that have a set of subscribers: SET of `TYPE:SCOPE`,
// and of 0, so that none differs from lost. SQL holds the truth. Written by topic.
func (s Space) SubscriberIndex() string { return s.prefix + "subscribers" }

// Subscribers is who subscribes to a topic: SET of `user:SEQ` and `role:NAME`, and
// of 0. Lives as long as somebody does. Written by topic.
func (s Space) Subscribers(t notifier.Topic) string {
	return s.prefix + "subscribers:" + t.Type + ":" + t.Scope
}

// SubscriberRevision is which state of SQL the sets of subscribers are made of:
// STRING. Written by topic.
func (s Space) SubscriberRevision() string { return s.prefix + "revision:subscribers" }

// SubscribersVersion is the revision of SQL that a topic's set is as of: STRING, in the
// slot of the set. It outlives the set by an hour, so that nothing older makes that
// again. Written by topic.
func (s Space) SubscribersVersion(t notifier.Topic) string {
	return s.prefix + "revision:{" + s.Subscribers(t) + "}"
}

// SubscribersDraft is a set of subscribers in the making, in the slot of what it will
// become: SET, lives for a minute. Written by topic.
func (s Space) SubscribersDraft(t notifier.Topic, token string) string {
	return s.prefix + "draft:{" + s.Subscribers(t) + "}:" + token
}

// AllSubscribers is the pattern of every key that Subscribers can give.
func (s Space) AllSubscribers() string {
	escape := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`)
	return escape.Replace(s.prefix) + "subscribers:*"
}

// TopicOf is the topic whose Subscribers are at a key; false when it is no such key.
func (s Space) TopicOf(key string) (t notifier.Topic, ok bool) {
	rest, ok := strings.CutPrefix(key, s.prefix+"subscribers:")
	if !ok {
		return t, false
	}
	t.Type, t.Scope, ok = strings.Cut(rest, ":")
	return t, ok && t.Type != ""
}

// Session is the cached session with this id: STRING, at most 60 s. Written by
// internal/session; SQL holds the truth.
func (s Space) Session(id string) string { return s.prefix + "session:" + id }

// Limit counts attempts of one kind by one account or address: STRING, lives
// as long as the window. Written by handlers' limiter.
func (s Space) Limit(kind, who string) string { return s.prefix + "limit:" + kind + ":" + who }

// Lease is held by the instance that does a piece of work: STRING with the
// holder's token, lives some seconds. It saves work; no promise rests on it.
func (s Space) Lease(name string) string { return s.prefix + "lease:" + name }
