package guard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/internal/trouble"
)

// rounds is the maximum number of checks in one round: each healing is verified by another check.
const rounds = 3

// settle opens the gate if all data is complete; otherwise it heals and checks again. If it returns nil
// with the gate closed, another instance is healing.
func (g *Guard) settle(ctx context.Context) error {
	for range rounds {
		seen, err := g.watch(ctx)
		if err != nil {
			return err
		}
		lacking := seen.sick(g.knows)
		if len(lacking.lives) > 0 {
			if err := g.recall(ctx); err != nil {
				g.become(Healing)
				return err
			}
			lacking = seen.sick(g.knows)
		}
		if lacking.none() {
			g.letIn(ctx, seen)
			return nil
		}
		if was := g.open.Load(); g.become(Healing) && was {
			g.c.Log.WarnContext(
				ctx, "redis may lack data that sql has; it is not used until that is restored",
				"stage", "epoch", "partitions", len(lacking.marks), "lives", len(lacking.lives),
			)
		}
		if err := g.heal(ctx, seen, lacking); err != nil {
			g.setUnwell(err)
			return err
		}
	}
	return nil
}

// watch checks Redis, which counts as away after a second without a response.
func (g *Guard) watch(ctx context.Context) (view, error) {
	began := g.c.Now()
	seen, err := g.probe(ctx)
	if err == nil {
		g.bad = time.Time{}
		g.setFault(nil)
		return seen, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if before := trouble.OfRedis(g.Fault()); g.bad.IsZero() || before == (trouble.Trouble{}) || before.Vague() || !trouble.OfRedis(err).Vague() {
		g.setFault(err)
	} // possibly the same cause, in less detail
	if g.bad.IsZero() {
		g.bad = began
	}
	if g.refuseClock(err) {
		g.c.Log.ErrorContext(ctx, "clocks differ too much; redis is not used", "stage", "epoch", "err", err)
	}
	if g.c.Now().Sub(g.bad) >= patience {
		g.become(Away)
	}
	if g.State() == Away && !errors.Is(err, ErrClock) {
		g.logCause(ctx, err)
	}
	return nil, err
}

// logCause logs why Redis is away, once per cause.
func (g *Guard) logCause(ctx context.Context, err error) {
	why := trouble.OfRedis(err)
	found := cmp.Or(why.Found, "unknown")
	if g.logged[found] || len(g.logged) > 0 && why.Vague() { // possibly the same cause, in less detail
		return
	}
	g.logged[found] = true
	g.c.Log.WarnContext(ctx, "redis is unavailable", "stage", "epoch", "err", err, "cause", why.Found, "cure", why.Cure)
}

// recall reads the known lives from SQL: another instance may have healed them.
func (g *Guard) recall(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	lives, err := g.c.Store.KnownRuns(ctx)
	if err != nil {
		return fmt.Errorf("read the known lives of redis: %w", err)
	}
	g.learn(lives...)
	return nil
}

// letIn opens the gate.
func (g *Guard) letIn(ctx context.Context, seen view) {
	masters := make(map[string]struct{}, len(seen))
	for _, s := range seen {
		masters[s.client.Options().Addr] = struct{}{}
		if s.life == "" && !g.vague {
			g.vague = true
			g.c.Log.WarnContext(ctx, "this redis does not report its identity; only the loss of all data can be detected", "stage", "epoch",
				"cure", "let its user run INFO (+info); some managed services have none")
		}
	}
	again := g.masters.Swap(&masters) != nil // no message at the first start
	clear(g.logged)
	g.setUnwell(nil)
	if g.become(Open) && again {
		g.c.Log.InfoContext(ctx, "redis is in use again", "stage", "epoch")
	}
}
