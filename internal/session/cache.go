package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/batch"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	cacheLife = time.Minute
	// graveLife is longer than any request that read the session from SQL before it ended and
	// writes its copy late: its SET NX then finds the tombstone.
	graveLife = 10 * time.Minute

	tombstone = "ended"
	// stale replaces a copy whose user has changed. It is not a copy, and blocks copies read from SQL before the
	// change.
	stale = "changed"
)

// perCall is how many copies one pipeline reads or writes at most.
const perCall = 256

// cache holds copies of sessions in Redis, and the stamps of users. Any error counts as a miss. Concurrent requests
// share a pipeline.
type cache struct {
	redis guard
	space keys.Space
	gets  *batch.Queue[*copied]
	sets  *batch.Queue[*copied]
}

// copied is a copy or a stamp to read, or a copy to write.
type copied struct {
	key  string
	text string // empty: there is none
	read bool   // from Redis
	life time.Duration
}

func newCache(rdb redis.UniversalClient, now func() time.Time, space keys.Space) *cache {
	c := &cache{redis: guard{rdb: rdb, now: now}, space: space}
	c.gets = batch.New(batch.Options[*copied]{Call: c.getAll, Most: perCall})
	c.sets = batch.New(batch.Options[*copied]{Call: c.setAll, Most: perCall})
	return c
}

// get returns the copy of a session. A Signed without an ID is a session that has ended.
func (c *cache) get(ctx context.Context, id string) (signed Signed, found bool) {
	one := &copied{key: c.space.Session(id)}
	if c.gets.Do(ctx, one) != nil { // then a call may still write to it
		return Signed{}, false
	}
	switch one.text {
	case "", stale:
		return Signed{}, false
	case tombstone:
		return Signed{}, true
	}
	return decode(id, one.text)
}

// stamp returns the stamp of a user; empty: no recent change. ok is false if Redis does not respond.
func (c *cache) stamp(ctx context.Context, seq int64) (stamp string, ok bool) {
	one := &copied{key: c.space.Changed(seq)}
	if c.gets.Do(ctx, one) != nil || !one.read {
		return "", false
	}
	return one.text, true
}

func (c *cache) getAll(ctx context.Context, some []*copied) {
	_ = c.redis.do(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		texts := make([]*redis.StringCmd, len(some))
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i, one := range some {
				texts[i] = p.Get(ctx, one.key)
			}
			return nil
		})
		if err == nil || errors.Is(err, redis.Nil) { // Nil: there is no copy of one of them
			err = nil
			for i, one := range some {
				if one.text = texts[i].Val(); !errors.Is(texts[i].Err(), redis.Nil) {
					err = cmp.Or(err, texts[i].Err())
				}
				one.read = err == nil
			}
		}
		return err
	})
}

// fill stores a copy, unless there is a copy or a tombstone.
func (c *cache) fill(ctx context.Context, signed Signed, left time.Duration) {
	_ = c.sets.Do(ctx, &copied{key: c.space.Session(signed.ID), text: encode(signed), life: max(min(left, cacheLife), time.Millisecond)})
}

func (c *cache) setAll(ctx context.Context, some []*copied) {
	_ = c.redis.do(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, one := range some {
				p.SetNX(ctx, one.key, one.text, one.life)
			}
			return nil
		})
		return err
	})
}

// bury replaces copies with tombstones, and makes every instance close the streams of those sessions. If it fails,
// Run repeats it.
func (c *cache) bury(ctx context.Context, ended ...notifier.EndedSession) error {
	return c.redis.insist(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, e := range ended {
				p.Set(ctx, c.space.Session(e.ID), tombstone, graveLife)
				p.Publish(ctx, c.space.LiveUser(e.Seq), notifier.Signal{Kind: notifier.SignalEnded, Browser: notifier.Browser(e.ID)}.String())
			}
			return nil
		})
		return err
	})
}

// drop makes instances read a user and their sessions from SQL again: it changes the user's stamp, and blocks copies
// of the sessions for the lifetime of a copy. Tombstones stay.
func (c *cache) drop(ctx context.Context, seq int64, ids ...string) error {
	return c.redis.insist(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		stood := make([]*redis.StatusCmd, len(ids))
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, c.space.Changed(seq), rand.Text(), cacheLife)
			for i, id := range ids {
				stood[i] = p.SetArgs(ctx, c.space.Session(id), stale, redis.SetArgs{Get: true, TTL: cacheLife})
			}
			return nil
		})
		if err != nil && !errors.Is(err, redis.Nil) { // Nil: there was no copy
			return err
		}
		for i, id := range ids {
			if stood[i].Val() == tombstone { // the session is gone from SQL too, so it could not be used in between
				if err := rdb.Set(ctx, c.space.Session(id), tombstone, graveLife).Err(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// moved makes every instance read the current audience of a user.
func (c *cache) moved(ctx context.Context, seq int64) error {
	return c.redis.insist(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		return rdb.Publish(ctx, c.space.LiveUser(seq), notifier.Signal{Kind: notifier.SignalMoved}.String()).Err()
	})
}
