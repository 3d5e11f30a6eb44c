package inbox

import (
	"context"
	"errors"
	"sync"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// hopeless is an error that whatever comes next would meet too: nil for one that
// is of one inbox.
func hopeless(ctx context.Context, err error) error {
	if script.Away(err) || errors.Is(err, notifier.ErrUnavailable) || ctx.Err() != nil {
		return err
	}
	return nil
}

// results gather what the jobs of a task came to.
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

// fail notes that these are not done. That Redis is away outweighs that an inbox
// refuses: whoever tries again shall know that it was no try.
func (r *results) fail(jobs []job, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range jobs {
		if was := r.errs[j.of]; was == nil || errors.Is(err, notifier.ErrUnavailable) && !errors.Is(was, notifier.ErrUnavailable) {
			r.errs[j.of] = err
		}
	}
}
