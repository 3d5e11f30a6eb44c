package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carillonhq/carillon/internal/batch"
	"github.com/carillonhq/carillon/notifier"
)

const (
	// maxBatch is the maximum number of notices in one commit; a caller with more notices gets a
	// commit of its own.
	maxBatch = 1000
	// maxWaiting is the maximum number of notices that wait for a commit; further callers are
	// rejected, so that senders slow down.
	maxWaiting = 10_000
)

// newAccepts returns the queue of notices waiting for a commit.
func (s *Store) newAccepts() *batch.Queue[*unit] {
	return batch.New(batch.Options[*unit]{
		Call: s.commit, Most: maxBatch, Room: maxWaiting,
		Weigh: func(u *unit) int { return len(u.rows) },
	})
}

// AcceptAll stores notices, each with its recipients and the idempotency key of its
// request, and sets their IDs. When it returns nil, every notice without an Err is fully on
// disk; a notice with an Err was not stored, and neither was its key. All are stored in one
// transaction, unless the database rejects some of them: then the others are stored without
// the rejected ones.
//
// It sets State to accepted and CreatedAt to now where they are empty, and truncates
// CreatedAt and ExpiresAt to the stored millisecond. Recipients and Routed are set from
// To. Replayed is set if a request with the same owner, key and digest was accepted
// before, by any instance, even at the same moment; then only Notice.ID is set, to the ID
// of the earlier notice. If the digest differs, Err is notifier.ErrOtherRequest.
//
// If a notice is stored, the same transaction adds the deed to the audit log, as one entry per call.
//
// A returned error applies to the whole call and means that nothing was stored, unless
// the context ended or the connection broke while the database was committing.
//
// Notices accepted at the same time share a commit, so that concurrent callers wait for the
// disk once.
func (s *Store) AcceptAll(ctx context.Context, of notifier.Deed, all []*notifier.Acceptance) error {
	if err := ctx.Err(); err != nil {
		return s.fail(err, "accept notices")
	}
	u := &unit{rows: make([]*noticeRow, 0, len(all))}
	u.deadline, _ = ctx.Deadline()
	rows := make([]noticeRow, len(all))
	for i, a := range all {
		a.Replayed, rows[i].deed = false, &of
		if a.Err = s.noticeRow(&rows[i], a); a.Err == nil {
			u.rows = append(u.rows, &rows[i])
		}
	}
	if len(u.rows) == 0 {
		return nil
	}
	began := time.Now()
	err := s.accepts.Do(ctx, u)
	s.timing.since(ctx, CallAccept, began)
	if err != nil {
		if errors.Is(err, batch.ErrFull) || errors.Is(err, batch.ErrClosed) {
			err = fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
		}
		return s.fail(err, "accept notices")
	}
	if err := u.away(s); err != nil {
		return err
	}
	for i, a := range all {
		if a.Err == nil {
			a.Err = s.fail(rows[i].err, "accept a notice")
			rows[i].answer(a)
		}
	}
	return nil
}

// commit stores units. Its deadline is the latest deadline of its callers.
func (s *Store) commit(ctx context.Context, units []*unit) {
	var rows []*noticeRow
	limit := time.Time{}
	for _, u := range units {
		rows = append(rows, u.rows...)
		patience := u.deadline
		if patience.IsZero() {
			patience = time.Now().Add(lockWait)
		}
		if patience.After(limit) {
			limit = patience
		}
	}
	ctx, cancel := context.WithDeadline(ctx, limit)
	defer cancel()
	s.store(ctx, rows)
}

// store stores rows. If the database rejects them, it halves the batch until each rejected
// row is alone.
func (s *Store) store(ctx context.Context, rows []*noticeRow) {
	for _, n := range rows {
		n.id, n.replayed, n.err = 0, false, nil // clear the results of a transaction that was rolled back
	}
	err := s.dialect.addNotices(ctx, s, rows)
	if err == nil {
		return
	}
	if len(rows) == 1 || ctx.Err() != nil || s.dialect.fault(err) == faultAway {
		for _, n := range rows {
			n.err = err
		}
		return
	}
	for half := range slices.Chunk(rows, (len(rows)+1)/2) {
		s.store(ctx, half)
	}
}

// unit contains the rows for which one caller waits. A commit gives each row an id or an error.
type unit struct {
	rows     []*noticeRow
	deadline time.Time // when the caller stops waiting; zero: never
}

// away returns the ErrUnavailable error if every row of the unit failed because the
// database is unavailable, else nil.
func (u *unit) away(s *Store) (err error) {
	for _, n := range u.rows {
		if err = s.fail(n.err, "accept notices"); !errors.Is(err, notifier.ErrUnavailable) {
			return nil
		}
	}
	return err
}
