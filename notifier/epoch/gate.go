package epoch

import (
	"context"
	"errors"
	"net"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

// What commands and connections are refused with. To everybody they mean that Redis
// is away: script.Away is true of them.
var (
	errClosed  = errors.New("the gate to redis is closed")
	errUnknown = errors.New("this life of redis is not known to have what sql has")
	errReplica = errors.New("this redis is a replica")
	errMaster  = errors.New("this redis was no master when all was well last")
)

// Attach puts the gate before all commands of a client. The client must have been
// made with OnConnect as an option, and must not have been used.
func (g *Guard) Attach(rdb redis.UniversalClient) {
	rdb.AddHook(gate{refusal: g.refusal, failed: g.lookSoon})
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		cluster.OnNewNode(func(node *redis.Client) {
			node.AddHook(gate{refusal: g.nodeRefusal(node.Options().Addr), failed: func() {}})
		})
	}
}

// OnConnect is a client's option of that name: no connection is made to a Redis whose
// life is not known, and the gate closes until it is.
func (g *Guard) OnConnect(ctx context.Context, conn *redis.Conn) error {
	pipe := conn.Pipeline()
	asked := ask(ctx, pipe)
	_, _ = pipe.Exec(ctx) // each command holds its own error
	who, err := asked.answer()
	switch {
	case err != nil:
		return err
	case who.sentinel:
		return nil // go-redis gives these options to its connections to Sentinel, too
	case !who.master && g.cluster:
		return nil // it is asked where the masters are; nodeRefusal refuses the rest
	case !who.master:
		return errReplica
	case g.knows(who.life):
		return nil
	}
	if was := g.open.Load(); g.become(Healing) && was {
		g.c.Log.WarnContext(ctx, "a redis has begun a new life; nothing is asked of it until it has what sql has", "stage", "epoch")
	}
	g.lookSoon()
	return errUnknown
}

func (g *Guard) refusal([]redis.Cmder) error {
	if g.open.Load() {
		return nil
	}
	return errClosed
}

// nodeRefusal guards one node of a cluster. Its client may hold connections from when
// the node was a replica, or a master before that: only a look says what it is now.
func (g *Guard) nodeRefusal(addr string) func([]redis.Cmder) error {
	return func(cmds []redis.Cmder) error {
		if masters := g.masters.Load(); masters != nil {
			if _, ok := (*masters)[addr]; ok {
				return nil
			}
		}
		for _, cmd := range cmds {
			if !harmless[cmd.Name()] {
				g.lookSoon()
				return errMaster
			}
		}
		return nil
	}
}

// harmless commands touch no key: they begin a connection, or ask where keys are.
var harmless = map[string]bool{
	"hello": true, "auth": true, "select": true, "client": true, "readonly": true, "readwrite": true,
	"ping": true, "info": true, "cluster": true, "command": true, "script": true,
}

// lookSoon has Run look at once.
func (g *Guard) lookSoon() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// gate is a hook that refuses commands without asking Redis.
type gate struct {
	refusal func([]redis.Cmder) error
	failed  func() // hears of each command that finds Redis away
}

// DialHook lets every connection be tried: OnConnect judges it.
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
