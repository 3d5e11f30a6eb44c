package announcement

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// List returns all open announcements that a reader sees, in display order, with the reader's
// numbers.
func (b *Board) List(ctx context.Context, r notifier.Reader) (notifier.Posts, error) {
	room := b.roomOf(r)
	if room == nil {
		return notifier.Posts{}, nil
	}
	posts, err := b.list(ctx, room, r.Seq)
	if err != nil {
		return notifier.Posts{}, fmt.Errorf("list the announcements of user %d: %w", r.Seq, err)
	}
	return posts, nil
}

func (b *Board) list(ctx context.Context, room *room, seq int64) (notifier.Posts, error) {
	l, err := b.lookFor(ctx, room, seq)
	if err != nil {
		return notifier.Posts{}, err
	}
	known, err := b.read(ctx, l.index.items)
	if err != nil {
		return notifier.Posts{}, err
	}
	posts := notifier.Posts{AVer: l.aver}
	for i, letter := range l.word {
		text := known[l.index.items[i].id]
		if text == nil || letter == '-' {
			continue
		}
		p := newPosted(text, letter == '1')
		if p.Read {
			posts.Read++
		} else {
			posts.Unread++
		}
		posts.Items = append(posts.Items, p)
	}
	notifier.SortPosts(posts.Items)
	return posts, nil
}

// Find returns one open announcement that a reader sees, and notifier.ErrNotFound for all others.
func (b *Board) Find(ctx context.Context, r notifier.Reader, id int64) (notifier.Posted, error) {
	p, err := b.find(ctx, r, id)
	if err != nil {
		return p, fmt.Errorf("find announcement %d for user %d: %w", id, r.Seq, err)
	}
	return p, nil
}

func (b *Board) find(ctx context.Context, r notifier.Reader, id int64) (notifier.Posted, error) {
	room := b.roomOf(r)
	if room == nil {
		return notifier.Posted{}, notifier.ErrNotFound
	}
	l, err := b.lookFor(ctx, room, r.Seq)
	if err != nil {
		return notifier.Posted{}, err
	}
	place := l.index.place(id, r.Seq)
	if place < 0 {
		return notifier.Posted{}, notifier.ErrNotFound
	}
	known, err := b.read(ctx, l.index.items[place:place+1])
	if err != nil {
		return notifier.Posted{}, err
	}
	text := known[id]
	if text == nil {
		return notifier.Posted{}, notifier.ErrNotFound
	}
	return newPosted(text, l.word[place] == '1'), nil
}

func newPosted(a *notifier.Announcement, read bool) notifier.Posted {
	edited := a.EditedAt
	if !edited.After(a.StartsAt) {
		edited = time.Time{} // readers never saw the earlier text
	}
	return notifier.Posted{
		ID: a.ID, Type: a.Type, Title: a.Title, Body: a.Body, Link: a.Link,
		StartsAt: a.StartsAt, EndsAt: a.EndsAt, Pinned: a.Pinned, Read: read, CreatedAt: a.CreatedAt, EditedAt: edited,
	}
}
