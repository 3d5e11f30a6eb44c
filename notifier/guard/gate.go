package guard

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/internal/trouble"
)

// The errors with which commands and connections are rejected. For callers they mean that Redis is unavailable:
// script.Away reports true for them.
var (
	errClosed  = refusal("the gate to redis is closed")
	errUnknown = refusal("redis has restarted or failed over and may lack data that sql has")
	errReplica = refusal("this redis is a replica")
	errMaster  = refusal("this redis was not a master at the last successful check")
)

func refusal(text string) error { return trouble.Mark(trouble.Redis, errors.New(text)) }

// Attach puts the gate in front of all commands of a client. The client must have been created with
// OnConnect as an option, and must not have been used yet.
func (g *Guard) Attach(rdb redis.UniversalClient) {
	rdb.AddHook(gate{refusal: g.refusal, failed: g.probeSoon})
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		cluster.OnNewNode(func(node *redis.Client) {
			node.AddHook(gate{refusal: g.nodeRefusal(node.Options().Addr), failed: func() {}})
		})
	}
}

// OnConnect implements the client option with this name. It rejects connections to a Redis in an
// unknown life, and closes the gate until the life is known.
func (g *Guard) OnConnect(ctx context.Context, conn *redis.Conn) error {
	pipe := conn.Pipeline()
	asked := ask(ctx, pipe)
	_, _ = pipe.Exec(ctx) // each command has its own error
	who, err := asked.answer()
	switch {
	case err != nil:
		return err
	case who.sentinel:
		return nil // go-redis also uses these options for its connections to Sentinel
	case !who.master && g.cluster:
		return nil // replicas are queried for the masters; nodeRefusal rejects everything else
	case !who.master:
		return errReplica
	case g.knows(who.life):
		return nil
	}
	if was := g.open.Load(); g.become(Healing) && was {
		g.c.Log.WarnContext(ctx, "redis has restarted or failed over; it is not used until its data is complete", "stage", "epoch")
	}
	g.probeSoon()
	return errUnknown
}

func (g *Guard) refusal([]redis.Cmder) error {
	if g.open.Load() {
		return nil
	}
	return errClosed
}

// nodeRefusal guards one node of a cluster. Its client may still have connections from a time when
// the node was a replica or an earlier master; only a check finds its current role.
func (g *Guard) nodeRefusal(addr string) func([]redis.Cmder) error {
	return func(cmds []redis.Cmder) error {
		if masters := g.masters.Load(); masters != nil {
			if _, ok := (*masters)[addr]; ok {
				return nil
			}
		}
		for _, cmd := range cmds {
			if !harmless[cmd.Name()] {
				g.probeSoon()
				return errMaster
			}
		}
		return nil
	}
}

// harmless commands touch no key: they set up a connection, or find the location of keys.
var harmless = map[string]bool{
	"hello": true, "auth": true, "select": true, "client": true, "readonly": true, "readwrite": true,
	"ping": true, "info": true, "cluster": true, "command": true, "script": true,
}

// probeSoon makes Run check immediately.
func (g *Guard) probeSoon() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// gate is a hook that rejects commands without calling Redis.
type gate struct {
	refusal func([]redis.Cmder) error
	failed  func() // called for each command that finds Redis unavailable
}

// DialHook does not restrict dialing: OnConnect checks the connection.
func (h gate) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) { return next(ctx, network, addr) }
}

// ProcessHook guards single commands.
func (h gate) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if err := h.refusal([]redis.Cmder{cmd}); err != nil {
			cmd.SetErr(err)
			return err
		}
		return h.noted(next(ctx, cmd))
	}
}

// ProcessPipelineHook guards pipelines and transactions.
func (h gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := h.refusal(cmds)
		if err == nil {
			return h.noted(next(ctx, cmds))
		}
		for _, cmd := range cmds {
			cmd.SetErr(err)
		}
		return err
	}
}

func (h gate) noted(err error) error {
	if script.Away(err) {
		h.failed()
	}
	return err
}
