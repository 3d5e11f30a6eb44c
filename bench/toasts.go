//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/toast"
)

const (
	toastRate  = 2_000 // toasts per second
	noticeRate = 500   // notices with toasts per second: each is stored, routed and delivered first
)

// toastSeries contains the results of raising toasts, by server: times in ms since a toast was due.
type toastSeries struct {
	shown, p50, p99, noticeP50, noticeP99, everybody, wrong series
}

// toasts raises toasts for connected users and acknowledges each when it is shown. The bounds only forward a message
// and ignore the acknowledgement.
func (w *world) toasts(ctx context.Context) ([]row, error) {
	s := toastSeries{series{}, series{}, series{}, series{}, series{}, series{}, series{}}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		for _, name := range streamServers() {
			if err := w.toastsAt(ctx, name, s); err != nil {
				return nil, err
			}
		}
	}
	return []row{
		s.p50.row("13", "toast raised → shown and acknowledged, 2,000/s, p50", "ms", shown()),
		s.p99.row("13", "the same, p99", "ms", atMost(10)),
		s.shown.row("13", "the same until it is shown, p99", "ms", shown()),
		s.noticeP50.row("13", "a notice with a toast, sent → shown and acknowledged, 500/s, p50", "ms", shown()),
		s.noticeP99.row("13", "the same, p99", "ms", shown()),
		s.everybody.row("13", "an announcement with a toast on "+short(float64(w.opt.streams))+" streams, until all have acknowledged it", "ms", shown()),
		s.wrong.row("13", "toasts not shown, shown twice or to others, or not acknowledged", "", never()),
	}, nil
}

func (w *world) toastsAt(ctx context.Context, name string, s toastSeries) (err error) {
	t, err := w.target(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = stopped(t.process, err) }()
	all, err := newAcks(ctx, t.addr, func(m load.Shown) []byte { return w.acknowledging(t, name, m) })
	if err != nil {
		return err
	}
	defer all.close()
	cfg := w.fleet(t)
	cfg.Shown = all.shown
	raised := toast.New(w.rdb, w.space, toast.Options{Log: w.log})
	if name == ours {
		if err := raised.Load(ctx); err != nil {
			return err
		}
		cfg.Event = "toast"
		cfg.Request = func(i int) []byte { return w.get(t.addr, "/events?visible=1", i, "Accept: text/event-stream\r\n") }
		seqs := w.seqs()
		t.one = func(ctx context.Context, user int, m load.Mark) error { return w.raise(ctx, raised, seqs[user], m) }
	}
	fleet, err := allStreams(ctx, cfg)
	if err != nil {
		return err
	}
	defer fleet.Close()
	got, err := w.acknowledged(ctx, t, fleet, all, toastRate)
	if err != nil {
		return err
	}
	s.shown.add(name, got.shown.Milliseconds(0.99))
	s.p50.add(name, got.acked.Milliseconds(0.5))
	s.p99.add(name, got.acked.Milliseconds(0.99))
	more := 0.0
	if name == ours {
		more, err = w.sendsToasts(ctx, t, fleet, all, raised, s)
	}
	s.wrong.add(name, got.wrong+more)
	return err
}

// raise raises one toast without a notice.
func (w *world) raise(ctx context.Context, toasts *toast.Toasts, seq int64, m load.Mark) error {
	n := w.notice(m, 0)
	content, err := notifier.EncodeContent(n.Content())
	if err != nil {
		return err
	}
	return errors.Join(toasts.RaiseAll(ctx, []notifier.ToastRaise{{
		Token: strconv.FormatInt(n.ID, 10), Content: content, Seqs: []int64{seq},
	}})...)
}

// acknowledging returns the request that acknowledges a toast.
func (w *world) acknowledging(t *target, name string, m load.Shown) []byte {
	if name != ours {
		return fmt.Appendf(nil, "POST /ack HTTP/1.1\r\nHost: %s\r\nContent-Length: 0\r\n\r\n", t.addr)
	}
	form := "id=" + m.ID
	return fmt.Appendf(nil, "POST /toasts/ack HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		t.addr, w.members[m.User].cookie, len(form), form)
}
