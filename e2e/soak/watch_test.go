package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
)

// watcher is an open browser: a stream that reconnects, to any instance, when it is lost.
type watcher struct {
	p    *person
	seen atomic.Int64 // the number of the inbox in the last badge
}

// watch opens a browser for each reader.
func (s *site) watch() (all []*watcher) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	w := &traffic{stopped: cancel}
	for n := 1; n <= readers; n++ {
		one := &watcher{p: s.person(reader(n))}
		w.all.Go(func() {
			one.p.signIn(ctx)
			for ctx.Err() == nil {
				one.follow(ctx)
				pause(ctx)
			}
		})
		all = append(all, one)
	}
	s.t.Cleanup(w.stop)
	return all
}

func (w *watcher) inbox() int { return int(w.seen.Load()) }

// follow reads one stream to its end.
func (w *watcher) follow(ctx context.Context) {
	base := w.p.s.slots[rand.IntN(len(w.p.s.slots))].Load().url
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/events", nil)
	if err != nil {
		return
	}
	res, err := w.p.client.Do(req)
	if err != nil {
		return
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusUnauthorized {
		w.p.signIn(ctx)
		return
	}
	lines, data := bufio.NewScanner(res.Body), ""
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = text
		}
		if lines.Text() != "event: badge" {
			continue
		}
		var badge struct {
			Inbox int64 `json:"inbox"`
		}
		if json.Unmarshal([]byte(data), &badge) == nil {
			w.seen.Store(badge.Inbox)
		}
	}
}
