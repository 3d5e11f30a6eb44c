package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
)

// screens records the toasts that all browsers of a site have shown.
type screens struct {
	s     *site
	frail atomic.Bool // some browsers are closed before they show a toast that they received

	mu    sync.Mutex
	of    map[string]map[string]int // user → toast id → how often it was shown
	faint map[string]bool           // `USER ID` of toasts that were in a browser when it closed
}

func (s *site) screens() *screens {
	all := &screens{s: s, of: map[string]map[string]int{}, faint: map[string]bool{}}
	for n := 1; n <= readers; n++ {
		all.of[reader(n)] = map[string]int{}
	}
	return all
}

// open opens two browsers for each reader from from to to. Each uses a random instance, and another
// if that one dies. Stopping the traffic closes the browsers, which first acknowledge the toasts that
// they are showing.
func (c *screens) open(from, to int) *traffic {
	ctx, cancel := context.WithCancel(c.s.t.Context())
	w := &traffic{stopped: cancel}
	for n := 2 * from; n < 2*(to+1); n++ {
		p := c.s.person(reader(n / 2))
		w.all.Go(func() {
			p.signIn(ctx)
			for ctx.Err() == nil {
				c.follow(ctx, p)
				pause(ctx)
			}
		})
	}
	c.s.t.Cleanup(w.stop)
	return w
}

// follow reads one stream to its end, and shows its toasts.
func (c *screens) follow(ctx context.Context, p *person) {
	base := p.s.slots[rand.IntN(len(p.s.slots))].Load().url
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/events?visible=1", http.NoBody)
	if err != nil {
		return
	}
	res, err := p.client.Do(req)
	if err != nil {
		return
	}
	defer res.Body.Close()
	lines, data := bufio.NewScanner(res.Body), ""
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = text
		}
		if lines.Text() == "event: toast" && !c.show(context.WithoutCancel(ctx), p, data) {
			return
		}
	}
}

// show counts a toast as shown and acknowledges it at any instance that responds. It returns false if
// the browser is closed instead.
func (c *screens) show(ctx context.Context, p *person, data string) bool {
	var toast struct {
		ID string `json:"id"` // several ids with commas, if the toast represents several
	}
	if err := json.Unmarshal([]byte(data), &toast); err != nil || toast.ID == "" {
		c.s.t.Errorf("invalid toast: %s, %v", data, err)
		return true
	}
	c.mu.Lock()
	// Each toast closes at most one browser: after a second time, the retry would take longer.
	if what := p.name + " " + toast.ID; c.frail.Load() && !c.faint[what] && rand.IntN(10) == 0 {
		c.faint[what] = true
		c.mu.Unlock()
		return false
	}
	for id := range strings.SplitSeq(toast.ID, ",") {
		c.of[p.name][id]++
	}
	c.mu.Unlock()
	for range 100 {
		_, err := p.post(ctx, "/toasts/ack", url.Values{"id": {toast.ID}})
		if err == nil || errors.Is(err, statusError(http.StatusNotFound)) {
			return true
		}
		pause(ctx)
	}
	c.s.t.Errorf("%s cannot acknowledge toast %s", p.name, toast.ID)
	return true
}

// shown returns how often each toast was shown, by `USER ID`.
func (c *screens) shown() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]int{}
	for user, ids := range c.of {
		for id, n := range ids {
			all[user+" "+id] = n
		}
	}
	return all
}

// missing returns the faults: toasts that were accepted but not shown, shown but not sent, or are
// still undelivered.
func (c *screens) missing(ctx context.Context) (bad []string) {
	all, err := c.s.notices(ctx)
	if err != nil {
		return []string{err.Error()}
	}
	bad = c.s.kept(all, c.s.book.truth())
	want := map[string]int{}
	for _, n := range all {
		for _, name := range c.s.whom(&n) {
			want[name]++
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, ids := range c.of {
		waiting, err := c.s.rdb.ZCard(ctx, c.s.keys.PendingToasts(c.s.seqs[name])).Result()
		if len(ids) != want[name] || waiting > 0 || err != nil {
			bad = append(bad, fmt.Sprintf("%s was shown %d toasts of %d, %d are undelivered, %v", name, len(ids), want[name], waiting, err))
		}
	}
	return bad
}
