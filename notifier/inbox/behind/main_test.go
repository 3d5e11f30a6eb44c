package behind_test

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox/behind"
	"github.com/carillonhq/carillon/notifier/keys"
)

// After Close, the pool of a client keeps trying to reach a lost server for up to a second.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(redistest.Wrap(m),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// inboxes replaces Redis: it has a version for each user, and marks. Each hook runs before the
// method that it is named after, without the lock.
type inboxes struct {
	onDirty, onClean func() error
	onRead           func(seqs []int64) error

	mu    sync.Mutex
	vers  map[int64]int64
	marks map[int64]int64
	late  map[int64]int64 // user → acceptance
	cold  map[int64]bool
	asked int // calls of Dirty

	life    string // returned by Life, together with whole
	idle    map[int]int
	evicted []int // the partitions of each call
	before  time.Time
	drifted map[int64]notifier.DriftKind
	checked []int64
	forgot  []notifier.NoticeCount
}

func newInboxes() *inboxes {
	return &inboxes{
		onDirty: func() error { return nil }, onClean: func() error { return nil }, onRead: func([]int64) error { return nil },
		vers: map[int64]int64{}, marks: map[int64]int64{}, late: map[int64]int64{}, cold: map[int64]bool{},
		life: "first", idle: map[int]int{}, drifted: map[int64]notifier.DriftKind{},
	}
}

// change changes the inboxes of users like the scripts.
func (b *inboxes) change(seqs ...int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, seq := range seqs {
		b.vers[seq] = max(b.vers[seq]+1, time.Now().UnixMilli())
		b.marks[seq] = b.vers[seq]
	}
}

// deliver delivers a notice accepted at the given time to users, like the script.
func (b *inboxes) deliver(accepted time.Time, seqs ...int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, seq := range seqs {
		b.vers[seq] = max(b.vers[seq]+1, time.Now().UnixMilli())
		if at, marked := b.late[seq]; !marked || accepted.UnixMilli() < at {
			b.late[seq] = accepted.UnixMilli()
		}
	}
}

func (b *inboxes) Late(_ context.Context, first, n int) (oldest []int64, newest int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	oldest = make([]int64, n)
	for seq, at := range b.late {
		i := keys.Partition(seq) - first
		if i < 0 || i >= n {
			continue
		}
		if newest = max(newest, at); oldest[i] == 0 || at < oldest[i] {
			oldest[i] = at
		}
	}
	return oldest, newest, nil
}

// busy lets time pass while other users of every group receive notices.
func (b *inboxes) busy(d time.Duration) {
	for seq := int64(1_000_000); d > 0; d -= time.Second {
		b.deliver(time.Now(), between(seq, seq+63)...)
		seq += 64
		pass(min(d, time.Second))
	}
}

func (b *inboxes) Ripen(_ context.Context, partition int, upto time.Time, limit int) (marks []notifier.Dirty, removed int, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for seq, at := range b.late {
		if keys.Partition(seq) == partition && at <= upto.UnixMilli() && removed < limit {
			delete(b.late, seq)
			b.marks[seq] = b.vers[seq]
			marks = append(marks, notifier.Dirty{Seq: seq, Ver: b.vers[seq]})
			removed++
		}
	}
	return marks, removed, nil
}

func (b *inboxes) marked() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.marks)
}

