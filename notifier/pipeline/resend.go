package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier/intake"
)

// resendChunk is how many notices are sent again in one go.
const resendChunk = 200

// Resend sends again what was accepted or changed at or after since, for a Redis
// that came back empty or old: whoever has it stays as he is. It returns when that
// is on its way, as one entry of the intake, which passes itself on; the intake
// does the work at its own pace, and goes on with it when this instance dies.
// It may be called while only Config.Raw may be used.
func (p *Pipeline) Resend(ctx context.Context, since time.Time) error {
	raw := intake.New(intake.Config{Redis: p.c.Raw, Keys: p.c.Keys, Handler: handler{p}, Log: p.c.Log})
	if err := raw.Put(ctx, intake.Entry{To: max(since.UnixMilli(), 1), Again: true}); err != nil {
		return fmt.Errorf("send again what came since %s: %w", since.Format(time.RFC3339), err)
	}
	return nil
}

// resend answers the next notices that are to be sent again, whole where they are
// small, and the entry behind them. In e, From is the last notice that was, and To
// since when, in ms.
func (p *Pipeline) resend(ctx context.Context, e intake.Entry) ([]intake.Entry, error) {
	ids, err := p.c.Store.Since(ctx, time.UnixMilli(e.To), e.From, resendChunk)
	if err != nil {
		return nil, fmt.Errorf("find what to send again: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	entries, err := p.entries(ctx, ids, true)
	if err != nil {
		return nil, err
	}
	next := again(e)
	next.From = ids[len(ids)-1]
	return append(entries, next), nil
}

// OnItsWay answers when the oldest notice was accepted that is not in its inboxes
// yet. While something is sent again nobody knows of when it is: then it is the zero
// time. some is false when nothing is on its way.
func (p *Pipeline) OnItsWay(ctx context.Context) (oldest time.Time, some bool, err error) {
	again, err := p.intake.Resending(ctx)
	if err != nil || again {
		return time.Time{}, again, err
	}
	unfinished, err := p.c.Store.Unfinished(ctx, 0, 1)
	if err != nil || len(unfinished) == 0 {
		return time.Time{}, false, err
	}
	return unfinished[0].CreatedAt, true, nil
}
