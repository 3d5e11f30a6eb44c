package announcement

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Move prepares the audience of a reader who was moved from another one. Clients keep the number with
// the later version, and each audience has its own versions. So the versions here must be later than
// any that the reader received elsewhere. raised is false if they already were, for example on a
// repetition.
//
// Move raises the version of the index instead of the reader's own, which expires after a minute:
// an application or a sleeping browser may request the badge an hour later. One rise serves all
// readers who move here, until something changes in their previous audience.
func (b *Announcements) Move(ctx context.Context, r notifier.Reader) (raised bool, err error) {
	to := b.roomOf(r)
	if to == nil {
		return false, nil
	}
	floor, err := b.latestElsewhere(ctx, r)
	if err != nil {
		return false, fmt.Errorf("read the versions given to user %d: %w", r.Seq, script.MarkAway(err))
	}
	_, rep, err := b.ask(ctx, to, func(*index) *redis.Cmd {
		return raiseIndex.Run(ctx, b.rdb, []string{to.aver, to.marked}, floor, to.channel)
	})
	if err != nil {
		return false, fmt.Errorf("raise the index of audience %d for user %d: %w", r.Audience, r.Seq, err)
	}
	return rep.Code > 0, nil
}

// latestElsewhere returns the latest version that a reader may have received in other audiences. A lost
// index issues no versions, and a rebuilt one starts later.
func (b *Announcements) latestElsewhere(ctx context.Context, r notifier.Reader) (floor int64, err error) {
	var versions []*redis.StringCmd
	var marks []*redis.FloatCmd
	_, err = b.rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
		for a, from := range b.rooms {
			if a != r.Audience {
				versions = append(versions, p.Get(ctx, from.aver))
				marks = append(marks, p.ZScore(ctx, from.marked, strconv.FormatInt(r.Seq, 10)))
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return 0, err
	}
	for i := range versions {
		version, err := versions[i].Int64()
		mark, markErr := marks[i].Result()
		for _, err := range []error{err, markErr} {
			if err != nil && !errors.Is(err, redis.Nil) {
				return 0, err
			}
		}
		floor = max(floor, version, int64(mark))
	}
	return floor, nil
}
