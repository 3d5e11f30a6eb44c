package pipeline

import (
	"context"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// toastTries is how often a notice is tried again because its toast is refused, and
// how often a toast waits because its notice is: after that neither waits for the other.
const toastTries = 3

// Toasts has messages pop up on one device of each of their users. What is repeated
// pops up once.
type Toasts interface {
	// RaiseAll answers one error for each, in order.
	RaiseAll(ctx context.Context, all []notifier.ToastRaise) []error
}

// raise has those of some deliveries pop up that ask for it and are done. errs is what
// became of each; raise adds its own faults to them, so that a toast is tried again with
// its notice, which changes nothing in inboxes. tries is how often that was so. What is
// sent again because Redis lost something pops up no more.
func (p *Pipeline) raise(ctx context.Context, all []notifier.Delivery, errs []error, tries func(i int) int64) []error {
	var raises []notifier.ToastRaise
	var of []int // the deliveries of these
	for i := range all {
		d := &all[i]
		if !d.Toast || d.Again || p.c.Toasts == nil {
			continue
		}
		if errs[i] == nil || tries(i) >= toastTries && !errors.Is(errs[i], notifier.ErrUnavailable) {
			of = append(of, i)
			raises = append(raises, notifier.ToastRaise{NoticeID: d.NoticeID, Key: d.Key, Content: notifier.ToastContent(d.Content), EndsAt: d.Expires, Seqs: d.Seqs})
		}
	}
	if len(raises) == 0 {
		return errs
	}
	for k, err := range p.c.Toasts.RaiseAll(ctx, raises) {
		i := of[k]
		switch {
		case err == nil:
		case tries(i) >= toastTries && !errors.Is(err, notifier.ErrUnavailable) && ctx.Err() == nil:
			p.c.Log.ErrorContext(ctx, "notice does not pop up", "stage", "toast", "notice_id", all[i].NoticeID, "err", err)
		default:
			errs[i] = errors.Join(errs[i], err)
		}
	}
	return errs
}
