package announcement

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// List answers all open announcements that a reader sees, in the order in which they
// are shown, and his numbers.
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
	x, rep, err := b.ask(ctx, room, func(x *index) *redis.Cmd {
		return lookBits.Run(ctx, b.rdb, x.count, x.version, seq)
	})
	if err != nil {
		return notifier.Posts{}, err
	}
	known, err := b.read(ctx, x.items)
	if err != nil {
		return notifier.Posts{}, err
	}
	posts := notifier.Posts{AVer: rep.code}
	for i := range x.items {
		text := known[x.items[i].id]
		if text == nil || !x.items[i].sees(seq) {
			continue
		}
		p := newPosted(text, rep.number(i) == 1)
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

// Find answers one open announcement that a reader sees; all others are
// notifier.ErrNotFound.
func (b *Board) Find(ctx context.Context, r notifier.Reader, id int64) (notifier.Posted, error) {
	fault := func(err error) (notifier.Posted, error) {
		return notifier.Posted{}, fmt.Errorf("find announcement %d for user %d: %w", id, r.Seq, err)
	}
	room := b.roomOf(r)
	if room == nil {
		return fault(notifier.ErrNotFound)
	}
	var place int
	x, rep, err := b.ask(ctx, room, func(x *index) *redis.Cmd {
		if place = x.place(id, r.Seq); place < 0 {
			return nil
		}
		return lookBits.Run(ctx, b.rdb, []string{room.aver, room.marked, x.count[2+place]}, x.version, r.Seq)
	})
	if err != nil {
		return fault(err)
	}
	known, err := b.read(ctx, x.items[place:place+1])
	if err != nil {
		return fault(err)
	}
	text := known[id]
	if text == nil {
		return fault(notifier.ErrNotFound)
	}
	return newPosted(text, rep.number(0) == 1), nil
}

func newPosted(a *notifier.Announcement, read bool) notifier.Posted {
	return notifier.Posted{
		ID: a.ID, Type: a.Type, Title: a.Title, Body: a.Body, Link: a.Link,
		StartsAt: a.StartsAt, EndsAt: a.EndsAt, Pinned: a.Pinned, Read: read, CreatedAt: a.CreatedAt,
	}
}
