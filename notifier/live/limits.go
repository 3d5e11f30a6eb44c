package live

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	perUser      = 8                // streams per user and instance; a further one replaces the oldest
	settleAge    = 10 * time.Second // minimum age of a stream that may be replaced
	ackSeconds   = 45               // limit on the time until a client acknowledges data, where the system supports it
	lifetime     = 10 * time.Minute // of a stream, plus up to half of it
	joinTimeout  = 5 * time.Second  // limit on subscribing and reading the first badge
	spread       = 2 * time.Second  // approximate minimum time to read all badges again
	longestRetry = 5 * time.Second  // reconnect delay in `bye` before a shutdown
)

// Limits bounds the resources of streams. Zero fields have their defaults, which every instance uses; tests set
// other values.
type Limits struct {
	Total        int           // streams per instance; default 50,000
	QueueLen     int           // maximum events queued for one client, beyond which it is disconnected; default 64
	WriteTimeout time.Duration // limit on one write to a client; default 10 s
	Heartbeat    time.Duration // interval of comments on a stream, ± a quarter; default 20 s
	Channels     int           // users per Pub/Sub connection; default 100,000
	Linger       time.Duration // how long a user without streams stays subscribed; default 5 s
	Check        time.Duration // interval between checks of all sessions and badges; default 1 min
	Merge        time.Duration // changes to one user within this time share a write; default 5 ms
	Ping         time.Duration // interval of pings on a subscription; default 1.5 s
	Silence      time.Duration // a subscription without a reply for this long counts as lost; default 3.5 s
	Grace        time.Duration // users are not notified of an outage shorter than this; default 1 s
	ToastWait    time.Duration // how long a toast is left to instances where its user is active; default 150 ms
	ToastAway    time.Duration // the same if the most recently visible page is on another instance; default 1 s
	ToastHold    time.Duration // an unacknowledged toast goes to another connection after this; default 10 s
	ToastActive  time.Duration // a user counts as active this long after a page was visible; default 1 min
}

func (l Limits) withDefaults() Limits {
	def(&l.Total, 50_000)
	def(&l.QueueLen, 64)
	def(&l.WriteTimeout, 10*time.Second)
	def(&l.Heartbeat, 20*time.Second)
	def(&l.Channels, 100_000)
	def(&l.Linger, 5*time.Second)
	def(&l.Check, time.Minute)
	def(&l.Merge, 5*time.Millisecond)
	def(&l.Ping, 1500*time.Millisecond)
	def(&l.Silence, 3500*time.Millisecond)
	def(&l.Grace, time.Second)
	def(&l.ToastWait, 150*time.Millisecond)
	def(&l.ToastAway, time.Second)
	def(&l.ToastHold, 10*time.Second)
	def(&l.ToastActive, time.Minute)
	return l
}

func def[T int | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

func tooMany(after time.Duration) error { return &notifier.TooManyError{RetryAfter: after} }

func unavailable(why string) error { return fmt.Errorf("%s: %w", why, notifier.ErrUnavailable) }

// Stats is the current size of a hub and counts since it was created.
type Stats struct {
	Streams         int64 // open now, including those being opened
	Users           int64 // held now, including lingering ones
	Cut             int64 // clients disconnected because they did not read
	Dropped         int64 // published messages that were malformed or for no user here
	Resubscriptions int64 // lost subscriptions that were re-established
	Rereads         int64 // users whose badge was read from Redis
	Turns           int64 // turns received, counted once per Pub/Sub connection
	Toasts          int64 // toasts sent to a browser, counting every attempt
	ToastRetries    int64 // attempts in Toasts after the first
}

type counters struct {
	users, cut, dropped, resubscriptions, rereads, turns, toasts, toastRetries atomic.Int64
}

// Stats returns the current numbers.
func (h *Hub) Stats() Stats {
	return Stats{
		Streams: h.streams.Load(), Users: h.stats.users.Load(), Cut: h.stats.cut.Load(),
		Dropped: h.stats.dropped.Load(), Resubscriptions: h.stats.resubscriptions.Load(), Rereads: h.stats.rereads.Load(),
		Turns: h.stats.turns.Load(), Toasts: h.stats.toasts.Load(), ToastRetries: h.stats.toastRetries.Load(),
	}
}

// comeBack is the minimum reconnect delay of a stream that was ended to make room; the maximum
// is twice as long.
const comeBack = 30 * time.Second

// place reports whether the user has a slot for one more stream of this session. When all are in use, an older
// stream is ended: it most likely belongs to a client that has vanished, such as a phone that changed networks,
// while the proxy has not noticed. A browser has one stream, so a stream of the same session is ended first. A
// stream that has just begun is spared, and the one that is ended is asked to reconnect only after a while, so
// that the browsers of a user with more browsers than slots take turns slowly.
func (u *user) place(session string) bool {
	if u.holds-u.leaving() < perUser {
		return true
	}
	victim := u.oldest(func(c *conn) bool { return session != "" && c.session == session })
	if victim == nil {
		victim = u.oldest(func(*conn) bool { return true })
	}
	if victim == nil {
		return false
	}
	victim.bye(comeBack + u.hub.jitter(comeBack))
	return true
}

// leaving returns how many streams have been sent bye but have not ended yet.
func (u *user) leaving() (n int) {
	for _, c := range u.conns {
		if c.ending {
			n++
		}
	}
	return n
}

// oldest returns the oldest stream that matches and has been open for settleAge; nil if there
// is none.
func (u *user) oldest(meant func(*conn) bool) *conn {
	settled := u.hub.cfg.Now().Add(-settleAge)
	for _, c := range u.conns { // oldest first
		if c.open() && meant(c) && !c.since.After(settled) {
			return c
		}
	}
	return nil
}
