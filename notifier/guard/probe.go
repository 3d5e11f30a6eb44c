package guard

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// patience is how long a check waits for Redis to respond.
const patience = time.Second

// masterView is the result of checking one master. All of it was read over one connection, so that it
// belongs to one life.
type masterView struct {
	place
	life string
	// offset is how far its clock is ahead of the local clock.
	offset time.Duration
	marks  map[int]int64 // by partition; a partition that is moving to another master is missing
}

// view is the result of checking all masters.
type view []masterView

// probe reads the identity of every master and the marks of its partitions.
func (g *Guard) probe(ctx context.Context) (view, error) {
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
			seen[i], err = g.probeMaster(ctx, at)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return seen, g.compareClocks(seen)
}

func (g *Guard) probeMaster(ctx context.Context, at place) (s masterView, err error) {
	conn := at.client.Conn() // one connection: if it breaks, the check fails
	defer func() { _ = conn.Close() }()
	pipe := conn.Pipeline()
	ping, asked, clock := pipe.Ping(ctx), ask(ctx, pipe), pipe.Time(ctx)
	marks := make([]*redis.StringCmd, len(at.partitions))
	for i, p := range at.partitions {
		marks[i] = pipe.Get(ctx, g.c.Keys.Flushed(p))
	}
	before := g.c.Wall()
	_, _ = pipe.Exec(ctx) // each command has its own error
	after := g.c.Wall()
	who, err := asked.answer()
	for _, err := range []error{ping.Err(), err, clock.Err()} { // the first error has the cause
		if err != nil {
			return s, unavailable("check redis", err)
		}
	}
	if !who.master {
		g.reload(ctx)
		return s, unavailable("check redis", errReplica)
	}
	s = masterView{
		place: at, life: who.life, marks: make(map[int]int64, len(marks)), offset: offsetOf(clock.Val(), before, after),
	}
	for i, cmd := range marks {
		switch err := cmd.Err(); {
		case err == nil:
			s.marks[at.partitions[i]] = parseMark(cmd.Val())
		case errors.Is(err, redis.Nil) || redis.HasErrorPrefix(err, "WRONGTYPE"):
			s.marks[at.partitions[i]] = lost
		case redis.HasErrorPrefix(err, "ASK"):
		default:
			g.reload(ctx) // MOVED: the client's map of the cluster is out of date
			return s, unavailable("read the marks", err)
		}
	}
	if g.knows(s.life) && s.offset.Abs() <= maxOffset { // otherwise a wrong clock would set the marks
		g.keepMarks(ctx, conn, s)
	}
	return s, nil
}

// These marks are not times.
const (
	lost  = -1 // missing: Redis has lost all data, or never had any
	begun = 0  // the partition is being healed, and its counts are restored
)

func parseMark(text string) int64 {
	mark, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	if err != nil || mark < 0 {
		return lost
	}
	return mark
}

// sick contains the partitions that may lack data, with their marks, and the lives that SQL does not
// list.
type sick struct {
	marks  map[int]int64
	lives  []string
	moving bool // a partition of such a life is moving, so its mark is unknown
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

// unavailable wraps err as a notifier.ErrUnavailable, so that callers do not retry immediately.
func unavailable(doing string, err error) error {
	return fmt.Errorf("%s: %w: %w", doing, notifier.ErrUnavailable, err)
}

// identity describes the server of a connection.
type identity struct {
	// life identifies an uninterrupted life as a master: the process (run_id) and its replication
	// history as a master (master_replid), which changes when the process was a replica in the
	// meantime. Empty: the server does not report it, such as miniredis, which has only one life per
	// process.
	life     string
	master   bool
	sentinel bool // contains no data, but the address of the master
}

// question holds the identity commands that were queued on a pipeline.
type question struct{ server, replication *redis.StringCmd }

func ask(ctx context.Context, p redis.Pipeliner) question {
	return question{p.Info(ctx, "server"), p.Info(ctx, "replication")}
}

// answer returns the identity. Call it after the pipeline has been executed.
func (q question) answer() (identity, error) {
	who := identity{master: true}
	process, history := "", ""
	for _, cmd := range []*redis.StringCmd{q.server, q.replication} {
		var answer redis.Error
		if err := cmd.Err(); err != nil && !redis.HasErrorPrefix(err, "NOPERM") && (script.Away(err) || !errors.As(err, &answer)) {
			return who, fmt.Errorf("ask redis for its identity: %w", err)
		}
		for line := range strings.Lines(cmd.Val()) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch name {
			case "run_id":
				process = value
			case "master_replid":
				history = value
			case "role":
				who.master = value == "master"
			case "redis_mode":
				who.sentinel = value == "sentinel"
			}
		}
	}
	if process != "" || history != "" {
		who.life = process + ":" + history
	}
	return who, nil
}
