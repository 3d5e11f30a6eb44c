package route

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxTogether = 500              // drafts in one combined call
	askWait     = 15 * time.Second // limit on combined calls, whatever contexts the callers have
)

// question is a call about few names, which is combined with others that come while one is running.
type question struct {
	drafts  []notifier.Draft
	answers []Answer
	err     error
}

// gathers reports whether the drafts are few and name their users. Roles and topics can be large,
// and no other call should have to wait for one.
func gathers(drafts []notifier.Draft) bool {
	names := 0
	for i := range drafts {
		if drafts[i].Target.Role != "" || toTopic(&drafts[i].Target) {
			return false
		}
		names += len(drafts[i].Target.Users)
	}
	return len(drafts) <= maxTogether/10 && names <= maxTogether/10
}

// ask answers drafts together with the other calls that wait.
func (r *Router) ask(ctx context.Context, drafts []notifier.Draft) ([]Answer, error) {
	q := &question{drafts: drafts}
	err := r.questions.Do(ctx, q, maxTogether, func(together []*question) {
		// The others have contexts of their own.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askWait)
		defer cancel()
		for len(together) > 0 {
			together = together[r.askSome(ctx, together):]
		}
	})
	if err != nil {
		return nil, err
	}
	return q.answers, q.err
}

// askSome answers as many of the first questions as make one call, at least one. It returns their
// number.
func (r *Router) askSome(ctx context.Context, together []*question) (n int) {
	drafts := make([]notifier.Draft, 0, len(together))
	for n < len(together) && (n == 0 || len(drafts)+len(together[n].drafts) <= maxTogether) {
		drafts = append(drafts, together[n].drafts...)
		n++
	}
	answers, err := r.askAll(ctx, drafts)
	for _, q := range together[:n] {
		if q.err = err; err == nil {
			q.answers, answers = answers[:len(q.drafts):len(q.drafts)], answers[len(q.drafts):]
		}
	}
	return n
}
