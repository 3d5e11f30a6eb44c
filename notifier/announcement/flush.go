package announcement

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

const (
	flushBatch  = 500 // segments per write: 2 MB
	flushRounds = 8   // writes per audience in one flush
)

// Flush writes the bitmap segments that are not yet in SQL, and returns their number. Segments that
// cannot be written stay marked, and a segment that changes during the write is marked again. A
// failed audience does not delay the others.
func (b *Announcements) Flush(ctx context.Context) (int, error) { return b.flush(ctx, b.roomsOf(nil)) }

func (b *Announcements) flush(ctx context.Context, rooms []*room) (total int, first error) {
	for _, r := range rooms {
		if err := b.follow(ctx, r); err != nil {
			if first == nil {
				first = fmt.Errorf("compare the reads of audience %d with sql: %w", r.audience, err)
			}
			continue
		}
		for range flushRounds {
			n, more, err := b.flushRoom(ctx, r)
			total += n
			if err != nil && first == nil {
				first = fmt.Errorf("write the reads of audience %d to sql: %w", r.audience, err)
			}
			if err != nil || !more {
				break
			}
		}
	}
	return total, first
}

// flushRoom writes the oldest segments of an audience, and reports whether there may be more.
func (b *Announcements) flushRoom(ctx context.Context, r *room) (saved int, more bool, err error) {
	marks, from, err := b.dirtyMarks(ctx, r)
	if err != nil || len(marks) == 0 {
		return 0, false, script.MarkAway(err)
	}
	segments, err := b.segments(ctx, r, marks, from)
	if err != nil {
		return 0, false, script.MarkAway(err)
	}
	if len(segments) > 0 {
		if err = b.store.SaveReads(ctx, segments); err != nil {
			return 0, false, err
		}
		r.latest.Store(max(r.latest.Load(), latestOf(segments)))
	}
	args := make([]any, 0, 2*len(marks))
	for _, m := range marks {
		args = append(args, m.Member, strconv.FormatFloat(m.Score, 'f', 0, 64))
	}
	if _, err = script.ParseReply(cleanSegments.Run(ctx, b.rdb, []string{r.dirty}, args...)); err != nil {
		return 0, false, err
	}
	return len(segments), len(marks) >= flushBatch, nil
}

// dirtyMarks returns the oldest marks of an audience and, by announcement, the revision of the last
// edit that marked it as unread for all users. It reads the revisions before the bits: if a bitmap
// is emptied in between, its new bits have the old revision and SQL drops them, but old bits never
// have the new revision.
func (b *Announcements) dirtyMarks(ctx context.Context, r *room) (marks []redis.Z, from map[string]int64, err error) {
	pipe := b.rdb.Pipeline()
	edits := pipe.ZRangeByScoreWithScores(ctx, r.dirty, &redis.ZRangeBy{Min: "-inf", Max: "(0"})
	found := pipe.ZRangeByScoreWithScores(ctx, r.dirty, &redis.ZRangeBy{Min: "0", Max: "+inf", Count: flushBatch + 1}) // one more, for the member 0
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, nil, err
	}
	from = map[string]int64{}
	for _, m := range edits.Val() {
		word, _ := m.Member.(string)
		from[word] = -int64(m.Score)
	}
	return slices.DeleteFunc(found.Val(), func(m redis.Z) bool { return m.Member == "0" }), from, nil
}

// segments reads the marked segments. It skips malformed marks, which no script sets, and marks without a bitmap.
func (b *Announcements) segments(ctx context.Context, r *room, marks []redis.Z, since map[string]int64) ([]notifier.ReadSegment, error) {
	pipe := b.rdb.Pipeline()
	all := make([]notifier.ReadSegment, len(marks))
	cmds := make([]*redis.StringCmd, len(marks))
	for i, m := range marks {
		id, segment, ok := parseMark(m.Member)
		if !ok {
			continue
		}
		all[i].PartKey = notifier.PartKey{ID: id, Audience: r.audience}
		all[i].Segment, all[i].Ver, all[i].From = segment, int64(m.Score), since[strconv.FormatInt(id, 10)]
		from := int64(segment) * notifier.SegmentBytes
		cmds[i] = pipe.GetRange(ctx, b.k.Bits(r.audience, id), from, from+notifier.SegmentBytes-1)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	found := all[:0]
	for i, cmd := range cmds {
		if cmd != nil && cmd.Val() != "" {
			all[i].Bits = []byte(cmd.Val())
			found = append(found, all[i])
		}
	}
	return found, nil
}

func latestOf(segments []notifier.ReadSegment) (ver int64) {
	for _, g := range segments {
		ver = max(ver, g.Ver)
	}
	return ver
}

func parseMark(member any) (id int64, segment int, ok bool) {
	word, _ := member.(string)
	a, b, ok := strings.Cut(word, ":")
	id, err := strconv.ParseInt(a, 10, 64)
	segment, err2 := strconv.Atoi(b)
	return id, segment, ok && err == nil && err2 == nil && id > 0 && segment >= 0
}
