package delivery

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	relayWindow = 10_000 // most unfinished notices watched at a time, the oldest first
	relayPage   = 1000   // notices per query
	relayPut    = 200    // notices added at a time
	relayTime   = 30 * time.Second
	forgetEvery = time.Hour
)

// relay adds unfinished notices of SQL to the intake again when they have no entry there, because
// Redis lost it or never had it. One instance, chosen by a lease, does this; all check whether
// Redis answers.
type relay struct {
	w      *Worker
	lease  lease.Lease
	seen   map[int64]place // progress of the unfinished notices at the previous look
	held   bool            // this instance held the lease at the previous look
	purged time.Time       // when old idempotency keys and audit entries were last deleted
	trim   int64           // the notice up to which expired ones were looked for, if there are more; 0: done until purged again

	failing bool // the last round failed
}

// place is the progress of a notice.
type place struct {
	state notifier.State
	done  int64
}

func newRelay(w *Worker) *relay {
	return &relay{w: w, lease: lease.New(w.c.Redis, w.c.Keys, "relay", relayLease), seen: map[int64]place{}}
}

// run looks until ctx ends, and returns nil.
func (r *relay) run(ctx context.Context) error {
	tick := time.NewTicker(r.w.c.Poll)
	defer tick.Stop()
	lost := false
	for ctx.Err() == nil {
		r.note(ctx, r.look(ctx, lost))
		lost = false
		select {
		case <-tick.C:
		case <-r.w.intake.Lost():
			lost = true
		case <-ctx.Done():
		}
	}
	lease.GiveUp(ctx, r.lease)
	return nil
}

// look runs one round if this instance holds the lease. When the stream was lost, it runs one in
// any case, and takes no unfinished notice to have an entry.
func (r *relay) look(ctx context.Context, lost bool) error {
	ctx, cancel := context.WithTimeout(ctx, relayTime)
	defer cancel()
	mine, err := r.lease.Hold(ctx)
	r.w.away.Store(err != nil)
	if err != nil {
		return err
	}
	took := mine && !r.held
	r.held = mine
	if !mine && !lost {
		clear(r.seen)
		return nil
	}
	if err := r.round(ctx, lost, took); err != nil {
		return err
	}
	if now := r.w.c.Now(); now.Sub(r.purged) >= forgetEvery {
		if _, err := r.w.c.Store.TrimDrafts(ctx, now.Add(-notifier.KeepDrafts)); err != nil {
			return err
		}
		if _, err := r.w.c.Store.ForgetKeys(ctx, now.Add(-KeepKeys)); err != nil {
			return err
		}
		if _, err := r.w.c.Store.TrimAudit(ctx, now.Add(-keepAudit)); err != nil {
			return err
		}
		r.purged = now
		return r.forget(ctx)
	}
	if r.trim > 0 {
		return r.forget(ctx)
	}
	return nil
}

// forget deletes the next notices that expired keepExpired ago. It does so a few thousand at a time, a
// look apart, because senders wait for it.
func (r *relay) forget(ctx context.Context) error {
	if r.w.c.Keep <= 0 {
		return nil
	}
	expired := r.w.c.Now().Add(-keepExpired)
	next, n, err := r.w.c.Store.TrimNotices(ctx, r.trim, expired.Add(-r.w.c.Keep), expired)
	if err != nil {
		return err
	}
	r.trim = next
	if n > 0 {
		r.w.c.Log.DebugContext(ctx, "expired notices deleted", "stage", "relay", "notices", n)
	}
	return nil
}

// round adds the notices that have made no progress since the last round and have no entry in the
// stream. An instance that has just taken the lease does not wait for a second round with those that
// were accepted some time ago: the instance that had the lease may have died with them.
func (r *relay) round(ctx context.Context, lost, took bool) error {
	now := make(map[int64]place)
	old := r.w.c.Now().Add(-2 * r.w.c.Poll)
	var still []int64
	for after := int64(0); len(now) < relayWindow; {
		page, err := r.w.c.Store.Unfinished(ctx, after, relayPage)
		if err != nil {
			return err
		}
		for _, n := range page {
			at := place{n.State, n.Done}
			if was, ok := r.seen[n.ID]; lost || ok && was == at || took && n.CreatedAt.Before(old) {
				still = append(still, n.ID)
			}
			now[n.ID], after = at, n.ID
		}
		if len(page) < relayPage {
			break
		}
	}
	r.seen = now
	if len(still) == 0 {
		return nil
	}
	missing, err := r.w.intake.Missing(ctx, still)
	if err != nil {
		return err
	}
	return r.put(ctx, missing)
}

// put stops when the intake is overloaded: the next round continues.
func (r *relay) put(ctx context.Context, ids []int64) error {
	for part := range slices.Chunk(ids, relayPut) {
		if r.w.Overloaded() {
			return nil
		}
		entries, err := r.w.entries(ctx, part, false)
		if err == nil {
			err = r.w.intake.Put(ctx, entries...)
		}
		if err != nil {
			return err
		}
		for _, id := range part {
			delete(r.seen, id) // it has a whole round from now on
		}
		r.w.c.Log.DebugContext(ctx, "notices added to the intake again", "stage", "relay", "notices", len(entries))
	}
	return nil
}

// note logs when rounds begin to fail, and when they succeed again.
func (r *relay) note(ctx context.Context, err error) {
	if ctx.Err() != nil || r.failing == (err != nil) {
		return
	}
	if r.failing = err != nil; r.failing {
		r.w.c.Log.WarnContext(ctx, "could not relay notices; they wait in sql", "stage", "relay", "err", err)
	} else {
		r.w.c.Log.InfoContext(ctx, "notices are relayed again", "stage", "relay")
	}
}

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
