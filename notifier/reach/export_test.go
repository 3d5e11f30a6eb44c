package reach

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Round does one round of a way.
func (s *Stage) Round(ctx context.Context, kind notifier.ReachKind) error {
	for _, w := range s.ways {
		if w.Kind == kind {
			return w.round(ctx)
		}
	}
	return nil
}
