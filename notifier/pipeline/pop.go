package pipeline

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	maxPopUsers = 100_000 // whom one request may have something pop up for
	popChunk    = 5000    // of them at a time
)

// Pop has a message pop up that leaves no row, for whoever the draft is for and has not
// muted its type, and says how many they are. Redis alone knows of it: what waits is gone
// when that is lost. A request that may be repeated pops up once: of the same key the
// first answers all, and it is notifier.ErrOtherRequest for another draft. After
// notifier.ErrUnavailable some may have it: repeat it under its key. The other errors
// are those of Send. once may be nil.
func (p *Pipeline) Pop(ctx context.Context, d notifier.Draft, once *notifier.Once) (users int64, replayed bool, err error) {
	limits, now := p.limits()
	if err := d.ValidateToast(limits); err != nil {
		return 0, false, err
	}
	if p.c.Toasts == nil {
		return 0, false, fmt.Errorf("have a message pop up: %w", notifier.ErrUnavailable)
	}
	was, err := p.popBefore(ctx, once)
	if err != nil {
		return 0, false, err
	}
	if was != nil && (was.Done || now.UnixMilli() >= was.Ends) {
		return was.Users, true, nil
	}
	seqs, err := p.popUsers(ctx, d)
	if err != nil {
		return 0, false, err
	}
	pop := popped{Users: int64(len(seqs)), Ends: now.Add(d.ExpiresIn).UnixMilli(), Token: rand.Text()}
	if was, err = p.claimPop(ctx, once, pop); err != nil {
		return 0, false, err
	}
	if was != nil && was.Token != pop.Token { // else it is ours, which a client of Redis has put in twice
		pop, replayed = *was, true // who came first has not come to the end: what he began is ended
	}
	if err := p.pop(ctx, d, pop, seqs, now); err != nil {
		return 0, false, err
	}
	p.settlePop(ctx, once, pop)
	return pop.Users, replayed, nil
}

// popUsers is whom a draft pops up for.
func (p *Pipeline) popUsers(ctx context.Context, d notifier.Draft) ([]int64, error) {
	if d.Type != "" {
		p.useTypes(ctx, []notifier.Draft{d}, make([]notifier.Result, 1))
	}
	answers, err := p.c.Router.RecipientsAll(ctx, []notifier.Draft{d})
	if err == nil {
		err = answers[0].Err
	}
	if err != nil {
		return nil, fmt.Errorf("route a toast: %w", err)
	}
	if n := answers[0].To.GetCardinality(); n > maxPopUsers {
		var bad notifier.InvalidError
		bad.Add("to", notifier.CodeToastUsers, map[string]any{"Count": n, "Max": maxPopUsers})
		return nil, &bad
	}
	return after(answers[0].To, 0, 0, maxPopUsers), nil
}

func (p *Pipeline) pop(ctx context.Context, d notifier.Draft, pop popped, seqs []int64, now time.Time) error {
	content, err := notifier.EncodeContent(notifier.Content{
		Type: d.Type, Scope: d.Scope, Title: d.Title, Body: d.Body, Link: d.Link, CreatedAt: now, Reason: d.Target.Reason(),
	})
	if err != nil {
		return fmt.Errorf("encode a toast: %w", err)
	}
	for part := range slices.Chunk(seqs, popChunk) {
		raise := notifier.ToastRaise{Content: notifier.ToastContent(content), EndsAt: pop.Ends, Token: pop.Token, Seqs: part}
		if err := p.c.Toasts.RaiseAll(ctx, []notifier.ToastRaise{raise})[0]; err != nil {
			return fmt.Errorf("have a message pop up: %w", err)
		}
	}
	return nil
}
