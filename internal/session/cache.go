package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
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
	// stale replaces a copy whose user has changed. It is not a copy itself, and it keeps out one
	// that was read from SQL before the change.
	stale     = "changed"
	version   = "5"
	separator = "\n" // no name, display name, role, locale or zone contains a control character
	fields    = 18   // before the roles
)

// perCall is how many copies one pipeline reads or writes at most.
const perCall = 256

// cache holds copies of sessions in Redis, and the stamps of users. Any error counts as a miss. Requests
// that come at the same time share a pipeline.
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

// stamp returns the stamp of a user; empty: they have not changed lately. ok is false if Redis does not answer.
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

// bury replaces copies with tombstones and makes every instance close the streams of those sessions.
// If it fails, Run repeats it.
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

// drop makes a user and their sessions be read from SQL again: it changes the user's stamp, and blocks
// copies of the sessions for the life of one. Tombstones stay.
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

// moved makes every instance look up the current audience of a user.
func (c *cache) moved(ctx context.Context, seq int64) error {
	return c.redis.insist(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		return rdb.Publish(ctx, c.space.LiveUser(seq), notifier.Signal{Kind: notifier.SignalMoved}.String()).Err()
	})
}

func encode(s Signed) string {
	u := &s.User
	head := [fields]string{
		version, strconv.FormatInt(s.Since.UnixMilli(), 10), strconv.FormatInt(u.Seq, 10),
		strconv.Itoa(int(u.Audience)), u.Locale, u.Theme, strconv.FormatBool(u.KeysOff),
		strconv.FormatBool(u.ToastsOff), strconv.FormatBool(u.OpensOnly), u.Name, encodeBy(s.By), strconv.FormatInt(u.Paused, 10), strconv.FormatBool(u.Compact),
		u.Display, u.Zones.Chosen, u.Zones.Seen, strconv.FormatInt(u.Zones.SeenAt, 10), strconv.FormatInt(nanos(s.Read), 10),
	}
	return strings.Join(append(head[:], u.Roles...), separator)
}

// decode returns false for text that encode did not write, such as a copy by an instance of another
// version; the session is then read from SQL.
func decode(id, text string) (Signed, bool) {
	parts := strings.Split(text, separator)
	if len(parts) < fields || parts[0] != version {
		return Signed{}, false
	}
	since, err1 := strconv.ParseInt(parts[1], 10, 64)
	seq, err2 := strconv.ParseInt(parts[2], 10, 64)
	audience, err3 := strconv.Atoi(parts[3])
	paused, err4 := strconv.ParseInt(parts[11], 10, 64)
	zoneAt, err5 := strconv.ParseInt(parts[16], 10, 64)
	read, err6 := strconv.ParseInt(parts[17], 10, 64)
	if cmp.Or(err1, err2, err3, err4, err5, err6) != nil {
		return Signed{}, false
	}
	user := notifier.User{
		Seq: seq, Audience: notifier.Audience(audience), Name: parts[9], Display: parts[13], Paused: paused,
		Zones: notifier.Zones{Chosen: parts[14], Seen: parts[15], SeenAt: zoneAt},
		Settings: notifier.Settings{
			Locale: parts[4], Theme: parts[5], KeysOff: parts[6] == "true", ToastsOff: parts[7] == "true", OpensOnly: parts[8] == "true", Compact: parts[12] == "true",
		},
	}
	if len(parts) > fields {
		user.Roles = parts[fields:]
	}
	by, ok := decodeBy(parts[10])
	return Signed{User: user, ID: id, Since: time.UnixMilli(since).UTC(), Read: fromNanos(read), By: by}, ok
}

// nanos returns the ns since 1970; 0: the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// encodeBy writes when the session of a provider ends, in ms, and "+" for staff by their groups.
func encodeBy(by *notifier.Provided) string {
	switch {
	case by == nil:
		return ""
	case by.Staff:
		return "+" + strconv.FormatInt(by.Until.UnixMilli(), 10)
	}
	return strconv.FormatInt(by.Until.UnixMilli(), 10)
}

func decodeBy(text string) (*notifier.Provided, bool) {
	if text == "" {
		return nil, true
	}
	until, staff := strings.CutPrefix(text, "+")
	ms, err := strconv.ParseInt(until, 10, 64)
	return &notifier.Provided{Until: time.UnixMilli(ms).UTC(), Staff: staff}, err == nil
}
