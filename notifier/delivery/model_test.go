package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
)

// world is a stream with any number of processes, any of which may die at any time, and a model of
// what must become of the entries.
type world struct {
	*site
	all     *testing.T
	t       *rapid.T
	running map[int]func() // stops each process
	born    int
	clients []redis.UniversalClient

	mu     sync.Mutex
	last   int64
	owed   map[int64]piece // entries that must be handled, by notice
	done   map[int64]bool
	buried map[int64]bool
	fault  error
}

// piece is the model of one notice.
type piece struct {
	small  bool
	ranges int64 // number of ranges
	moods  []int // of its successive handlings: 0 well, 1 refused, 2 panic, 3 unavailable
}

const (
	well = iota
	refused
	panics
	unavailable
)

// mood returns how the next handling of a notice goes.
func (w *world) mood(id int64) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.owed[id]
	if len(p.moods) == 0 {
		return well
	}
	m := p.moods[0]
	p.moods = p.moods[1:]
	w.owed[id] = p
	return m
}

func (w *world) act(id int64) error {
	switch w.mood(id) {
	case refused:
		return errors.New("refused")
	case panics:
		panic("panics")
	case unavailable:
		return notifier.ErrUnavailable
	}
	return nil
}

func (w *world) complain(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault == nil {
		w.fault = fmt.Errorf(format, args...)
	}
}

func (w *world) finish(id int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done[id] = true
}

