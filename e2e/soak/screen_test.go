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

// screens is what all browsers of a site together have shown.
type screens struct {
	s     *site
	frail atomic.Bool // some are closed before they show what they were given

	mu    sync.Mutex
	of    map[string]map[string]int // user → id of a toast → how often it was shown
	faint map[string]bool           // `USER ID` of what a browser was closed with
}

func (s *site) screens() *screens {
	all := &screens{s: s, of: map[string]map[string]int{}, faint: map[string]bool{}}
	for n := 1; n <= readers; n++ {
		all.of[reader(n)] = map[string]int{}
	}
	return all
}

// open opens two browsers of each of these readers, each at any instance, and at another
// when that one dies. When it is stopped they are closed; what they show by then they
// acknowledge.
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

// follow reads one stream to its end, and shows what comes.
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

// show counts what is shown, and says so to whichever instance answers. False: the
// browser is closed instead.
func (c *screens) show(ctx context.Context, p *person, data string) bool {
	var toast struct {
		ID string `json:"id"` // with commas, where it says how many more there are
	}
	if err := json.Unmarshal([]byte(data), &toast); err != nil || toast.ID == "" {
		c.s.t.Errorf("no toast: %s, %v", data, err)
		return true
	}
	c.mu.Lock()
	// The second time it takes longer until another is given it.
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
	c.s.t.Errorf("%s cannot say that %s was shown", p.name, toast.ID)
	return true
}

// shown is how often each toast was shown, by `USER ID`.
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

// missing says what was accepted and not shown, and what is shown and was not sent, or
// waits still.
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
			bad = append(bad, fmt.Sprintf("%s was shown %d toasts of %d, %d wait, %v", name, len(ids), want[name], waiting, err))
		}
	}
	return bad
}
