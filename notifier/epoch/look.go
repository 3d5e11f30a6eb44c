package epoch

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/notifier"
)

// patience is how long Redis may leave a look without an answer.
const patience = time.Second

// sight is what one look saw of a place: all of it over one connection, so that it is
// all from one life.
type sight struct {
	place
	life  string
	marks map[int]int64 // by partition; one that is just moving to another master has none here
}

// view is what one look saw of all masters.
type view []sight

// look asks every master who it is, and for the marks of its partitions.
func (g *Guard) look(ctx context.Context) (view, error) {
	places, err := g.places(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	seen := make(view, len(places))
	group, ctx := errgroup.WithContext(ctx)
	for i, at := range places {
		group.Go(func() (err error) {
			seen[i], err = g.lookAt(ctx, at)
			return err
		})
	}
	return seen, group.Wait()
}

func (g *Guard) lookAt(ctx context.Context, at place) (s sight, err error) {
	conn := at.client.Conn() // one connection: when it breaks, so does the look
	defer func() { _ = conn.Close() }()
	pipe := conn.Pipeline()
	ping, asked := pipe.Ping(ctx), ask(ctx, pipe)
	marks := make([]*redis.StringCmd, len(at.partitions))
	for i, p := range at.partitions {
		marks[i] = pipe.Get(ctx, g.c.Keys.Flushed(p))
	}
	_, _ = pipe.Exec(ctx) // each command holds its own error
	who, err := asked.answer()
	if err = errors.Join(ping.Err(), err); err != nil {
		return s, unavailable("look at redis", err)
	}
	if !who.master {
		g.reload(ctx)
		return s, unavailable("look at redis", errReplica)
	}
	s = sight{at, who.life, make(map[int]int64, len(marks))}
	for i, cmd := range marks {
		switch err := cmd.Err(); {
		case err == nil:
			s.marks[at.partitions[i]] = parseMark(cmd.Val())
		case errors.Is(err, redis.Nil) || redis.HasErrorPrefix(err, "WRONGTYPE"):
			s.marks[at.partitions[i]] = lost
		case redis.HasErrorPrefix(err, "ASK"):
		default:
			g.reload(ctx) // MOVED: what the client knows of the cluster is out of date
			return s, unavailable("read the marks", err)
		}
	}
	if g.knows(s.life) {
		g.keepMarks(ctx, conn, s)
	}
	return s, nil
}

// What a mark is when it is no version.
const (
	lost  = -1 // it is not there: Redis has lost everything, or never had anything
	begun = 0  // the partition is being healed, and has its counts again
)

func parseMark(text string) int64 {
	mark, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || mark < 0 {
		return lost
	}
	return mark
}

// sick are the partitions that may lack something, by their marks, and the lives that
// SQL does not list.
type sick struct {
	marks  map[int]int64
	lives  []string
	moving bool // a partition of such a life is just moving, and cannot be told
}

func (s *sick) none() bool { return len(s.marks) == 0 && len(s.lives) == 0 }

func (v view) sick(knows func(life string) bool) sick {
	all := sick{marks: map[int]int64{}}
	for _, s := range v {
		known := knows(s.life)
		if !known {
			all.lives = append(all.lives, s.life)
			all.moving = all.moving || len(s.marks) < len(s.partitions)
		}
		for p, mark := range s.marks {
			if !known || mark <= begun {
				all.marks[p] = mark
			}
		}
	}
	return all
}

// unavailable says that whoever waits for Redis need not ask again now.
func unavailable(doing string, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, notifier.ErrUnavailable, err)
}
