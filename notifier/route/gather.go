package route

import (
	"context"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxTogether = 500              // drafts in one combined call
	askWait     = 15 * time.Second // limit on a combined call
)

// question is a call with few names, which is combined with others that arrive while one is running.
type question struct {
	drafts  []notifier.Draft
	answers []Answer
	err     error
}

// gathers reports whether there are few drafts and they name their users. Roles and topics can be
// large, and other calls should not wait for them.
func gathers(drafts []notifier.Draft) bool {
	names := 0
	for i := range drafts {
		if len(drafts[i].Target.RoleNames()) > 0 || toTopic(&drafts[i].Target) {
			return false
		}
		names += len(drafts[i].Target.Users)
	}
	return len(drafts) <= maxTogether/10 && names <= maxTogether/10
}

// ask resolves drafts together with other waiting calls.
func (r *Router) ask(ctx context.Context, drafts []notifier.Draft) ([]Answer, error) {
	q := &question{drafts: drafts}
	if err := r.questions.Do(ctx, q); err != nil {
		return nil, err
	}
	return q.answers, q.err
}

// askTogether resolves several questions in one call.
func (r *Router) askTogether(ctx context.Context, together []*question) {
	var drafts []notifier.Draft
	for _, q := range together {
		drafts = append(drafts, q.drafts...)
	}
	answers, err := r.askAll(ctx, drafts)
	for _, q := range together {
		if q.err = err; err == nil {
			q.answers, answers = answers[:len(q.drafts):len(q.drafts)], answers[len(q.drafts):]
		}
	}
}
