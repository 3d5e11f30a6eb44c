package instance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/guard"
)

const (
	watchEvery = time.Second
	watchWait  = 2 * time.Second
)

// readiness determines how well this instance serves its users, from calls like theirs. It is the only place that does: /readyz
// reports the result, and each change is logged.
type readiness struct {
	i       *instance
	refused *refusals
	served  *served

	mu   sync.Mutex
	told map[string]bool // the causes that were logged, until they are gone
}

func newReadiness(i *instance) *readiness {
	return &readiness{i: i, refused: newRefusals(), served: &served{}, told: map[string]bool{}}
}

// Ready calls SQL and Redis, and adds the failures of users' calls and of background work.
func (r *readiness) Ready(ctx context.Context) notifier.Readiness {
	if r.i.stopping.Load() {
		return notifier.Readiness{Down: true, Causes: []string{"this instance is stopping: others serve its users"}}
	}
	var now notifier.Readiness
	if err := r.i.db.Ping(ctx); err != nil {
		now.Down = true
		now.Causes = append(now.Causes, sqlSentence(err))
	}
	if cause := r.redis(ctx); cause != "" {
		now.Causes = append(now.Causes, cause)
	} else {
		for _, one := range r.refused.lately(time.Now()) {
			now.Causes = append(now.Causes, sentence("redis", one.why, ""))
		}
		if err := r.i.hub.Unsubscribed(); err != nil {
			now.Causes = append(now.Causes, "live: no subscription stands, so bells do not change by themselves: "+sentence("redis", trouble.OfRedis(err), "see the log"))
		}
	}
	if all, failed := r.served.lately(time.Now()); len(now.Causes) == 0 && failed >= fewFailed && failed*10 >= all {
		now.Causes = append(now.Causes, fmt.Sprintf("requests: %d of %d failed in the last minute: the log has a line for each", failed, all))
	}
	return now
}

// Redis returns an error if pages are read-only.
func (r *readiness) Redis(ctx context.Context) error { return r.i.rdb.Ping(ctx).Err() }

// redis returns why pages are read-only; empty: they are not.
func (r *readiness) redis(ctx context.Context) string {
	err := r.Redis(ctx)
	if err == nil {
		return ""
	}
	fault := r.i.guard.Fault()
	healing := r.i.guard.State() == guard.Healing
	switch {
	case r.i.guard.Clock() != nil:
		return "redis: its clock and that of this machine differ: synchronise both by NTP"
	case healing && fault == nil:
		return "redis: it may lack data that SQL has: Carillon is restoring it"
	case healing:
		return sentence("redis", trouble.OfRedis(fault), "it may lack data that SQL has, and restoring it has failed: see the log")
	case fault != nil:
		err = fault
	}
	return sentence("redis", trouble.OfRedis(err), "it does not answer: see the log")
}

// sqlSentence explains why pages do not work. A schema that does not fit this program has its own cure.
func sqlSentence(err error) string {
	if unfit := (*notifier.UnfitError)(nil); errors.As(err, &unfit) {
		return "sql: " + unfit.Error()
	}
	return sentence("sql", trouble.OfSQL(err), "it does not answer: see the log")
}

// sentence describes what is wrong with a part, without names, addresses and secrets.
func sentence(part string, t trouble.Trouble, otherwise string) string {
	if t == (trouble.Trouble{}) {
		return part + ": " + otherwise
	}
	return part + ": " + t.String()
}

// run logs each cause once when it begins, and when it is gone. The guard does so for Redis as a whole.
func (r *readiness) run(ctx context.Context) error {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		r.watch(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (r *readiness) watch(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, watchWait)
	defer cancel()
	err := r.i.db.Ping(ctx)
	if errors.Is(ctx.Err(), context.Canceled) { // the instance stops
		return
	}
	r.tell(ctx, "sql", err, trouble.OfSQL(err))
	if r.i.guard.State() != guard.Open {
		return // the guard has said why
	}
	err = r.i.hub.Unsubscribed()
	r.tell(ctx, "live", err, trouble.OfRedis(err))
	for _, one := range r.refused.lately(time.Now()) {
		if one.why.Kind == trouble.Rights { // the parts report by themselves that it refuses changes
			r.tell(ctx, "redis", one.err, one.why)
		}
	}
}

// tell logs a new cause, and that a part has no causes any more.
func (r *readiness) tell(ctx context.Context, part string, err error, why trouble.Trouble) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		if r.told[part] {
			for cause := range r.told {
				if cause == part || strings.HasPrefix(cause, part+" ") {
					delete(r.told, cause)
				}
			}
			r.i.base.InfoContext(ctx, "ready again", "stage", part)
		}
		return
	}
	cause := part + " " + cmp.Or(why.Found, "unknown")
	if r.told[cause] {
		return
	}
	r.told[part], r.told[cause] = true, true
	r.i.base.WarnContext(ctx, "not ready", "stage", part, "err", err, "cause", why.Found, "cure", why.Cure)
}
