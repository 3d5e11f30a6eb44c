package inbox_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
)

// shelf replaces SQL. It is empty at first.
type shelf struct {
	mu        sync.Mutex
	snapshots map[int64]notifier.Snapshot
	notices   map[int64]notifier.Notice
	nobody    map[int64]bool
	asked     [3]int // number of queries for snapshots, for contents and for versions

	failing [2]error // errors to return from either
	meeting func()   // runs once, when contents are queried
	looking func()   // runs once, when versions are queried
	reading func()   // runs once, when snapshots are queried
	read    func()   // runs once, after snapshots have been read
	looked  func()   // runs once, after versions have been read
}

func newShelf() *shelf {
	return &shelf{snapshots: map[int64]notifier.Snapshot{}, notices: map[int64]notifier.Notice{}, nobody: map[int64]bool{}}
}

func (h *shelf) Snapshots(ctx context.Context, seqs []int64) (map[int64]notifier.Snapshot, error) {
	h.run(&h.reading)
	found, err := h.answer(seqs)
	h.run(&h.read)
	return found, errors.Join(err, ctx.Err())
}

// run runs a hook once.
func (h *shelf) run(hook *func()) {
	h.mu.Lock()
	do := *hook
	*hook = nil
	h.mu.Unlock()
	if do != nil {
		do()
	}
}

func (h *shelf) answer(seqs []int64) (map[int64]notifier.Snapshot, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[0]++
	if h.failing[0] != nil {
		return nil, h.failing[0]
	}
	found := pick(h.snapshots, seqs)
	for _, seq := range seqs {
		if _, stored := found[seq]; !stored && !h.nobody[seq] {
			found[seq] = notifier.Snapshot{Seq: seq}
		}
	}
	return found, nil
}

func (h *shelf) VersOf(ctx context.Context, seqs []int64) (map[int64]int64, error) {
	defer h.run(&h.looked)
	h.run(&h.looking)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[2]++
	vers := map[int64]int64{}
	for _, seq := range seqs {
		if !h.nobody[seq] {
			vers[seq] = h.snapshots[seq].Ver
		}
	}
	return vers, errors.Join(h.failing[0], ctx.Err())
}

func (h *shelf) Contents(ctx context.Context, ids []int64) (map[int64]notifier.Notice, error) {
	h.run(&h.meeting)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked[1]++
	if h.failing[1] != nil {
		return nil, h.failing[1]
	}
	return pick(h.notices, ids), ctx.Err()
}

func pick[V any](from map[int64]V, which []int64) map[int64]V {
	found := map[int64]V{}
	for _, id := range which {
		if v, ok := from[id]; ok {
			found[id] = v
		}
	}
	return found
}

// save stores the snapshots that are newer than the stored ones.
func (h *shelf) save(list []notifier.Snapshot) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range list {
		if s.Ver > h.snapshots[s.Seq].Ver {
			h.snapshots[s.Seq] = s
		}
	}
}

func (h *shelf) SaveSnapshots(_ context.Context, list []notifier.Snapshot) error {
	h.save(list)
	return h.failing[0]
}

// keep stores notices.
func (h *shelf) keep(list ...*notifier.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, n := range list {
		h.notices[n.ID] = *n
	}
}

// revision returns the revision of a notice, or 0 if it is unknown.
func (h *shelf) revision(id int64) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.notices[id].Revision
}

// edit gives the stored notice the content and revision of n.
func (h *shelf) edit(n *notifier.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.notices[n.ID]; ok {
		known.Revision, known.Title = n.Revision, n.Title
		h.notices[n.ID] = known
	}
}

func (h *shelf) retract(id int64, state notifier.State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n, ok := h.notices[id]; ok {
		n.State = state
		h.notices[id] = n
	}
}

// beside gives the site a shelf from which cold inboxes are restored.
func (s *site) beside(limit int) *shelf {
	h := newShelf()
	s.Inbox = s.another(h, limit)
	return h
}

// another returns the inboxes of another instance with the same Redis and shelf.
func (s *site) another(h *shelf, limit int) *inbox.Inbox {
	return inbox.New(s.rdb, s.k, inbox.Options{Cap: limit, Now: s.clock.now, SQL: h})
}

// ripen turns all late marks of a partition into dirty marks.
func (s *site) ripen(t tb, p int) {
	t.Helper()
	if _, _, err := s.Ripen(t.Context(), p, s.clock.in(time.Hour), 10_000); err != nil {
		t.Fatal(err)
	}
}

// writeBehind saves the dirty inboxes in the partitions of these users to the shelf.
func (s *site) writeBehind(t tb, h *shelf, seqs ...int64) {
	t.Helper()
	parts := map[int]bool{}
	for _, seq := range seqs {
		parts[keys.Partition(seq)] = true
	}
	for _, p := range slices.Sorted(maps.Keys(parts)) {
		s.ripen(t, p)
		marks, err := s.Dirty(t.Context(), p, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		h.save(s.read(t, users(marks)...))
		if err := s.Clean(t.Context(), p, marks); err != nil {
			t.Fatal(err)
		}
	}
}

func users(marks []notifier.Dirty) []int64 {
	seqs := make([]int64, len(marks))
	for i, m := range marks {
		seqs[i] = m.Seq
	}
	return seqs
}

func (s *site) read(t tb, seqs ...int64) []notifier.Snapshot {
	t.Helper()
	list, err := s.Read(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// lose removes all of a user's own keys from Redis.
func (s *site) lose(t tb, seqs ...int64) {
	t.Helper()
	for _, seq := range seqs {
		if err := s.rdb.Del(t.Context(), s.k.List(seq), s.k.Hash(seq), s.k.State(seq), s.k.Gone(seq), s.k.Archive(seq)).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

// wake restores inboxes by reading their badges.
func (s *site) wake(t tb, seqs ...int64) []notifier.Badge {
	t.Helper()
	badges, err := s.Badges(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	return badges
}
