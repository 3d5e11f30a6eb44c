package announcement

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// List returns all open announcements that a reader sees, in display order, with the reader's
// badge.
func (b *Announcements) List(ctx context.Context, r notifier.Reader) (notifier.OpenAnnouncements, error) {
	room := b.roomOf(r)
	if room == nil {
		return notifier.OpenAnnouncements{}, nil
	}
	listed, err := b.list(ctx, room, r.Seq)
	if err != nil {
		return notifier.OpenAnnouncements{}, fmt.Errorf("list the announcements of user %d: %w", r.Seq, err)
	}
	return listed, nil
}

func (b *Announcements) list(ctx context.Context, room *room, seq int64) (notifier.OpenAnnouncements, error) {
	l, err := b.readStateOf(ctx, room, seq)
	if err != nil {
		return notifier.OpenAnnouncements{}, err
	}
	known, err := b.read(ctx, l.index.items)
	if err != nil {
		return notifier.OpenAnnouncements{}, err
	}
	listed := notifier.OpenAnnouncements{AVer: l.aver}
	for i, letter := range l.word {
		text := known[l.index.items[i].id]
		if text == nil || letter == '-' {
			continue
		}
		p := newOpenAnnouncement(text, letter == '1')
		if p.Read {
			listed.Read++
		} else {
			listed.Unread++
		}
		listed.Items = append(listed.Items, p)
	}
	notifier.SortOpenAnnouncements(listed.Items)
	return listed, nil
}

// Find returns one open announcement that a reader sees, and notifier.ErrNotFound for all others.
func (b *Announcements) Find(ctx context.Context, r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) {
	p, err := b.find(ctx, r, id)
	if err != nil {
		return p, fmt.Errorf("find announcement %d for user %d: %w", id, r.Seq, err)
	}
	return p, nil
}

func (b *Announcements) find(ctx context.Context, r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) {
	room := b.roomOf(r)
	if room == nil {
		return notifier.OpenAnnouncement{}, notifier.ErrNotFound
	}
	l, err := b.readStateOf(ctx, room, r.Seq)
	if err != nil {
		return notifier.OpenAnnouncement{}, err
	}
	place := l.index.place(id, r.Seq)
	if place < 0 {
		return notifier.OpenAnnouncement{}, notifier.ErrNotFound
	}
	known, err := b.read(ctx, l.index.items[place:place+1])
	if err != nil {
		return notifier.OpenAnnouncement{}, err
	}
	text := known[id]
	if text == nil {
		return notifier.OpenAnnouncement{}, notifier.ErrNotFound
	}
	return newOpenAnnouncement(text, l.word[place] == '1'), nil
}

func newOpenAnnouncement(a *notifier.Announcement, read bool) notifier.OpenAnnouncement {
	edited := a.EditedAt
	if !edited.After(a.StartsAt) {
		edited = time.Time{} // readers never saw the earlier text
	}
	return notifier.OpenAnnouncement{
		ID: a.ID, App: a.App.Name, Type: a.Type, Title: a.Title, Body: a.Body, Link: a.Link, Extras: a.Extras,
		StartsAt: a.StartsAt, EndsAt: a.EndsAt, Pinned: a.Pinned, Read: read, CreatedAt: a.CreatedAt, EditedAt: edited,
	}
}

// Reads returns how many users have read each announcement in each audience, in order. It is -1 if
// there is no bitmap: before it opens, after it is over, and while it is lost. It is also -1
// between an edit that marks the announcement as unread for all users and the next Sync.
func (b *Announcements) Reads(ctx context.Context, parts []notifier.Counting) ([]int64, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	pipe := script.NewPipe(b.rdb, len(parts))
	cmds := make([]*redis.Cmd, len(parts))
	for i, p := range parts {
		cmds[i] = pipe.Add(ctx, countPart, 2, b.k.Bits(p.Audience, p.ID), b.k.DirtyBits(p.Audience), p.ID, p.Top, p.From)
	}
	if err := pipe.Exec(ctx); err != nil {
		return nil, fmt.Errorf("count the readers of %d announcements: %w", len(parts), script.MarkAway(err))
	}
	reads := make([]int64, len(parts))
	for i, cmd := range cmds {
		rep, err := script.ParseReply(cmd)
		if err != nil {
			return nil, fmt.Errorf("count the readers of announcement %d: %w", parts[i].ID, err)
		}
		reads[i] = rep.Code
	}
	return reads, nil
}

// Badges returns the announcements half of each reader's badge, in order. A reader without a bit,
// or in an unknown audience, gets a zero badge.
func (b *Announcements) Badges(ctx context.Context, readers []notifier.Reader) ([]notifier.Badge, error) {
	badges := make([]notifier.Badge, len(readers))
	if len(readers) == 1 { // a page, which can share its call with other pages
		r := b.roomOf(readers[0])
		if r == nil {
			return badges, nil
		}
		l, err := b.readStateOf(ctx, r, readers[0].Seq)
		if err != nil {
			return nil, fmt.Errorf("count the announcements of user %d: %w", readers[0].Seq, err)
		}
		badges[0] = l.badge()
		return badges, nil
	}
	places := map[*room][]int{}
	for i, reader := range readers {
		if r := b.roomOf(reader); r != nil {
			places[r] = append(places[r], i)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(inFlight)
	for r, all := range places {
		for part := range slices.Chunk(all, badgeBatch) {
			group.Go(func() error { return b.countPart(ctx, r, readers, part, badges) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("count the announcements of %d users: %w", len(readers), err)
	}
	return badges, nil
}

// countPart counts for the readers at these places, who are all in one audience.
func (b *Announcements) countPart(ctx context.Context, r *room, readers []notifier.Reader, places []int, into []notifier.Badge) error {
	seqs := make([]int64, len(places))
	for i, place := range places {
		seqs[i] = readers[place].Seq
	}
	badges, err := b.count(ctx, r, seqs)
	if err != nil {
		return err
	}
	for i, place := range places {
		into[place] = badges[i]
	}
	return nil
}

// count counts for at most badgeBatch readers of one audience, in one call.
func (b *Announcements) count(ctx context.Context, r *room, seqs []int64) ([]notifier.Badge, error) {
	_, rep, err := b.ask(ctx, r, func(x *index) *redis.Cmd {
		args := make([]any, 2, 2+len(seqs))
		args[0], args[1] = x.version, x.tops
		for _, seq := range seqs {
			args = append(args, seq)
		}
		return countReaders.Run(ctx, b.rdb, x.count, args...)
	})
	if err != nil {
		return nil, err
	}
	badges := make([]notifier.Badge, len(seqs))
	for i := range badges {
		badges[i] = badgeOf(rep, 3*i)
	}
	return badges, nil
}
