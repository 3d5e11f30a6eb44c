package delivery

import (
	"context"
	"time"
)

// Look looks at the stream and returns the new backlog.
func (q *Intake) Look(ctx context.Context) int64 {
	n, _, err := q.look(ctx)
	if err != nil {
		panic(err)
	}
	return n
}

// Trim trims the stream now.
func (q *Intake) Trim(ctx context.Context) {
	if err := trimStream.Run(ctx, q.c.Redis, []string{q.stream}, Group).Err(); err != nil {
		panic(err)
	}
}

// Renew renews the stream now, if that is due.
func (q *Intake) Renew(ctx context.Context) {
	if err := q.renew(ctx); err != nil {
		panic(err)
	}
}

// Encode and Decode convert an entry to its form in the stream and back.
var (
	Encode = encode
	Decode = decode
)

// Hand exposes inFlight to tests.
type Hand struct{ *inFlight }

// NewHand returns an empty Hand.
func NewHand(least time.Duration, now func() time.Time) Hand { return Hand{newInFlight(least, now)} }

// Take, Settle, Drop and Idle call the methods of inFlight.
func (h Hand) Take(e Entry)        { h.take(e) }
func (h Hand) Settle(id string)    { h.settle(id) }
func (h Hand) Drop(id string)      { h.drop(id) }
func (h Hand) Idle() time.Duration { return h.idle() }
