package announcement

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// index is what is open in an audience, as of one version, and how scripts are told
// so. It never changes: a newer one takes its place.
type index struct {
	version string
	items   []item
	count   []string // KEYS of the scripts that count: aver, marked, bitmaps
	mark    []string // KEYS of mark_bits
	tops    string
}

// item is an open announcement.
type item struct{ id, top, rev int64 }

func (i *item) sees(seq int64) bool { return i.top == 0 || seq <= i.top }

// place is where an announcement that a reader sees stands, from 0; -1 when it is
// not open, or not for him.
func (x *index) place(id, seq int64) int {
	for i := range x.items {
		if x.items[i].id == id && x.items[i].sees(seq) {
			return i
		}
	}
	return -1
}

// tries is how often a call meets an index that has just changed, before it gives up.
const tries = 6

var errUnsteady = errors.New("the index of an audience changes faster than it can be read")

// ask runs a script with the index of an audience, until that is the one that Redis
// has. run answers nil when the index lacks what it looks for: what has just opened
// may be missing in the one that this instance holds.
func (b *Board) ask(ctx context.Context, r *room, run func(*index) *redis.Cmd) (*index, reply, error) {
	x, fresh := r.cached.Load(), false
	for range tries {
		stamp := b.synced.Load()
		if x == nil {
			var err error
			if x, err = b.reload(ctx, r, nil); err != nil {
				return nil, reply{}, err
			}
			fresh = true
		}
		cmd := run(x)
		if cmd == nil {
			if fresh {
				return nil, reply{}, notifier.ErrNotFound
			}
			cmd = redis.NewCmdResult(int64(codeOld), nil)
		}
		rep, err := parseReply(cmd)
		switch {
		case err == nil && rep.code >= 0:
			return x, rep, nil
		case err == nil && rep.code == codeLost:
			err = b.heal(ctx, stamp)
		case err == nil && rep.code != codeOld:
			err = fmt.Errorf("%w: %d", errReply, rep.code)
		}
		if err == nil {
			x, err = b.reload(ctx, r, x)
		}
		if err != nil {
			return nil, reply{}, err
		}
		fresh = true
	}
	return nil, reply{}, errUnsteady
}

// reload answers an index that was read after the old one, and makes it again when
// it is lost.
func (b *Board) reload(ctx context.Context, r *room, old *index) (*index, error) {
	if err := r.loading.take(ctx); err != nil {
		return nil, err
	}
	defer r.loading.give()
	if x := r.cached.Load(); x != old && x != nil {
		return x, nil
	}
	for range tries {
		stamp := b.synced.Load()
		x, err := b.load(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("read the index of audience %d: %w", r.audience, away(err))
		}
		if x != nil {
			r.cached.Store(x)
			return x, nil
		}
		if err := b.heal(ctx, stamp); err != nil {
			return nil, err
		}
	}
	return nil, errUnsteady
}

// heal makes what is lost again, unless that was done since the stamp was taken.
func (b *Board) heal(ctx context.Context, stamp int64) error {
	if err := b.syncing.take(ctx); err != nil {
		return err
	}
	defer b.syncing.give()
	if b.synced.Load() != stamp {
		return nil
	}
	return b.syncAll(ctx)
}

// load reads an index at one instant; nil when a piece of it is lost.
func (b *Board) load(ctx context.Context, r *room) (*index, error) {
	pipe := b.rdb.TxPipeline()
	version, open, windows := pipe.Get(ctx, r.aver), pipe.ZRange(ctx, r.open, 0, -1), pipe.HGetAll(ctx, r.windows)
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	if version.Val() == "" || len(open.Val()) == 0 || windows.Val()["revision"] == "" {
		return nil, nil
	}
	return b.newIndex(r, version.Val(), open.Val(), windows.Val()), nil
}

func (b *Board) newIndex(r *room, version string, open []string, windows map[string]string) *index {
	x := &index{version: version, count: []string{r.aver, r.marked}, mark: []string{r.aver, r.marked, r.dirty}}
	var tops []string
	for _, word := range open {
		id, _ := strconv.ParseInt(word, 10, 64)
		if id <= 0 {
			continue // the 0 that is always there
		}
		i := item{id: id, top: -1}
		if f := strings.Fields(windows[word]); len(f) == 4 {
			i.top, _ = strconv.ParseInt(f[2], 10, 64)
			i.rev, _ = strconv.ParseInt(f[3], 10, 64)
		}
		bits := b.k.Bits(r.audience, id)
		x.items, x.count, x.mark = append(x.items, i), append(x.count, bits), append(x.mark, bits)
		tops = append(tops, strconv.FormatInt(i.top, 10))
	}
	x.tops = strings.Join(tops, " ")
	return x
}