func (w *world) handler() delivery.Handler {
	return handler{
		deliver: func(_ context.Context, entries []delivery.Entry) []error {
			errs := make([]error, len(entries))
			for i, e := range entries {
				if e.Delivery == nil || e.Delivery.NoticeID != e.NoticeID {
					w.complain("Deliver got %+v", e)
				}
				errs[i] = w.act(e.NoticeID)
			}
			return errs
		},
		confirm: func(_ context.Context, entries []delivery.Entry) error {
			for _, e := range entries {
				w.finish(e.NoticeID)
			}
			return nil
		},
		ranging: func(_ context.Context, e delivery.Entry) ([]delivery.Entry, error) {
			if err := w.act(e.NoticeID); err != nil {
				return nil, err
			}
			w.mu.Lock()
			ranges := w.owed[e.NoticeID].ranges
			w.mu.Unlock()
			if e.From+1 < ranges {
				return []delivery.Entry{{Kind: delivery.Deliver, NoticeID: e.NoticeID, From: e.From + 1}}, nil
			}
			w.finish(e.NoticeID)
			return nil, nil
		},
		bury: func(_ context.Context, e delivery.Entry, raw map[string]any, why error) error {
			if e.Tries < 4 || raw != nil || why == nil {
				w.complain("buried %+v, %v because of %v", e, raw, why)
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.buried[e.NoticeID] = true
			return nil
		},
	}
}

// start starts a process with its own Redis client.
func (w *world) start() {
	rdb := redistest.Cluster(w.all)
	q := (&site{rdb, w.k}).intake(w.handler(), func(c *delivery.IntakeConfig) {
		c.Idle, c.Gone, c.Batch, c.Grace = 15*time.Millisecond, 30*time.Millisecond, 8, time.Millisecond
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = q.Run(ctx)
	}()
	w.born++
	w.running[w.born] = func() {
		cancel()
		<-ended
		_ = rdb.Close()
	}
	w.clients = append(w.clients, rdb)
}

func (w *world) pick() (int, bool) {
	if len(w.running) == 0 {
		return 0, false
	}
	var names []int
	for name := range w.running {
		names = append(names, name)
	}
	slices.Sort(names)
	return rapid.SampledFrom(names).Draw(w.t, "process"), true
}

// stop stops a process in an orderly way, or kills it: from one command to the next nothing reaches
// Redis any more.
func (w *world) stop(kill bool) {
	name, ok := w.pick()
	if !ok {
		return
	}
	if kill {
		_ = w.clients[name-1].Close()
	}
	w.running[name]()
	delete(w.running, name)
}

func (w *world) add() {
	n := rapid.IntRange(1, 20).Draw(w.t, "entries")
	entries := make([]delivery.Entry, 0, n)
	for range n {
		p := piece{small: rapid.Bool().Draw(w.t, "small"), ranges: rapid.Int64Range(1, 4).Draw(w.t, "ranges")}
		p.moods = rapid.SliceOfN(rapid.SampledFrom([]int{well, well, refused, panics, unavailable}), 0, 4).Draw(w.t, "moods")
		w.mu.Lock()
		w.last++
		id := w.last
		w.owed[id] = p
		w.mu.Unlock()
		if p.small {
			entries = append(entries, small(id))
		} else {
			entries = append(entries, delivery.Entry{Kind: delivery.Deliver, NoticeID: id})
		}
	}
	w.put(w.t, entries...)
}

// lose deletes the stream, or only its group. Entries lost with the stream are left to the relay.
func (w *world) lose(stream bool) {
	ctx := context.Background()
	if !stream {
		_ = w.rdb.XGroupDestroy(ctx, w.k.Intake(), delivery.Group)
		return
	}
	if err := w.rdb.Del(ctx, w.k.Intake()).Err(); err != nil {
		w.t.Fatal(err)
	}
	w.nextMillisecond()
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.owed)
}

// nextMillisecond waits, so that a new stream cannot give out an id of the lost one: a handler of
// the old entry would acknowledge the new one.
func (w *world) nextMillisecond() {
	now := func() int64 { return w.rdb.Time(context.Background()).Val().UnixMilli() }
	lost := now()
	testkit.Eventually(w.t, "the clock of Redis moves on", func() bool { return now() > lost })
}

// pendingIsThere lists pending entries that are no longer in the stream.
var pendingIsThere = redis.NewScript(`
local ok, pending = pcall(redis.call, 'XPENDING', KEYS[1], 'carillon', '-', '+', 100000)
if not ok then return {} end
local lost = {}
for _, p in ipairs(pending) do
  if #redis.call('XRANGE', KEYS[1], p[1], p[1]) == 0 then lost[#lost + 1] = p[1] end
end
return lost`)

// check verifies the invariants that hold at any time.
func (w *world) check() {
	lost, err := pendingIsThere.Run(context.Background(), w.rdb, []string{w.k.Intake()}).StringSlice()
	if err != nil {
		w.t.Fatal(err)
	}
	if len(lost) > 0 {
		w.t.Fatalf("trimmed while still pending: %v", lost)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault != nil {
		w.t.Fatal(w.fault)
	}
}

func (w *world) settled() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.owed {
		if !w.done[id] && !w.buried[id] {
			return false
		}
	}
	return true
}

func (w *world) end() {
	for name, stop := range w.running {
		stop()
		delete(w.running, name)
	}
}

// Whatever dies, fails or is lost, in any order: each entry is handled, is buried after five failed
// tries, or was lost with the stream; and no pending entry is trimmed.
func TestEveryEntryIsHandledDespiteAnyFault(t *testing.T) {
	t.Parallel()
	rdb := redistest.Cluster(t)
	rapid.Check(t, func(rt *rapid.T) {
		s := &site{rdb, redistest.Space(t)}
		w := &world{
			site: s, all: t, t: rt, running: map[int]func(){}, owed: map[int64]piece{}, done: map[int64]bool{}, buried: map[int64]bool{},
		}
		defer w.end()
		rt.Repeat(map[string]func(*rapid.T){
			"add":   func(t *rapid.T) { w.t = t; w.add() },
			"start": func(t *rapid.T) { w.t = t; w.start() },
			"stop":  func(t *rapid.T) { w.t = t; w.stop(false) },
			"kill":  func(t *rapid.T) { w.t = t; w.stop(true) },
			"die": func(t *rapid.T) {
				w.takeAndDie(t, fmt.Sprint("dead", rapid.IntRange(0, 2).Draw(t, "name")), rapid.Int64Range(1, 9).Draw(t, "n"))
			},
			"group": func(t *rapid.T) { w.t = t; w.lose(false) },
			"all":   func(t *rapid.T) { w.t = t; w.lose(true) },
			"":      func(t *rapid.T) { w.t = t; w.check() },
		})
		w.t = rt
		w.start()
		testkit.Eventually(rt, "all owed entries are settled, and the stream is empty", func() bool {
			w.check()
			return w.settled() && w.length(rt) == 0
		})
	})
}
