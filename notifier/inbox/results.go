package inbox

import (
	"context"
	"errors"
	"sync"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// hopeless returns err if later jobs would fail with it too, and nil if it concerns one inbox.
func hopeless(ctx context.Context, err error) error {
	if script.Away(err) || errors.Is(err, notifier.ErrUnavailable) || ctx.Err() != nil {
		return err
	}
	return nil
}

// results collects the results of the jobs of a task.
type results struct {
	mu   sync.Mutex
	sum  int
	errs []error
}

func (r *results) add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum += n
}

// fail records that these jobs are not done. An outage of Redis takes precedence over an inbox
// that fails: the caller must know that this does not count as an attempt.
func (r *results) fail(jobs []job, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range jobs {
		if was := r.errs[j.of]; was == nil || errors.Is(err, notifier.ErrUnavailable) && !errors.Is(was, notifier.ErrUnavailable) {
			r.errs[j.of] = err
		}
	}
}
