package delivery

import (
	"context"
	"errors"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// toastTries limits how often a notice is retried because its toast fails, and how often a toast
// waits for its notice. After that, each continues without the other.
const toastTries = 3

// Toasts shows a message on one device of each user. A repeated toast is shown once.
type Toasts interface {
	// RaiseAll returns one error per raise, in order.
	RaiseAll(ctx context.Context, all []notifier.ToastRaise) []error
}

// raise raises the toasts of successful deliveries that have one. errs contains the result of each
// delivery; raise adds its own errors, so that a failed toast is retried with its notice, which
// changes nothing in inboxes. tries returns the number of attempts of a delivery. A notice that is
// redelivered after Redis lost data raises no toast.
func (w *Worker) raise(ctx context.Context, all []notifier.Delivery, errs []error, tries func(i int) int64) []error {
	var raises []notifier.ToastRaise
	var of []int // index of each raise in all
	for i := range all {
		d := &all[i]
		if !d.Toast || d.Again || w.c.Toasts == nil {
			continue
		}
		if errs[i] == nil || tries(i) >= toastTries && !errors.Is(errs[i], notifier.ErrUnavailable) {
			for _, raise := range w.raisesOf(ctx, d) {
				of, raises = append(of, i), append(raises, raise)
			}
		}
	}
	if len(raises) == 0 {
		return errs
	}
	for k, err := range w.c.Toasts.RaiseAll(ctx, raises) {
		i := of[k]
		switch {
		case err == nil:
		case tries(i) >= toastTries && !errors.Is(err, notifier.ErrUnavailable) && ctx.Err() == nil:
			w.c.Log.ErrorContext(ctx, "toast not raised", "stage", "toast", "notice_id", all[i].NoticeID, "err", err)
		default:
			errs[i] = errors.Join(errs[i], err)
		}
	}
	return errs
}

// raisesOf returns the toasts of a delivery: one for each title that the rows of its recipients show.
func (w *Worker) raisesOf(ctx context.Context, d *notifier.Delivery) []notifier.ToastRaise {
	own := notifier.ToastRaise{NoticeID: d.NoticeID, Key: d.Key, Content: notifier.ToastContent(d.Content), EndsAt: d.Expires, Seqs: d.Seqs}
	if d.Group == nil || !d.Group.Joins {
		return []notifier.ToastRaise{own}
	}
	titles, err := w.c.Inbox.Titles(ctx, d.NoticeID, d.Key, d.Seqs)
	if err != nil {
		w.c.Log.DebugContext(ctx, "the titles of rows could not be read; their toasts have the title of the notice", "stage", "toast", "notice_id", d.NoticeID, "err", err)
	}
	var raises []notifier.ToastRaise
	shared := map[int64]bool{}
	for title, seqs := range titles {
		raise := own
		raise.Content, raise.Seqs = notifier.ToastContent(notifier.WithTitle(d.Content, title)), seqs
		raises = append(raises, raise)
		for _, seq := range seqs {
			shared[seq] = true
		}
	}
	own.Seqs = slices.DeleteFunc(slices.Clone(d.Seqs), func(seq int64) bool { return shared[seq] })
	if len(own.Seqs) > 0 {
		raises = append(raises, own)
	}
	return raises
}
