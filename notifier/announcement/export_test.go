package announcement

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Waiting returns how many readers wait for the next shared count of an audience.
func (b *Announcements) Waiting(a notifier.Audience) int {
	n, _ := b.rooms[a].counts.Waiting()
	return n
}

// Texts returns how many texts are cached.
func (b *Announcements) Texts() int {
	b.texts.mu.Lock()
	defer b.texts.mu.Unlock()
	return len(b.texts.by)
}

// Ask is the signature of Badges.
type Ask func(context.Context, []notifier.Reader) ([]notifier.Badge, error)

// Apart is Badges for one reader, without sharing a call.
func (b *Announcements) Apart(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	return b.count(ctx, b.roomOf(readers[0]), []int64{readers[0].Seq})
}
