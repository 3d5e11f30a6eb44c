//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
)

const (
	each = 50 // messages to each stream
	// underWay is the maximum number of changes in flight. Redis drops a subscriber with 32 MB of pending messages,
	// which is not the limit to be measured.
	underWay = 40_000
)

// burst sends 50 messages to each stream in one burst. For Carillon it does so in two ways: through
// the deliver scripts, which limit it, and by publishing the changes directly, which shows the
// capacity of the live side.
func (w *world) burst(ctx context.Context) ([]row, error) {
	delivered, live, events, wrong, lost := series{}, series{}, series{}, series{}, series{}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		for _, name := range streamServers() {
			if err := w.burstAt(ctx, name, burstSeries{delivered, live, events, wrong, lost}); err != nil {
				return nil, err
			}
		}
	}
	return []row{
		live.row("4", "50 changes of each user at once, live side (ours: a notice and a badge each)", "events/s", atLeast(185_000)),
		events.row("4", "events on the wire for them, badges merged", "events/s", shown()),
		delivered.row("4", "50 notices to each through the deliver scripts", "notices/s", shown()),
		wrong.row("4", "streams left with a wrong badge", "", never()),
		lost.row("4", "notices lost, doubled or misrouted", "", never()),
	}, nil
}

type burstSeries struct{ delivered, live, events, wrong, lost series }

func (w *world) burstAt(ctx context.Context, name string, s burstSeries) (err error) {
	t, err := w.target(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = stopped(t.process, err) }()
	fleet, err := allStreams(ctx, w.fleet(t))
	if err != nil {
		return err
	}
	defer fleet.Close()
	count := each * w.opt.streams
	if name != ours {
		r, took, err := w.sent(ctx, fleet, int64(count), func(run int64) error { return w.toAll(ctx, t, run, 1) })
		s.live.add(name, float64(r.Marks)/took.Seconds())
		s.events.add(name, float64(r.Events)/took.Seconds())
		s.lost.add(name, wrongOf(r, count))
		return err
	}
	return w.burstOurs(ctx, t, fleet, s)
}

// burstOurs sends the burst in both ways.
func (w *world) burstOurs(ctx context.Context, t *target, fleet *load.Fleet, s burstSeries) error {
	count := each * w.opt.streams
	r, took, err := w.sent(ctx, fleet, int64(count), func(run int64) error { return w.toAll(ctx, t, run, 4) })
	if err != nil {
		return err
	}
	s.delivered.add(ours, float64(r.Marks)/took.Seconds())
	want, err := w.inbox.Badges(ctx, w.seqs())
	if err != nil {
		return err
	}
	lost := wrongOf(r, count)
	wrong := wrongBadges(ctx, fleet, func(i int, b load.Badge) bool { return b.Unread == want[i].Inbox && b.Ver == want[i].Ver })
	w.log.Info("burst through the deliver scripts", "lost", lost, "wrong_badges", wrong, "dropped", r.Dropped)

	ver := time.Now().UnixMilli()
	if err := w.settle(ctx, each, ver+each); err != nil {
		return err
	}
	r, took, err = w.sent(ctx, fleet, int64(count), func(run int64) error { return w.publishChanges(ctx, fleet, run, ver) })
	if err != nil {
		return err
	}
	s.live.add(ours, 2*float64(r.Marks)/took.Seconds()) // merged badges count: they were delivered as one
	s.events.add(ours, float64(r.Events)/took.Seconds())
	// The check of inboxes may have given some a newer version: SQL contains none of the versions that settle stored.
	again := wrongBadges(ctx, fleet, func(_ int, b load.Badge) bool { return b.Unread == each && b.Ver >= ver+each })
	w.log.Info("burst of changes", "lost", wrongOf(r, count), "wrong_badges", again, "dropped", r.Dropped)
	s.lost.add(ours, lost+wrongOf(r, count))
	s.wrong.add(ours, float64(wrong+again))
	return nil
}

// toAll sends `each` messages to every user, at most atOnce at a time.
func (w *world) toAll(ctx context.Context, t *target, run int64, atOnce int) error {
	return inParallel(ctx, atOnce, each, func(n int) error {
		return t.many(ctx, load.Mark{Run: run, User: load.Everyone, N: int64(n), Due: time.Now()})
	})
}

// wrongBadges counts the streams whose last badge is wrong. Badges follow their notices, so it
// waits up to 5 s for the last of them.
func wrongBadges(ctx context.Context, f *load.Fleet, right func(i int, b load.Badge) bool) (wrong int) {
	for end := time.Now().Add(5 * time.Second); ; {
		wrong = 0
		for i, b := range f.Badges() {
			if !right(i, b) {
				wrong++
			}
		}
		if wrong == 0 || time.Now().After(end) || pause(ctx, 10*time.Millisecond) != nil {
			return wrong
		}
	}
}

// settle stores the counts after the published changes, because the server reads all users again from Redis once a
// minute.
func (w *world) settle(ctx context.Context, unread, ver int64) error {
	for part := range slices.Chunk(w.seqs(), 1000) {
		pipe := w.rdb.Pipeline()
		for _, seq := range part {
			pipe.HSet(ctx, w.space.State(seq), "unread", unread, "ver", ver)
		}
		if _, err := pipe.Exec(ctx); err != nil {
			return fmt.Errorf("settle the numbers of the burst: %w", err)
		}
	}
	return nil
}

// publishAll publishes one text on many channels, like a deliver script that stores nothing.
const publishAll = `for i = 2, #ARGV do redis.call('PUBLISH', ARGV[i], ARGV[1]) end return #ARGV`

// publishChanges publishes the same changes as `each` deliveries to every user, as fast as they arrive: with versions
// after ver, and unread counts from 1 to `each`.
func (w *world) publishChanges(ctx context.Context, f *load.Fleet, run, ver int64) error {
	const perCall = 500
	script := redis.NewScript(publishAll)
	channels := make([]any, len(w.members))
	for i, m := range w.members {
		channels[i] = w.space.LiveUser(m.seq)
	}
	var sent int64
	for n := range int64(each) {
		notice := w.notice(load.Mark{Run: run, User: load.Everyone, N: n, Due: time.Now()}, 2)
		content, err := notifier.EncodeContent(notice.Content())
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%d %d\nnotice %d %s %s", ver+n+1, n+1, notice.ID, notice.Key(), content)
		for part := range slices.Chunk(channels, perCall) {
			if err := script.Run(ctx, w.rdb, nil, append([]any{text}, part...)...).Err(); err != nil {
				return fmt.Errorf("publish changes: %w", err)
			}
			sent += int64(len(part))
			for end := time.Now().Add(quiet); sent-f.Marks() > underWay && time.Now().Before(end); {
				if err := pause(ctx, time.Millisecond); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
