package notices

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxToastUsers = 100_000 // maximum users of one toast request
	toastChunk    = 5000    // users per call
)

// SendToast shows a toast, without an inbox row, to all users that the draft targets and who have not muted its type,
// and returns their number. Toasts are stored only in Redis: undelivered ones are gone if Redis loses its data. A
// repeatable request shows one toast: all repetitions get the result of the first request of their key, and another
// draft under the same key gets notifier.ErrOtherRequest. After notifier.ErrUnavailable some users may have the
// toast: repeat the request with the same key. Other errors are as for Send. once may be nil.
func (p *Notices) SendToast(ctx context.Context, d notifier.Draft, once *notifier.Once) (users int64, replayed bool, err error) {
	if err := p.check(ctx, &d, d.ValidateToast); err != nil {
		return 0, false, err
	}
	_, now := p.limits()
	if p.c.Toasts == nil {
		return 0, false, fmt.Errorf("raise a toast: %w", notifier.ErrUnavailable)
	}
	was, err := p.earlierToast(ctx, once)
	if err != nil {
		return 0, false, err
	}
	if was != nil && (was.Done || now.UnixMilli() >= was.Ends) {
		return was.Users, true, nil
	}
	seqs, err := p.toastUsers(ctx, d)
	if err != nil {
		return 0, false, err
	}
	rec := toastRecord{Users: int64(len(seqs)), Ends: now.Add(d.ExpiresIn).UnixMilli(), Token: rand.Text()}
	if was, err = p.claimToast(ctx, once, rec); err != nil {
		return 0, false, err
	}
	if was != nil && was.Token != rec.Token { // otherwise a retry by the Redis client found our own claim
		rec, replayed = *was, true // the first request did not finish: complete its work
	}
	if err := p.raiseToast(ctx, d, rec, seqs, now); err != nil {
		return 0, false, err
	}
	p.settleToast(ctx, once, rec)
	return rec.Users, replayed, nil
}

// toastUsers returns the users who will get the toast.
func (p *Notices) toastUsers(ctx context.Context, d notifier.Draft) ([]int64, error) {
	p.useTypes(ctx, []string{d.Type})
	answers, err := p.c.Router.RecipientsAll(ctx, []notifier.Draft{d})
	if err == nil {
		err = answers[0].Err
	}
	if err != nil {
		return nil, fmt.Errorf("route a toast: %w", err)
	}
	if n := answers[0].To.GetCardinality(); n > maxToastUsers {
		var bad notifier.InvalidError
		bad.Add("to", notifier.CodeToastUsers, map[string]any{"Count": n, "Max": maxToastUsers})
		return nil, &bad
	}
	seqs := make([]int64, 0, answers[0].To.GetCardinality())
	for _, seq := range answers[0].To.ToArray() {
		seqs = append(seqs, int64(seq))
	}
	return seqs, nil
}

func (p *Notices) raiseToast(ctx context.Context, d notifier.Draft, rec toastRecord, seqs []int64, now time.Time) error {
	content, err := notifier.EncodeContent(notifier.Content{
		Type: d.Type, Scope: d.Scope, Title: d.Title, Body: d.Body, Link: d.Link, CreatedAt: now, Reason: d.Target.Reason(), App: d.App.Name, Extras: d.Extras,
	})
	if err != nil {
		return fmt.Errorf("encode a toast: %w", err)
	}
	for part := range slices.Chunk(seqs, toastChunk) {
		raise := notifier.ToastRaise{Content: notifier.ToastContent(content), EndsAt: rec.Ends, Token: rec.Token, Seqs: part}
		if err := p.c.Toasts.RaiseAll(ctx, []notifier.ToastRaise{raise})[0]; err != nil {
			return fmt.Errorf("raise a toast: %w", err)
		}
	}
	return nil
}
