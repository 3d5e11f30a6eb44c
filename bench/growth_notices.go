//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
)

const searchTime = 300 * time.Millisecond // as the page of sent notices

// growNotices measures SQL while it fills with notices that were sent to one user each.
func (w *world) growNotices(ctx context.Context, c *curves) error {
	for _, name := range w.opt.growth.databases {
		err := w.onDatabase(ctx, name, func(d *database) error {
			if err := d.people(ctx, w.opt.streams+len(c.sizes)); err != nil { // one of them is deleted at each size
				return err
			}
			filled := 0
			for i, size := range c.sizes {
				if err := w.fillNotices(ctx, d, size-filled); err != nil {
					return err
				}
				filled = size
				w.log.Info("measuring", "database", name, "notices", size)
				if err := w.noticesAt(ctx, d, c, name+": ", size); err != nil {
					return err
				}
				if err := forgetOne(ctx, d, c, name+": ", userName(w.opt.streams+1+i), size); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fillNotices stores count notices that were sent.
func (w *world) fillNotices(ctx context.Context, d *database, count int) error {
	const batch = 1000
	for done := 0; done < count; done += batch {
		all := make([]*notifier.Acceptance, min(batch, count-done))
		for i := range all {
			n := w.notice(load.Mark{}, 1)
			user := (done + i) % w.opt.streams
			n.ID, n.State, n.Target = 0, notifier.StateSent, notifier.Target{Users: []string{userName(user + 1)}}
			n.CreatedAt = time.Now()
			n.ExpiresAt = n.CreatedAt.Add(notifier.DefaultKeep)
			to := roaring.New()
			to.AddInt(user + 1)
			all[i] = &notifier.Acceptance{Notice: n, To: to}
		}
		if err := d.st.AcceptAll(ctx, notifier.Deed{}, all); err != nil {
			return fmt.Errorf("store notices: %w", err)
		}
		for _, a := range all {
			if a.Err != nil {
				return fmt.Errorf("store a notice: %w", a.Err)
			}
		}
	}
	return nil
}

func (w *world) noticesAt(ctx context.Context, d *database, c *curves, on string, size int) error {
	p := notices.New(notices.Config{Store: d.st, Redis: w.rdb, Keys: w.space, Inbox: w.inbox, Router: route.New(d.st, nil), Log: w.log})
	rate := series{}
	if err := w.acceptRate(ctx, p, callers, 1, w.opt.scaled(30_000), rate); err != nil {
		return err
	}
	c.add(on+"accepted one by one, 64 callers", "1/s", size, rate[ours].median())
	rate = series{}
	if err := w.acceptRate(ctx, p, 4, 1000, w.opt.scaled(100_000), rate); err != nil {
		return err
	}
	c.add(on+"accepted in batches of 1,000", "1/s", size, rate[ours].median())
	if err := confirmAll(ctx, d); err != nil {
		return err
	}
	for _, ask := range []struct {
		what  string
		query notifier.NoticeQuery
	}{
		{"newest page of the sent notices", notifier.NoticeQuery{Limit: 51}},
		{"a search that everything fits", notifier.NoticeQuery{Limit: 51, Contains: "e"}},
		{"a search that nothing fits", notifier.NoticeQuery{Limit: 51, Contains: "xyzzy"}},
	} {
		for range 5 {
			err := c.took(on+ask.what, size, func() error {
				found, _, err := d.st.SearchNotices(ctx, ask.query, searchTime)
				if err == nil {
					_, err = p.ProgressOf(ctx, found)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return w.startOn(ctx, d, c, on, size)
}

// confirmAll marks all accepted notices as sent.
func confirmAll(ctx context.Context, d *database) error {
	for {
		some, err := d.st.Unfinished(ctx, 0, 1000)
		if err != nil || len(some) == 0 {
			return err
		}
		done := make([]notifier.Revised, len(some))
		for i, n := range some {
			done[i].ID = n.ID
		}
		if _, err := d.st.Confirm(ctx, done); err != nil {
			return err
		}
	}
}

// forgetOne deletes a user, which reads all notices, and then the oldest notices.
func forgetOne(ctx context.Context, d *database, c *curves, on, user string, size int) error {
	if err := c.took(on+"a user deleted", size, func() error {
		leaver, _, err := d.st.BeginDeletion(ctx, user)
		if err == nil {
			err = d.st.Forget(ctx, leaver, nil, nil)
		}
		return err
	}); err != nil {
		return err
	}
	return c.took(on+"2,000 expired notices deleted", size, func() error {
		later := time.Now().Add(2 * notifier.DefaultKeep)
		_, n, err := d.st.TrimNotices(ctx, 0, later, later)
		if err == nil && n == 0 && size > 0 {
			err = errors.New("none was deleted")
		}
		return err
	})
}

// startOn measures the time until a server serves its first page, with the current Redis.
func (w *world) startOn(ctx context.Context, d *database, c *curves, on string, size int) error {
	program, err := w.program(ctx)
	if err != nil {
		return err
	}
	var p *process
	if err := c.took(on+"start of a server, to its first page", size, func() (err error) {
		if p, _, err = w.serve(ctx, program, d.flags...); err != nil {
			return err
		}
		conn, err := load.DialPage(ctx, p.addr)
		if err != nil {
			return err
		}
		defer conn.Close()
		a, err := conn.Ask(fmt.Appendf(nil, "GET /login HTTP/1.1\r\nHost: %s\r\nAccept: text/html\r\n\r\n", p.addr))
		if err == nil && a.Status != http.StatusOK {
			err = fmt.Errorf("status %d", a.Status)
		}
		return err
	}); err != nil {
		if p != nil {
			err = stopped(p, err)
		}
		return err
	}
	kb, err := p.rss()
	c.add(on+"its memory then", "MB RSS", size, kb/1024)
	return stopped(p, err)
}
