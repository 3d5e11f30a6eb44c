//go:build linux

package main

import (
	"context"
	"errors"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

// audiences returns Carillon's default audiences.
func audiences() []notifier.Audience { return []notifier.Audience{1, 2, audience} }

// poster announces to the crowd as an instance of Carillon does, over the same SQL and Redis, and retracts everything
// at the end.
type poster struct {
	w      *world
	db     *store.Store
	board  *announcement.Announcements
	ids    []int64 // open announcements
	toasts bool    // announce with toasts
}

func (w *world) poster(ctx context.Context) (*poster, error) {
	db, err := store.Open(ctx, store.Config{DataDir: w.dataDir()})
	if err != nil {
		return nil, err
	}
	b := announcement.New(w.rdb, w.space, db, announcement.Options{Audiences: audiences(), Log: w.log})
	if err := b.Load(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &poster{w: w, db: db, board: b}, nil
}

// announce publishes one announcement and returns the time until it is stored in SQL.
func (p *poster) announce(ctx context.Context, m load.Mark, pinned bool) (stored time.Duration, err error) {
	n := p.w.notice(m, 0)
	n.Target = notifier.Target{Audiences: []notifier.Audience{audience}}
	n.Type, n.Toast = notifier.TypeAnnouncement, p.toasts
	if p.toasts {
		n.Title = string(m.Append(nil)) // the toast of an announcement does not show its body
	}
	began := time.Now()
	n.Window = notifier.Window{StartsAt: began, EndsAt: began.Add(time.Hour), Pinned: pinned}
	if _, err := p.db.AnnounceOnce(ctx, notifier.Deed{}, n, nil); err != nil {
		return 0, err
	}
	p.ids = append(p.ids, n.ID)
	stored = time.Since(began)
	return stored, p.board.Sync(ctx)
}

// retract retracts one announcement.
func (p *poster) retract(ctx context.Context) error {
	id := p.ids[len(p.ids)-1]
	if err := p.db.RetractAnnouncement(ctx, notifier.Actor{}, id); err != nil {
		return err
	}
	p.ids = p.ids[:len(p.ids)-1]
	return p.board.Sync(ctx)
}

// badges reads all users' badges from Redis as an instance of Carillon does: both halves, a few
// hundred users at a time.
func (p *poster) badges(ctx context.Context) ([]notifier.Badge, error) {
	const perCall = 500
	read := notices.Badges{Inbox: p.w.inbox, Announcements: p.board}
	all := make([]notifier.Badge, 0, len(p.w.members))
	readers := make([]notifier.Reader, 0, perCall)
	for i, m := range p.w.members {
		readers = append(readers, notifier.Reader{Seq: m.seq, Audience: audience})
		if len(readers) < perCall && i < len(p.w.members)-1 {
			continue
		}
		some, err := read.Badges(ctx, readers)
		if err != nil {
			return nil, err
		}
		all, readers = append(all, some...), readers[:0]
	}
	return all, nil
}

// close retracts the announcements that are still open, so that no later measurement finds
// them.
func (p *poster) close(ctx context.Context) error {
	var err error
	for _, id := range p.ids {
		err = errors.Join(err, p.db.RetractAnnouncement(ctx, notifier.Actor{}, id), p.db.DeleteAnnouncement(ctx, notifier.Actor{}, id))
	}
	return errors.Join(err, p.board.Sync(ctx), p.db.Close())
}
