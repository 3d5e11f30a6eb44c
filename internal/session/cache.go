package session

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	cacheLife = time.Minute
	// graveLife outlives any request that read the session from SQL before it
	// ended and is slow to write its copy: SET NX finds the tombstone.
	graveLife = 10 * time.Minute

	tombstone = "ended"
	version   = "2"
	separator = "\n" // no name, role or locale holds a control character
	fields    = 9    // before the roles
)

// cache is the copies of sessions in Redis. Whatever fails here is a miss.
type cache struct {
	redis guard
	space keys.Space
}

// get returns the copy of a session. A Signed without an ID is a session that
// has ended.
func (c *cache) get(ctx context.Context, id string) (signed Signed, found bool) {
	var text string
	err := c.redis.do(ctx, func(ctx context.Context, rdb redis.UniversalClient) (err error) {
		text, err = rdb.Get(ctx, c.space.Session(id)).Result()
		if errors.Is(err, redis.Nil) {
			return nil
		}
		return err
	})
	if err != nil || text == "" {
		return Signed{}, false
	}
	if text == tombstone {
		return Signed{}, true
	}
	return decode(id, text)
}

// fill leaves a copy, unless there is one or a tombstone.
func (c *cache) fill(ctx context.Context, signed Signed, left time.Duration) {
	life := max(min(left, cacheLife), time.Millisecond)
	_ = c.redis.do(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		return rdb.SetNX(ctx, c.space.Session(signed.ID), encode(signed), life).Err()
	})
}

// bury replaces copies by tombstones.
func (c *cache) bury(ctx context.Context, ids ...string) {
	// Who signs out may close the tab at once; the session must still end.
	ctx = context.WithoutCancel(ctx)
	_ = c.redis.insist(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
		_, err := rdb.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, id := range ids {
				p.Set(ctx, c.space.Session(id), tombstone, graveLife)
			}
			return nil
		})
		return err
	})
}

// drop removes copies, and leaves tombstones where they are.
func (c *cache) drop(ctx context.Context, ids ...string) {
	for _, id := range ids {
		signed, found := c.get(ctx, id)
		if !found || signed.ID == "" {
			continue
		}
		_ = c.redis.do(ctx, func(ctx context.Context, rdb redis.UniversalClient) error {
			return rdb.Del(ctx, c.space.Session(id)).Err()
		})
	}
}

func encode(s Signed) string {
	head := [fields]string{
		version, strconv.FormatInt(s.Since.UnixMilli(), 10), strconv.FormatInt(s.User.Seq, 10),
		strconv.Itoa(int(s.User.Audience)), s.User.Locale, s.User.Theme, strconv.FormatBool(s.User.KeysOff),
		strconv.FormatBool(s.User.ToastsOff), s.User.Name,
	}
	return strings.Join(append(head[:], s.User.Roles...), separator)
}

// decode is false for what encode has not made, such as a copy by an instance
// of another version; SQL is asked then.
func decode(id, text string) (Signed, bool) {
	parts := strings.Split(text, separator)
	if len(parts) < fields || parts[0] != version {
		return Signed{}, false
	}
	since, err1 := strconv.ParseInt(parts[1], 10, 64)
	seq, err2 := strconv.ParseInt(parts[2], 10, 64)
	audience, err3 := strconv.Atoi(parts[3])
	if err1 != nil || err2 != nil || err3 != nil {
		return Signed{}, false
	}
	user := notifier.User{Seq: seq, Audience: notifier.Audience(audience), Name: parts[8], Settings: notifier.Settings{
		Locale: parts[4], Theme: parts[5], KeysOff: parts[6] == "true", ToastsOff: parts[7] == "true",
	}}
	if len(parts) > fields {
		user.Roles = parts[fields:]
	}
	return Signed{User: user, ID: id, Since: time.UnixMilli(since).UTC()}, true
}
