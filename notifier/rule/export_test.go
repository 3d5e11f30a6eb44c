package rule

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Perform runs a rule at once, as Run does.
func (r *Runner) Perform(ctx context.Context, name string) error {
	return r.perform(ctx, notifier.Actor{}, r.c.Rules.named(name))
}

// Ask runs a rule's query and returns its rows.
func (s *Set) Ask(ctx context.Context, name string) ([]map[string]any, error) {
	answer, err := s.named(name).runQuery(ctx)
	if err != nil {
		return nil, err
	}
	return answer.rows, nil
}

// NextRun returns when a rule is due after t.
func (s *Set) NextRun(name string, t time.Time) time.Time { return s.named(name).schedule.Next(t) }

// Missed reports whether a rule with this last run was due since then.
func (s *Set) Missed(name string, last, now time.Time) bool {
	return s.named(name).schedule.missed(last, now)
}
