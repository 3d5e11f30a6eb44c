//go:build linux

package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
)

// burst sends 50 messages to each stream at once. Carillon does it in two ways:
// through the deliver scripts, which bound it, and with the changes published
// straight, which shows what the live side takes.
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
		live.row("4", "50 changes of each of the streams' users at once, live side", "changes/s", atLeast(185_000)),
		events.row("4", "the same in events of the stream", "events/s", shown()),
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
	const each = 50
	count := each * w.opt.streams
	if name != ours {
		r, took, err := w.sent(ctx, fleet, int64(count), func(run int64) error { return w.toAll(ctx, t, run, each, 1) })
		s.live.add(name, float64(r.Marks)/took.Seconds())
		s.events.add(name, float64(r.Events)/took.Seconds())
		s.lost.add(name, wrongOf(r, count))
		return err
	}
	r, took, err := w.sent(ctx, fleet, int64(count), func(run int64) error { return w.toAll(ctx, t, run, each, 4) })
	if err != nil {
		return err
	}
	s.delivered.add(ours, float64(r.Marks)/took.Seconds())
	lost := wrongOf(r, count)
	want, err := w.inbox.Badges(ctx, w.seqs())
	if err != nil {
		return err
	}
	wrong := wrongBadges(ctx, fleet, func(i int) (unread, ver int64) { return want[i].Inbox, want[i].Ver })

	ver := time.Now().UnixMilli()
	r, took, err = w.sent(ctx, fleet, int64(count), func(run int64) error { return w.publishChanges(ctx, run, each, ver) })
	if err != nil {
		return err
	}
	s.live.add(ours, float64(r.Marks)/took.Seconds())
	s.events.add(ours, float64(r.Events)/took.Seconds())
	s.lost.add(ours, lost+wrongOf(r, count))
	wrong += wrongBadges(ctx, fleet, func(int) (unread, last int64) { return each, ver + each })
	s.wrong.add(ours, float64(wrong))
	return nil
}

// toAll sends each messages to everybody, some at a time.
func (w *world) toAll(ctx context.Context, t *target, run int64, each, atOnce int) error {
	return inParallel(ctx, atOnce, each, func(n int) error {
		return t.many(ctx, load.Mark{Run: run, User: load.Everyone, N: int64(n), Due: time.Now()})
	})
}

// wrongBadges counts the streams whose last badge is not the right one. A badge
// follows its notice, so the last of them are given 5 s.
func wrongBadges(ctx context.Context, f *load.Fleet, want func(i int) (unread, ver int64)) (wrong int) {
	for end := time.Now().Add(5 * time.Second); ; {
		wrong = 0
		for i, b := range f.Badges() {
			if unread, ver := want(i); b.Unread != unread || b.Ver != ver {
				wrong++
			}
		}
		if wrong == 0 || time.Now().After(end) || pause(ctx, 20*time.Millisecond) != nil {
			return wrong
		}
	}
}

// publishAll says one text on many channels: a deliver script without storing.
const publishAll = `for i = 2, #ARGV do redis.call('PUBLISH', ARGV[i], ARGV[1]) end return #ARGV`

// publishChanges publishes what each deliver scripts of all users would, with
// versions after ver and 1 to each unread.
func (w *world) publishChanges(ctx context.Context, run int64, each int, ver int64) error {
	const perCall = 500
	script := redis.NewScript(publishAll)
	channels := make([]any, len(w.members))
	for i, m := range w.members {
		channels[i] = w.space.LiveUser(m.seq)
	}
	for n := range each {
		notice := w.notice(load.Mark{Run: run, User: load.Everyone, N: int64(n), Due: time.Now()}, 2)
		content, err := notifier.EncodeContent(notice.Content())
		if err != nil {
			return err
		}
		text := fmt.Sprintf("%d %d\nnotice %s %s %s", ver+int64(n)+1, n+1, strconv.FormatInt(notice.ID, 10), notice.Key(), content)
		for i := 0; i < len(channels); i += perCall {
			args := append([]any{text}, channels[i:min(i+perCall, len(channels))]...)
			if err := script.Run(ctx, w.rdb, nil, args...).Err(); err != nil {
				return fmt.Errorf("publish changes: %w", err)
			}
		}
	}
	return nil
}
