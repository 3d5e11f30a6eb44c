package live

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Limits bounds what the streams may take. A zero field means its default.
type Limits struct {
	PerUser      int           // streams of one user: 8
	Total        int           // streams of this instance: 50,000
	QueueLen     int           // events waiting for one client: 64; one more and it is cut
	WriteTimeout time.Duration // for one write to a client: 10 s
	Heartbeat    time.Duration // between comments on a stream, ± a quarter: 20 s
	Lifetime     time.Duration // of a stream, up to half of it more: 10 min
	Channels     int           // users on one Pub/Sub connection: 100,000
	JoinTimeout  time.Duration // for subscribing and the first badge: 5 s
	Linger       time.Duration // a user without streams stays subscribed: 5 s
	Check        time.Duration // all sessions and badges are read again once in: 1 min
	Merge        time.Duration // changes of one user so close together share a write: 5 ms
	Ping         time.Duration // between pings on a subscription: 1.5 s
	Silence      time.Duration // after it a subscription counts as lost: 3.5 s
	Spread       time.Duration // re-reading everybody takes at least about: 2 s
	Grace        time.Duration // what is lost may come back so soon that nobody is told: 1 s
	Retry        time.Duration // longest wait that a `bye` before a stop asks for: 5 s
	ToastWait    time.Duration // a toast is left so long to instances where its user is active: 150 ms
	ToastAway    time.Duration // instead, where it is known that the page seen last is of another instance: 1 s
	ToastHold    time.Duration // not acknowledged so long, it goes to another connection: 10 s
	ToastActive  time.Duration // so long after a page was seen its user counts as active: 1 min
}

func (l Limits) withDefaults() Limits {
	def(&l.PerUser, 8)
	def(&l.Total, 50_000)
	def(&l.QueueLen, 64)
	def(&l.WriteTimeout, 10*time.Second)
	def(&l.Heartbeat, 20*time.Second)
	def(&l.Lifetime, 10*time.Minute)
	def(&l.Channels, 100_000)
	def(&l.JoinTimeout, 5*time.Second)
	def(&l.Linger, 5*time.Second)
	def(&l.Check, time.Minute)
	def(&l.Merge, 5*time.Millisecond)
	def(&l.Ping, 1500*time.Millisecond)
	def(&l.Silence, 3500*time.Millisecond)
	def(&l.Spread, 2*time.Second)
	def(&l.Grace, time.Second)
	def(&l.Retry, 5*time.Second)
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

// BusyError refuses a stream for now. It wraps notifier.ErrTooMany when a cap
// is reached and notifier.ErrUnavailable when Redis is away or the hub stops.
type BusyError struct {
	RetryAfter time.Duration // when to try again, at the earliest
	Reason     error
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("no stream now, retry after %s: %v", e.RetryAfter, e.Reason)
}

func (e *BusyError) Unwrap() error { return e.Reason }

func tooMany(after time.Duration) error {
	return &BusyError{RetryAfter: after, Reason: notifier.ErrTooMany}
}

func unavailable(why string) error {
	return &BusyError{RetryAfter: 2 * time.Second, Reason: fmt.Errorf("%s: %w", why, notifier.ErrUnavailable)}
}

// Stats is what a hub holds and has done since it was made.
type Stats struct {
	Streams         int64 // open now, and those being opened
	Users           int64 // held now, lingering ones too
	Cut             int64 // clients cut because they did not read
	Dropped         int64 // published messages that were malformed or for nobody here
	Resubscriptions int64 // times a lost subscription was made again
	Rereads         int64 // users whose badge was read from Redis
	Turns           int64 // published turns of audiences, each once for every Pub/Sub connection
	Toasts          int64 // toasts given to a browser, each time counted
	ToastRetries    int64 // of them, those that this was not the first time for
}

type counters struct {
	users, cut, dropped, resubscriptions, rereads, turns, toasts, toastRetries atomic.Int64
}

// Stats returns the present numbers.
func (h *Hub) Stats() Stats {
	return Stats{
		Streams: h.streams.Load(), Users: h.stats.users.Load(), Cut: h.stats.cut.Load(),
		Dropped: h.stats.dropped.Load(), Resubscriptions: h.stats.resubscriptions.Load(), Rereads: h.stats.rereads.Load(),
		Turns: h.stats.turns.Load(), Toasts: h.stats.toasts.Load(), ToastRetries: h.stats.toastRetries.Load(),
	}
}
