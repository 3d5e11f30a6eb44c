package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Bring creates the missing users among names, for an app that sends to them, in the app's audience. It creates
// all or none. It returns notifier.ErrNotFound for an unknown or revoked app, a *notifier.TooManyError if the app has
// created too many users recently, notifier.ErrLeaving for a user who is being deleted, notifier.ErrFull, and a
// *notifier.InvalidError for a name that no new user can have.
func (s *Store) Bring(ctx context.Context, app int64, names []string) (created int, err error) {
	for left := leavers; ; left-- {
		_, unknown, err := s.SeqsByName(ctx, names)
		if err != nil || len(unknown) == 0 {
			return 0, err
		}
		if created, err = s.bring(ctx, app, unknown); !errors.Is(err, notifier.ErrConflict) || errors.Is(err, notifier.ErrLeaving) || left == 0 {
			return created, err // on a conflict another caller has created one of them
		}
	}
}

func (s *Store) bring(ctx context.Context, app int64, names []string) (int, error) {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var audience int64
		if err := tx.QueryRowContext(ctx, `SELECT audience FROM apps WHERE id = $1 AND revoked_at = 0`, app).Scan(&audience); err != nil {
			return err
		}
		if err := s.countArrivals(ctx, tx, app, len(names)); err != nil {
			return err
		}
		rows := make([]userRow, len(names))
		for i, name := range names {
			if fault := notifier.NameFault(name); fault != nil {
				var bad notifier.InvalidError
				bad.Add("to", fault.Code, fault.Params)
				return &bad
			}
			rows[i] = userRow{NewUser: notifier.NewUser{Name: name, Audience: notifier.Audience(audience)}, fold: fold(name), created: millis(s.now())}
		}
		taken, err := s.addUsers(ctx, tx, rows, roleIDs{})
		if err == nil && taken >= 0 {
			err = notifier.ErrConflict
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE users SET app_id = $1 WHERE seq BETWEEN $2 AND $3`, app, rows[0].seq, rows[len(rows)-1].seq) // numbers are dense
		}
		return err
	})
	return len(names), s.fail(err, "create %d users of app %d", len(names), app)
}

// The limit on users created by an app, over all instances.
const (
	arrivalsPerSecond = 50
	arrivalBurst      = 1000
)

// countArrivals counts users that an app is about to create. It returns a *notifier.TooManyError if the app has
// created too many recently.
func (s *Store) countArrivals(ctx context.Context, tx *sql.Tx, app int64, n int) error {
	now := millis(s.now())
	const left = `(CASE WHEN arrivals > ($1 - arrived_at) * 0.05 THEN arrivals - ($1 - arrived_at) * 0.05 ELSE 0 END)` // 50 a second
	var level float64
	err := tx.QueryRowContext(ctx, `UPDATE apps SET arrivals = `+left+` + $2, arrived_at = $1 WHERE id = $3 RETURNING arrivals`, now, float64(n), app).Scan(&level)
	if err != nil {
		return err
	}
	if over := level - arrivalBurst; over > 0 {
		return &notifier.TooManyError{RetryAfter: time.Duration(over / arrivalsPerSecond * float64(time.Second))}
	}
	return nil
}
