package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// CreateUser adds one user with the next number. It returns notifier.ErrConflict if the name
// exists, a *notifier.InvalidError with every invalid field of u, or notifier.ErrFull if no
// number is left up to Config.MaxSeq; that error's text contains the number and the limit.
func (s *Store) CreateUser(ctx context.Context, u notifier.NewUser) (notifier.User, error) {
	if err := checkNewUser(&u); err != nil {
		return notifier.User{}, err
	}
	rows := []userRow{{NewUser: u, fold: fold(u.Name), created: millis(s.now())}}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		roles := roleIDs{}
		taken, err := s.addUsers(ctx, tx, rows, roles)
		if err == nil && taken >= 0 {
			err = notifier.ErrConflict
		}
		return err
	})
	if err != nil {
		return notifier.User{}, s.fail(err, "add user %q", u.Name)
	}
	return rows[0].user(), nil
}

// SetPassword replaces a user's password hash. It ends all their sessions and returns them.
func (s *Store) SetPassword(ctx context.Context, name, hash string) (ended []notifier.EndedSession, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		var seq int64
		err := tx.QueryRowContext(ctx, `UPDATE users SET password_hash = $1 WHERE name = $2 RETURNING seq`,
			hash, valid(name)).Scan(&seq)
		if err != nil {
			return err
		}
		if _, err = s.endDevices(ctx, tx, `seq = $1`, seq); err != nil {
			return err
		}
		if ended, err = s.endSessions(ctx, tx, `seq = $1`, seq); err != nil {
			return err
		}
		return s.noteChange(ctx, tx, seq, false)
	})
	return ended, s.fail(err, "set the password of user %q", name)
}

// SetSettings changes the settings of a user that are set in set, and returns the updated user. It
// returns notifier.ErrNotFound for an unknown seq.
func (s *Store) SetSettings(ctx context.Context, seq int64, set notifier.PutSettings) (u notifier.User, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		// One statement merges the settings, so that no concurrent change is lost.
		n, err := change(ctx, tx, `UPDATE users SET locale = COALESCE($1, locale), theme = COALESCE($2, theme), keys = COALESCE($3, keys),
			toasts = COALESCE($4, toasts), opening_reads = COALESCE($5, opening_reads), compact = COALESCE($6, compact) WHERE seq = $7`,
			validOrNil(set.Locale), validOrNil(set.Theme), not(set.KeysOff), not(set.ToastsOff), not(set.OpensOnly), set.Compact, seq)
		if err == nil && n == 0 {
			err = sql.ErrNoRows
		}
		if err == nil {
			err = s.noteChange(ctx, tx, seq, false)
		}
		if err == nil {
			u, err = only(gatherUsers(tx.QueryContext(ctx, userQuery(`u.seq = $1`), seq)))
		}
		return err
	})
	return u, s.fail(err, "save the settings of user %d", seq)
}

func validOrNil(text *string) *string {
	if text == nil {
		return nil
	}
	return new(valid(*text))
}

func not(b *bool) *bool {
	if b == nil {
		return nil
	}
	return new(!*b)
}

// Credentials returns a user with their password hash, which is empty if they have none.
func (s *Store) Credentials(ctx context.Context, name string) (u notifier.User, hash string, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT password_hash FROM users WHERE name = $1`, valid(name)).Scan(&hash)
	if err == nil {
		u, err = s.oneUser(ctx, `u.name = $1`, name)
	}
	if err != nil {
		return notifier.User{}, "", s.fail(err, "read the credentials of a user") // this error is logged, so it leaves out the name
	}
	return u, hash, nil
}

// UserByName returns one user, or notifier.ErrNotFound.
func (s *Store) UserByName(ctx context.Context, name string) (notifier.User, error) {
	began := time.Now()
	u, err := only(gatherUsers(s.ready.user.QueryContext(ctx, valid(name))))
	s.timing.since(ctx, CallQuery, began)
	return u, s.fail(err, "read a user by name")
}

// SeqsByName returns the number of each name, and the unknown names in the given order, without
// duplicates.
func (s *Store) SeqsByName(ctx context.Context, names []string) (seqs map[string]int64, unknown []string, err error) {
	if seqs, _, err = s.Addressees(ctx, "", names); err != nil {
		return nil, nil, err
	}
	reported := make(map[string]bool)
	for _, name := range names {
		if _, known := seqs[name]; !known && !reported[name] {
			reported[name] = true
			unknown = append(unknown, name)
		}
	}
	return seqs, unknown, nil
}

// SameNames returns, for each name, the users' names that are equal except for case, in order. Names
// without a match are omitted.
func (s *Store) SameNames(ctx context.Context, names []string) (map[string][]string, error) {
	asked := map[string][]string{} // by the folded name
	for _, name := range names {
		if notifier.ValidName(name) {
			asked[fold(name)] = append(asked[fold(name)], name)
		}
	}
	same := make(map[string][]string, len(names))
	for part := range slices.Chunk(slices.Sorted(maps.Keys(asked)), listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var name, folded string
			err := rows.Scan(&name, &folded)
			for _, as := range asked[folded] {
				same[as] = append(same[as], name)
			}
			return err
		}, `SELECT name, name_fold FROM users WHERE `+s.dialect.within("name_fold", 1)+` ORDER BY name_fold, name`, s.dialect.textList(part))
		if err != nil {
			return nil, s.fail(err, "look up %d users by name without case", len(names))
		}
	}
	return same, nil
}

// listSize is the maximum number of values looked up by one statement.
const listSize = 10_000

// addUsers assigns numbers to rows and inserts them with their roles. taken is the index of the
// first row whose name is in use, or -1. With an error, taken >= 0 is the index of a row whose
// name belongs to a user being deleted.
func (s *Store) addUsers(ctx context.Context, tx *sql.Tx, rows []userRow, roles roleIDs) (taken int, err error) {
	// The counter's row stays locked until the end of the transaction. A failed transaction returns its
	// numbers before another one can use any, so numbers are dense.
	var last int64
	err = tx.QueryRowContext(ctx, `UPDATE sequences SET value = value + $1 WHERE name = 'user' RETURNING value`,
		len(rows)).Scan(&last)
	if err != nil {
		return -1, fmt.Errorf("take a user number: %w", err)
	}
	first := last - int64(len(rows)) + 1
	if last > s.maxSeq {
		return -1, fmt.Errorf("%w: user number %d would be above the highest allowed, %d (--max-seq)", notifier.ErrFull, max(first, s.maxSeq+1), s.maxSeq)
	}
	for i := range rows {
		rows[i].seq = first + int64(i)
	}
	taken, err = s.dialect.addUsers(ctx, tx, rows)
	if err != nil || taken >= 0 {
		return taken, err
	}
	if taken, err = leaving(ctx, tx, rows); err != nil {
		return taken, err
	}
	if err := s.addMembers(ctx, tx, rows, roles); err != nil {
		return -1, err
	}
	for i := range rows {
		if rows[i].Email == "" {
			continue
		}
		if err := s.putMail(ctx, tx, rows[i].seq, rows[i].Email); err != nil {
			return -1, err
		}
	}
	return -1, nil
}

// valid makes a name safe for a query: an invalid name becomes the empty name, which no user
// has. PostgreSQL would reject its bytes.
func valid(name string) string {
	if !notifier.ValidName(name) {
		return ""
	}
	return name
}
