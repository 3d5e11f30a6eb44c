package announcement

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Waiting is how many wait for the next shared count of an audience.
func (b *Board) Waiting(a notifier.Audience) int {
	g := &b.rooms[a].counts
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// Texts is how many texts are held.
func (b *Board) Texts() int {
	b.texts.mu.Lock()
	defer b.texts.mu.Unlock()
	return len(b.texts.by)
}

// Ask is the shape of Badges.
type Ask func(context.Context, []notifier.Reader) ([]notifier.Badge, error)

// Apart is Badges of one reader with a call of its own.
func (b *Board) Apart(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	return b.count(ctx, b.roomOf(readers[0]), []int64{readers[0].Seq})
}

// LeaveWithTheTurn says whether the turn of one who stops waiting goes to the next.
func LeaveWithTheTurn() bool {
	var g gathering
	var all [3]waiter
	for i := range all {
		all[i].turn = make(chan bool, 1)
		g.join(&all[i])
	}
	g.waiting = g.waiting[1:] // the first is at his call
	g.pass()
	g.leave(&all[1])
	select {
	case mine := <-all[2].turn:
		return mine
	default:
		return false
	}
}
