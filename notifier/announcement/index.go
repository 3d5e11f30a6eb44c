package announcement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// index contains the open announcements of an audience in one version, in the form that scripts need.
// It is immutable and is replaced by a newer one.
type index struct {
	version string
	items   []item
	count   []string // KEYS of the counting scripts: aver, marked, bitmaps
	mark    []string // KEYS of mark_bits
	tops    string
}

// item is an open announcement.
type item struct{ id, top, rev int64 }

func (i *item) sees(seq int64) bool { return i.top == 0 || seq <= i.top }

// place returns the position, from 0, of an announcement that a reader sees; -1 if it is not open
// or not visible to them.
func (x *index) place(id, seq int64) int {
	for i := range x.items {
		if x.items[i].id == id && x.items[i].sees(seq) {
			return i
		}
	}
	return -1
}

// tries is the maximum number of times that a call may find its index outdated.
const tries = 6

var errUnsteady = errors.New("the index of an audience changes faster than it can be read")

// ask runs a script with the index of an audience, until that index is the current one in Redis. run returns nil if
// the announcement is not in the index, which may have opened after this instance read its index.
func (b *Announcements) ask(ctx context.Context, r *room, run func(*index) *redis.Cmd) (*index, script.Reply, error) {
	x, fresh := r.cached.Load(), false
	for range tries {
		stamp := b.synced.Load()
		if x == nil {
			var err error
			if x, err = b.reload(ctx, r, nil); err != nil {
				return nil, script.Reply{}, err
			}
			fresh = true
		}
		cmd := run(x)
		if cmd == nil {
			if fresh {
				return nil, script.Reply{}, notifier.ErrNotFound
			}
			cmd = redis.NewCmdResult(int64(codeOld), nil)
		}
		rep, err := script.ParseReply(cmd)
		switch {
		case err == nil && rep.Code >= 0:
			return x, rep, nil
		case err == nil && rep.Code == codeLost:
			err = b.heal(ctx, stamp)
		case err == nil && rep.Code != codeOld:
			err = fmt.Errorf("%w: %d", script.ErrReply, rep.Code)
		}
		if err == nil {
			x, err = b.reload(ctx, r, x)
		}
		if err != nil {
			return nil, script.Reply{}, err
		}
		fresh = true
	}
	return nil, script.Reply{}, errUnsteady
}

// reload returns an index that was read after old, and rebuilds a lost one.
func (b *Announcements) reload(ctx context.Context, r *room, old *index) (*index, error) {
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
			return nil, fmt.Errorf("read the index of audience %d: %w", r.audience, script.MarkAway(err))
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

// heal rebuilds lost data, unless that was already done after stamp.
func (b *Announcements) heal(ctx context.Context, stamp int64) error {
	if err := b.syncing.take(ctx); err != nil {
		return err
	}
	defer b.syncing.give()
	if b.synced.Load() != stamp {
		return nil
	}
	return b.syncAll(ctx)
}

// load reads an index at one instant; nil if part of it is lost.
func (b *Announcements) load(ctx context.Context, r *room) (*index, error) {
	rep, err := script.ParseReply(fetchIndex.Run(ctx, b.rdb, []string{r.aver, r.open, r.scheduled, r.windows}))
	if err != nil || rep.Code == codeLost {
		return nil, err
	}
	words := make([]string, len(rep.Rest))
	for i, word := range rep.Rest {
		words[i], _ = word.(string)
	}
	if len(words)%2 == 0 {
		return nil, fmt.Errorf("%w: %d words", script.ErrReply, len(words))
	}
	return b.newIndex(r, words[0], words[1:]), nil
}

// newIndex decodes open announcements, two words each: id, window.
func (b *Announcements) newIndex(r *room, version string, words []string) *index {
	x := &index{version: version, count: []string{r.aver, r.marked}, mark: []string{r.aver, r.marked, r.dirty}}
	var tops []string
	for pair := range slices.Chunk(words, 2) {
		id, _ := strconv.ParseInt(pair[0], 10, 64)
		i := item{id: id, top: -1}
		if f := strings.Fields(pair[1]); len(f) == 4 {
			i.top, _ = strconv.ParseInt(f[2], 10, 64)
			rev, _, _ := strings.Cut(f[3], "-")
			i.rev, _ = strconv.ParseInt(rev, 10, 64)
		}
		bits := b.k.Bits(r.audience, id)
		x.items, x.count, x.mark = append(x.items, i), append(x.count, bits), append(x.mark, bits)
		tops = append(tops, strconv.FormatInt(i.top, 10))
	}
	x.tops = strings.Join(tops, " ")
	return x
}
