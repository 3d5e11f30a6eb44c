package intake

import (
	"context"
	"time"
)

// Look is what Backlog will be after the next look.
func (q *Intake) Look(ctx context.Context) int64 {
	n, _, err := q.look(ctx)
	if err != nil {
		panic(err)
	}
	return n
}

// Trim trims now.
func (q *Intake) Trim(ctx context.Context) {
	if err := trimStream.Run(ctx, q.c.Redis, []string{q.stream}, Group).Err(); err != nil {
		panic(err)
	}
}

// Renew makes the stream anew, if it has to be.
func (q *Intake) Renew(ctx context.Context) {
	if err := q.renew(ctx); err != nil {
		panic(err)
	}
}

// Encode and Decode are the form of an entry in the stream.
var (
	Encode = encode
	Decode = decode
)

// Hand is what a process has in hand.
type Hand struct{ *hand }

// NewHand returns one that is empty.
func NewHand(least time.Duration, now func() time.Time) Hand { return Hand{newHand(least, now)} }

// Take, Settle, Drop and Idle are those of the hand.
func (h Hand) Take(e Entry)        { h.take(e) }
func (h Hand) Settle(id string)    { h.settle(id) }
func (h Hand) Drop(id string)      { h.drop(id) }
func (h Hand) Idle() time.Duration { return h.idle() }
