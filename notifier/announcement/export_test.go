package announcement

import "github.com/carillonhq/carillon/notifier"

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
