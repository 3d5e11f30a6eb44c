package delivery

import (
	"context"
	"fmt"
	"time"
)

// resendChunk is how many notices one entry sends again.
const resendChunk = 200

// Resend delivers again all notices accepted or changed at or after since, because Redis came back
// empty or outdated. Recipients who still have a notice see no change. It returns once the work is
// queued as a single intake entry, which replaces itself with its successor; the intake works
// through it at its own pace, on another instance if this one dies. It uses only Config.Raw.
func (w *Worker) Resend(ctx context.Context, since time.Time) error {
	raw := NewIntake(IntakeConfig{Redis: w.c.Raw, Keys: w.c.Keys, Handler: handler{w}, Log: w.c.Log})
	if err := raw.Put(ctx, Entry{Kind: Resend, Since: max(since.UnixMilli(), 1)}); err != nil {
		return fmt.Errorf("resend the notices since %s: %w", since.Format(time.RFC3339), err)
	}
	return nil
}

// resend returns entries for the next notices to be sent again, complete where they are small,
// followed by the next Resend.
func (w *Worker) resend(ctx context.Context, e Entry) ([]Entry, error) {
	ids, err := w.c.Store.Since(ctx, time.UnixMilli(e.Since), e.After, resendChunk)
	if err != nil {
		return nil, fmt.Errorf("find notices to resend: %w", err)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	entries, err := w.entries(ctx, ids, true)
	if err != nil {
		return nil, err
	}
	next := e.Anew()
	next.After = ids[len(ids)-1]
	return append(entries, next), nil
}

// OnItsWay returns when the oldest notice was accepted that is not yet in its inboxes. During a
// resend that time is unknown, and it returns the zero time. some is false when no notice is on its
// way.
func (w *Worker) OnItsWay(ctx context.Context) (oldest time.Time, some bool, err error) {
	again, err := w.intake.Resending(ctx)
	if err != nil || again {
		return time.Time{}, again, err
	}
	unfinished, err := w.c.Store.Unfinished(ctx, 0, 1)
	if err != nil || len(unfinished) == 0 {
		return time.Time{}, false, err
	}
	return unfinished[0].CreatedAt, true, nil
}
