package epoch

import (
	"context"
	"fmt"
	"time"
)

// rounds is how often one round looks: after healing, to see that it is healed.
const rounds = 3

// settle opens the gate when all is well; else it heals, and looks again. No error and
// a closed gate: another instance heals.
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
				ctx, "redis may lack what sql has; nothing is asked of it until that is back",
				"stage", "epoch", "partitions", len(lacking.marks), "lives", len(lacking.lives),
			)
		}
		if err := g.heal(ctx, seen, lacking); err != nil {
			return err
		}
	}
	return nil
}

// watch looks. Redis is away once it has not answered for a second.
func (g *Guard) watch(ctx context.Context) (view, error) {
	began := g.c.Now()
	seen, err := g.look(ctx)
	if err == nil {
		g.bad = time.Time{}
		return seen, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if g.bad.IsZero() {
		g.bad = began
	}
	if g.c.Now().Sub(g.bad) >= patience && g.become(Away) {
		g.c.Log.WarnContext(ctx, "redis is away", "stage", "epoch", "err", err)
	}
	return nil, err
}

// recall asks SQL which lives are known: another instance may have healed them.
func (g *Guard) recall(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, stepWait)
	defer cancel()
	lives, err := g.c.Store.KnownRuns(ctx)
	if err != nil {
		return fmt.Errorf("ask which lives of redis are known: %w", err)
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
			g.c.Log.WarnContext(ctx, "this redis does not say who it is; only a loss of everything will be noticed", "stage", "epoch")
		}
	}
	again := g.masters.Swap(&masters) != nil // the first time is as it should be
	if g.become(Open) && again {
		g.c.Log.InfoContext(ctx, "redis may be used", "stage", "epoch")
	}
}
