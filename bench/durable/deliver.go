package durable

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

// channel carries the messages of all users as `SEQ VER UNREAD LF ENTRY`.
const (
	channel  = "durable"
	everyone = "*"
)

// script puts an entry into an inbox of at most 200, counts it and publishes it. It ignores an entry that exists.
//
//	KEYS: the list of the inbox, its entries, its state; ARGV: id, entry, seq
const script = `
if redis.call('HEXISTS', KEYS[2], ARGV[1] .. ':has_read:0') == 1 or redis.call('HEXISTS', KEYS[2], ARGV[1] .. ':has_read:1') == 1 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1] .. ':has_read:0', ARGV[2])
if redis.call('LPUSH', KEYS[1], ARGV[1] .. ':has_read:0') > 200 then
  local last = redis.call('RPOP', KEYS[1])
  redis.call('HDEL', KEYS[2], last)
  if last:sub(-1) == '0' then redis.call('HINCRBY', KEYS[3], 'unread', -1) end
end
local ver = redis.call('HINCRBY', KEYS[3], 'ver', 1)
local unread = redis.call('HINCRBY', KEYS[3], 'unread', 1)
redis.call('PUBLISH', '` + channel + `', ARGV[3] .. ' ' .. ver .. ' ' .. unread .. '\n' .. ARGV[2])
return 1`

const (
	pipeline  = 256 // scripts in one
	pipelines = 2   // at a time, of a notice to a role
)

// delivers puts notices into inboxes in the order of their ids, first the notices left by the last run.
func (s *server) delivers(ctx context.Context, rest []*notice) error {
	for batch := range slices.Chunk(rest, pipeline) {
		if err := s.deliverAll(ctx, batch); err != nil {
			return err
		}
	}
	for {
		batch := gather(ctx, s.deliver, pipeline)
		if batch == nil {
			return ctx.Err()
		}
		if err := s.deliverAll(ctx, batch); err != nil {
			return err
		}
	}
}

func (s *server) deliverAll(ctx context.Context, batch []*notice) error {
	pipe := s.rdb.Pipeline()
	for _, n := range batch {
		if n.Target.Role != "" {
			continue
		}
		text, err := n.entry()
		if err != nil {
			return err
		}
		s.add(ctx, pipe, n.id, n.seq, text)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("deliver; the next start does so again: %w", err)
	}
	for _, n := range batch {
		if n.Target.Role == "" {
			continue
		}
		if err := s.deliverToRole(ctx, n); err != nil {
			return err
		}
	}
	s.db.delivered.Store(batch[len(batch)-1].id)
	return nil
}

func (s *server) deliverToRole(ctx context.Context, n *notice) error {
	seqs, err := s.db.members(ctx, n.Target.Role)
	if err != nil {
		return err
	}
	text, err := n.entry()
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(pipelines)
	for chunk := range slices.Chunk(seqs, pipeline) {
		g.Go(func() error {
			pipe := s.rdb.Pipeline()
			for _, seq := range chunk {
				s.add(ctx, pipe, n.id, seq, text)
			}
			_, err := pipe.Exec(ctx)
			return err
		})
	}
	return g.Wait()
}

func (s *server) add(ctx context.Context, pipe redis.Pipeliner, id, seq int64, text string) {
	user := strconv.FormatInt(seq, 10)
	s.publish.EvalSha(ctx, pipe, []string{"list:" + user, "entries:" + user, stateKey(seq)}, id, text, user)
}

func stateKey(seq int64) string { return "state:" + strconv.FormatInt(seq, 10) }
