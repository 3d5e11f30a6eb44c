package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// AcceptAll stores notices, each with its recipients and the key of its request,
// and sets their IDs. What has no Err once it returns nil is on disk, all of it;
// what has one is not there, nor is its key. They wait together and are stored
// in one transaction, unless the database refuses some of them: then the others
// are stored without those.
//
// It sets State to accepted and CreatedAt to now where they are empty, and cuts
// both times to the millisecond that is stored. Recipients and Routed follow To.
// Replayed is set where a request of the same owner, key and digest was accepted
// before, here or by anybody else, also at the same moment: then only Notice.ID
// is set, to that one's. With another digest Err is notifier.ErrOtherRequest.
//
// An error is about all of them and says that none was stored, unless the
// context ended or the connection broke while the database was at it.
//
// Notices that are accepted at the same time share a commit: what waits for the
// disk is gathered, not queued.
func (s *Store) AcceptAll(ctx context.Context, all []*notifier.Acceptance) error {
	if err := ctx.Err(); err != nil {
		return s.fail(err, "accept notices")
	}
	u := &unit{done: make(chan struct{}), rows: make([]*noticeRow, 0, len(all))}
	u.deadline, _ = ctx.Deadline()
	rows := make([]noticeRow, len(all))
	for i, a := range all {
		a.Replayed = false
		if a.Err = s.noticeRow(&rows[i], a); a.Err == nil {
			u.rows = append(u.rows, &rows[i])
		}
	}
	if len(u.rows) == 0 {
		return nil
	}
	if err := s.accepts.add(u, s.commit); err != nil {
		return s.fail(err, "accept notices")
	}
	select {
	case <-u.done:
	case <-ctx.Done():
		s.accepts.remove(u)
		return s.fail(ctx.Err(), "accept notices")
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

// commit stores units and tells those who wait. It has as long as the most
// patient of them.
func (s *Store) commit(units []*unit) {
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
	ctx, cancel := context.WithDeadline(context.Background(), limit)
	defer cancel()
	s.store(ctx, rows)
	for _, u := range units {
		close(u.done)
	}
}

// store stores rows, and halves them until those that the database refuses
// stand alone.
func (s *Store) store(ctx context.Context, rows []*noticeRow) {
	for _, n := range rows {
		n.id, n.replayed, n.err = 0, false, nil // what a transaction said that was rolled back
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

// unit is what one caller waits for. done is closed when each of its rows has an
// id or an error.
type unit struct {
	rows     []*noticeRow
	deadline time.Time // when the caller stops waiting; zero: never
	done     chan struct{}
}

// away is why none of the unit was stored, when that is because the database is
// away.
func (u *unit) away(s *Store) (err error) {
	for _, n := range u.rows {
		if err = s.fail(n.err, "accept notices"); !errors.Is(err, notifier.ErrUnavailable) {
			return nil
		}
	}
	return err
}