func (b *inboxes) Dirty(_ context.Context, partition, limit int) (found []notifier.Dirty, err error) {
	if err := b.onDirty(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	for seq, ver := range b.marks {
		if keys.Partition(seq) == partition {
			found = append(found, notifier.Dirty{Seq: seq, Ver: ver})
		}
	}
	slices.SortFunc(found, func(x, y notifier.Dirty) int { return cmp.Or(cmp.Compare(x.Ver, y.Ver), cmp.Compare(x.Seq, y.Seq)) })
	return found[:min(limit, len(found))], nil
}

func (b *inboxes) Read(_ context.Context, seqs []int64) (all []notifier.Snapshot, err error) {
	if err := b.onRead(seqs); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, seq := range seqs {
		if !b.cold[seq] {
			all = append(all, notifier.Snapshot{Seq: seq, Ver: b.vers[seq]})
		}
	}
	return all, nil
}

func (b *inboxes) Clean(_ context.Context, partition int, marks []notifier.Dirty) error {
	if err := b.onClean(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range marks {
		if keys.Partition(m.Seq) != partition {
			panic("a mark is cleaned in a partition that is not its own")
		}
		if b.marks[m.Seq] == m.Ver {
			delete(b.marks, m.Seq)
		}
		if b.vers[m.Seq] <= m.Ver {
			delete(b.late, m.Seq)
		}
	}
	return nil
}

func (b *inboxes) Life(context.Context, int, int) (string, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.life, b.life != "", nil
}

// live makes Redis start a new life; "": the mark of a partition is missing.
func (b *inboxes) live(life string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.life = life
}

func (b *inboxes) Evict(_ context.Context, partition int, before time.Time, limit int) (int, bool, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.evicted, b.before = append(b.evicted, partition), before
	n := min(limit, b.idle[partition])
	b.idle[partition] -= n
	return n, b.idle[partition] > 0, nil
}

func (b *inboxes) Sample(_ context.Context, partition, n int) (seqs []int64, err error) {
	for i := range int64(n) {
		seqs = append(seqs, int64(partition)+keys.Partitions*(i+1))
	}
	return seqs, nil
}

func (b *inboxes) Check(_ context.Context, seqs []int64) (found []notifier.Drift, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.checked = append(b.checked, seqs...)
	for _, seq := range seqs {
		if kind, ok := b.drifted[seq]; ok {
			found = append(found, notifier.Drift{Seq: seq, Kind: kind})
			delete(b.drifted, seq)
		}
	}
	return found, nil
}

func (b *inboxes) ForgetCounts(_ context.Context, _ int, counts []notifier.NoticeCount) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forgot = append(b.forgot, counts...)
	return nil
}

// database replaces SQL. onSave runs before anything is stored, without the lock.
type database struct {
	onSave func(all []notifier.Snapshot) error

	mu     sync.Mutex
	vers   map[int64]int64
	tries  int
	counts map[notifier.NoticeCount]int // how often each count was saved
	calls  int                          // of SaveCounts

	flushed map[int]time.Time
	over    map[int64]bool
	before  time.Time // the time passed to Over
}

func newDatabase() *database {
	return &database{
		onSave: func([]notifier.Snapshot) error { return nil },
		vers:   map[int64]int64{}, counts: map[notifier.NoticeCount]int{},
		flushed: map[int]time.Time{}, over: map[int64]bool{},
	}
}

func (d *database) SaveSnapshots(_ context.Context, all []notifier.Snapshot) error {
	err := d.onSave(all)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.tries++; err != nil {
		return err
	}
	for _, s := range all {
		d.vers[s.Seq] = max(d.vers[s.Seq], s.Ver)
	}
	return nil
}

func (d *database) SaveCounts(_ context.Context, all []notifier.NoticeCount) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls++
	for _, c := range all {
		d.counts[c]++
	}
	return nil
}

func (d *database) SetFlushed(_ context.Context, parts map[int]time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.Copy(d.flushed, parts)
	return nil
}

func (d *database) Over(_ context.Context, ids []int64, before time.Time) (over []int64, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = before
	for _, id := range ids {
		if d.over[id] {
			over = append(over, id)
		}
	}
	return over, nil
}

// until returns up to when SQL is complete for a group.
func (d *database) until(group int) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.flushed[group]
}

// behind lists the users whose version in SQL differs from that in Redis.
func (d *database) behind(b *inboxes) (seqs []int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for seq, ver := range b.vers {
		if !b.cold[seq] && d.vers[seq] != ver {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

// settled fails the test unless everything is in SQL and no mark is left.
func settled(t *testing.T, b *inboxes, d *database) {
	t.Helper()
	if late := d.behind(b); len(late) > 0 || b.marked() > 0 {
		t.Errorf("SQL is behind for %d users, %d marks are left", len(late), b.marked())
	}
}

// pass lets time pass in a synctest bubble, and waits until all work due by then is done.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func between(from, to int64) (seqs []int64) {
	for seq := from; seq <= to; seq++ {
		seqs = append(seqs, seq)
	}
	return seqs
}

// run starts f. The returned function stops it and waits for it to end.
func run(t *testing.T, f *behind.Flusher) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx) }()
	return func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

// lines keeps the logged messages.
type lines struct {
	slog.Handler
	mu   sync.Mutex
	seen []string
}

func newLog() (*slog.Logger, func() []string) {
	l := &lines{Handler: slog.DiscardHandler}
	return slog.New(l), func() []string {
		l.mu.Lock()
		defer l.mu.Unlock()
		return slices.Clone(l.seen)
	}
}

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }

func (l *lines) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, r.Message)
	return nil
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }
